"""How the requests and mails of this process ended. The library logs it and returns only whether all went well."""

import os
import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import certifi
import requests
import urllib3
from requests.adapters import HTTPAdapter

from accounts.delivery.sending.answers import NOTHING
from accounts.delivery.sending.schemes import MOST_TARGETS

# How much of an answer is read; services say in a short JSON text whether they took a message.
MOST_BYTES = 64 * 1024
# A receiver may need several requests, for example to find a channel.
MOST_REQUESTS = 3 * MOST_TARGETS
_LATER = {408, 425, 429}
_TOO_LONG_BY_MAIL = {552, 523}


@dataclass(frozen=True)
class Failure:
    """Why a notice did not arrive, as a code, and whether another try makes sense."""

    reason: str
    again: bool


ADDRESS = Failure("address", again=False)
FAILED = Failure("failed", again=True)
PRIVATE = Failure("private", again=False)
REDIRECT = Failure("redirect", again=False)
REFUSED = Failure("refused", again=False)
REFUSED_FOR_NOW = Failure("refused", again=True)
TIMEOUT = Failure("timeout", again=True)
TOO_LONG = Failure("too_long", again=False)
UNREACHABLE = Failure("unreachable", again=True)
UNTRUSTED = Failure("untrusted", again=False)


class Exchanges:
    """The requests of this process: how many there were, and the failure of the last that failed."""

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self.number = 0
        # How the service says whether it took a message, and what it said where it did not.
        self.answer = NOTHING
        self.said = ""
        # Of the last answer.
        self.status: int | None = None
        self._open = False

    def begin(self) -> None:
        """Note that a request begins. Raises requests.ConnectionError where there were too many."""
        self.number += 1
        self._open = True
        if self.number > MOST_REQUESTS:
            self.note(ADDRESS)
            raise requests.ConnectionError

    def note(self, failure: Failure) -> None:
        """Keep the first failure of a request: what follows from it is less exact."""
        if self._open:
            self.failure, self._open = failure, False


def of_status(status: int) -> Failure | None:
    """The failure that the status of an HTTP answer means; None for success."""
    if 200 <= status < 300:
        return None
    if status == 413:
        return TOO_LONG
    if 400 <= status < 500:
        return REFUSED_FOR_NOW if status in _LATER else REFUSED
    return REDIRECT if 300 <= status < 400 else FAILED


def of_error(error: BaseException) -> Failure:
    """The failure that an exception of a connection means."""
    if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
        return UNTRUSTED
    if isinstance(error, requests.Timeout | TimeoutError | urllib3.exceptions.TimeoutError) or "timed out" in str(
        error
    ):
        return TIMEOUT
    if isinstance(error, smtplib.SMTPException):
        return _of_mail(error)
    return ADDRESS if isinstance(error, requests.exceptions.InvalidURL) else UNREACHABLE


def _of_mail(error: smtplib.SMTPException) -> Failure:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
    else:
        codes = [error.smtp_code] if isinstance(error, smtplib.SMTPResponseException) else []
    if any(code in _TOO_LONG_BY_MAIL for code in codes):
        return TOO_LONG
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return REFUSED
    return REFUSED if any(500 <= code < 600 for code in codes) else FAILED


def observe(exchanges: Exchanges) -> None:
    """Make requests and smtplib of this process record their exchanges."""
    # Mail is checked against the same certificates as HTTP: a container has no others.
    os.environ["SSL_CERT_FILE"] = certifi.where()

    class Session(_Session):
        seen = exchanges

    requests.sessions.Session = requests.Session = Session  # type: ignore[misc]
    for name in ("connect", "starttls", "login", "sendmail"):
        setattr(smtplib.SMTP, name, _recorded(getattr(smtplib.SMTP, name), exchanges, begins=name == "connect"))


class _Session(requests.Session):
    """A session without redirects, and without proxies, certificates and passwords of the environment."""

    seen: Exchanges

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False
        self.mount("https://", _Adapter(self.seen))
        self.mount("http://", _Adapter(self.seen))


class _Adapter(HTTPAdapter):
    def __init__(self, exchanges: Exchanges) -> None:
        self._exchanges = exchanges
        super().__init__(max_retries=0)

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        self._exchanges.begin()
        try:
            # As a stream, since otherwise the whole answer would be read.
            response = super().send(request, **{**options, "stream": True})
            content = response.raw.read(MOST_BYTES, decode_content=True)
            response.close()
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            self._exchanges.note(of_error(error))
            raise requests.ConnectionError from None
        self._exchanges.status = response.status_code
        # The library finds what was read where it would read the rest.
        response._content, response._content_consumed = content, True  # type: ignore[attr-defined]
        if response.headers.pop("Location", None) and 300 <= response.status_code < 400:
            self._exchanges.note(REDIRECT)
        elif failure := of_status(response.status_code) or self._refusal(content):
            self._exchanges.note(failure)
            self._exchanges.said = self._exchanges.answer.reason(content)
        return response

    def _refusal(self, content: bytes) -> Failure | None:
        # A limit of the service is among the reasons, so another try makes sense.
        return REFUSED_FOR_NOW if self._exchanges.answer.refuses(content) else None


def _recorded(method: Callable[..., Any], exchanges: Exchanges, *, begins: bool) -> Callable[..., Any]:
    def recorded(*args: Any, **options: Any) -> Any:
        if begins:
            exchanges.begin()
        try:
            return method(*args, **options)
        except OSError as error:
            exchanges.note(of_error(error))
            raise

    return recorded
