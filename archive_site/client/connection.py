"""Requests to one server with one token. Whatever goes wrong is a Failure in one line, which never holds the token."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import requests
from requests import exceptions
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError, LocationParseError, ReadTimeoutError

from archive_site import __version__
from archive_site.client.access import Access
from archive_site.client.answer_shapes import Form
from archive_site.client.outcome import ExitCode, Failure

# Seconds in which a connection is made, and that are waited in all where the server asks to wait.
_CONNECT = 10.0
_PATIENCE = 120
_PIECE = 64 * 1024
# On every answer of the API that is no failure.
_OF_AN_ARCHIVE = "Archive-Account"
Parameters = Mapping[str, Any]


class Answer:
    """A JSON answer of the server at `address`: its text, and its values with the digits of each number."""

    def __init__(self, text: str, address: str) -> None:
        """Raises Failure where the text is no JSON."""
        self.text = text
        self._address = address
        try:
            self._value = json.loads(text, parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError):
            raise self._unknown() from None

    def read(self, form: Form) -> Any:
        """The values. Raises Failure where they have another form."""
        if not form(self._value):
            raise self._unknown()
        return self._value

    def _unknown(self) -> Failure:
        words = "answered in a form that this client does not know: is it another version?"
        return Failure(ExitCode.SERVER, f"{self._address} {words}")


class _Bearer(AuthBase):
    """Sets the header itself: without an object like this one a file .netrc would replace it."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class _Session(requests.Session):
    """Does not read where a redirect leads: none is followed, and a broken address would raise errors of many kinds."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


class Server:
    """The API of one instance. `note` gets what a person who waits should know."""

    def __init__(self, access: Access, timeout: float, note: Callable[[str], None]) -> None:
        self.address = access.server
        self._timeout = (min(_CONNECT, timeout), timeout)
        self._note = note
        self._session = _Session()
        self._session.auth = _Bearer(access.token)
        # A proxy of the environment would get the token of a server on this machine.
        self._proxies = {"no_proxy": "*"} if access.is_of_this_machine else None
        self._session.headers.update(
            {"User-Agent": f"usage-archive/{__version__}", "Accept": "application/json", "Accept-Language": "en"}
        )

    def get(self, path: str, parameters: Parameters | None = None) -> Answer:
        """The JSON answer to a read. Raises Failure."""
        return self._answer(self._patiently("GET", path, params=parameters))

    def post(self, path: str, body: Mapping[str, Any]) -> Answer:
        """The JSON answer to a write. Raises Failure."""
        return self._answer(self._patiently("POST", path, json=body))

    @contextmanager
    def download(self, path: str, parameters: Parameters) -> Iterator[Iterator[bytes]]:
        """The pieces of a file, while it arrives. Raises Failure, also from the iterator."""
        with self._patiently("GET", path, params=parameters, stream=True, headers={"Accept": "*/*"}) as response:
            if not response.ok or _is_redirect(response):
                raise self._failure(response)
            if not response.headers.get("Content-Disposition", "").startswith("attachment"):
                raise self._foreign(response)
            yield self._pieces(response)

    def _pieces(self, response: requests.Response) -> Iterator[bytes]:
        with self._failures_named():
            yield from response.iter_content(_PIECE)

    def _patiently(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request, again where the server asks to wait for not too long."""
        waited = 0
        while True:
            with self._failures_named():
                response = self._session.request(
                    method,
                    f"{self.address}{path}",
                    timeout=self._timeout,
                    allow_redirects=False,
                    proxies=self._proxies,
                    **options,
                )
            seconds = _asks_to_wait(response, method)
            if seconds is None or waited + seconds > _PATIENCE:
                return response
            response.close()
            self._note(f"the server asks to wait {seconds} seconds.")
            time.sleep(seconds)
            waited += seconds

    def _answer(self, response: requests.Response) -> Answer:
        if not response.ok or _is_redirect(response):
            raise self._failure(response)
        if _OF_AN_ARCHIVE not in response.headers or not _is_json(response):
            raise self._foreign(response)
        return Answer(response.content.decode(errors="replace"), self.address)

    def _failure(self, response: requests.Response) -> Failure:
        """What the server says that is wrong."""
        place = response.headers.get("Location", "")
        if _is_redirect(response) and place:
            return Failure(
                ExitCode.SERVER, f"{self.address} leads to {place}: if that is right, name it with --server."
            )
        with self._failures_named():
            body = _body(response)
        status = response.status_code
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            code = ExitCode.REFUSED
        else:
            code = ExitCode.USAGE if body and status == HTTPStatus.BAD_REQUEST else ExitCode.SERVER
        if not body:
            return Failure(code, f"{self.address} answered {_named(status)}, and not as a usage archive does.")
        seconds = response.headers.get("Retry-After", "")
        later = f" Try again in {seconds} seconds." if seconds.isdecimal() else ""
        said = str(body.get("message") or _named(status))
        return Failure(code, f"{_sentence(said)}{later}" if later else said)

    def _foreign(self, response: requests.Response) -> Failure:
        kind = response.headers.get("Content-Type", "nothing").partition(";")[0]
        return self._no_archive(f"it answered with {kind}")

    def _no_archive(self, why: str) -> Failure:
        return Failure(ExitCode.SERVER, f"{self.address} is no usage archive: {why}.")

    @contextmanager
    def _failures_named(self) -> Iterator[None]:
        try:
            yield
        except (exceptions.InvalidURL, exceptions.InvalidSchema, exceptions.MissingSchema, LocationParseError):
            raise Failure(ExitCode.USAGE, "the server is an address such as https://usage.example.org.") from None
        except (ValueError, HTTPError):
            # Broken lengths and headers, for which the library has no error of its own.
            raise self._no_archive("its answer is broken") from None
        except exceptions.RequestException as error:
            raise Failure(ExitCode.UNREACHABLE, f"{self.address} {self._reason(error)}.") from None
        except OSError:
            # For a missing file of certificates requests raises a plain OSError.
            words = "the certificates that REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names are missing"
            raise Failure(ExitCode.UNREACHABLE, f"{self.address} cannot be reached: {words}.") from None

    def _reason(self, error: exceptions.RequestException) -> str:
        # The texts of the library are not shown: they may hold the password of a proxy.
        if isinstance(error, exceptions.SSLError):
            return "has no certificate that this machine trusts"
        if isinstance(error, exceptions.ProxyError):
            return "cannot be reached through the proxy"
        to_connect, to_answer = self._timeout
        if isinstance(error, exceptions.ConnectTimeout):
            return f"cannot be reached: no connection within {to_connect:g} seconds"
        # The library has another error for a timeout in the middle of an answer.
        if isinstance(error, exceptions.Timeout) or any(isinstance(cause, ReadTimeoutError) for cause in error.args):
            return f"did not answer within {to_answer:g} seconds"
        if isinstance(error, exceptions.ChunkedEncodingError | exceptions.ContentDecodingError):
            return "broke off its answer"
        return f"cannot be reached{_cause(error)}"


def _asks_to_wait(response: requests.Response, method: str) -> int | None:
    """For how many seconds; None where it does not, or where a write may have been done."""
    busy = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
    seconds = response.headers.get("Retry-After", "")
    if response.status_code not in busy[: 1 if method == "POST" else 2] or not seconds.isdecimal():
        return None
    return max(int(seconds[:6]), 1)


def _is_redirect(response: requests.Response) -> bool:
    return HTTPStatus.MULTIPLE_CHOICES <= response.status_code < HTTPStatus.BAD_REQUEST


def _is_json(response: requests.Response) -> bool:
    return response.headers.get("Content-Type", "").startswith("application/json")


def _body(response: requests.Response) -> dict[str, Any]:
    """The object of a failure; empty for what is none of this service."""
    try:
        body = json.loads(response.content) if _is_json(response) else None
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) and body.get("ok") is False else {}


def _named(status: int) -> str:
    return f"{status} {HTTPStatus(status).phrase}" if status in set(HTTPStatus) else str(status)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。")) else f"{text}."


def _cause(error: BaseException) -> str:
    """What the system says of a connection that failed."""
    found: BaseException | None = error
    while found:
        if isinstance(found, OSError) and not isinstance(found, exceptions.RequestException) and found.strerror:
            return f": {found.strerror.lower()}"
        found = found.__cause__ or found.__context__
    return ""
