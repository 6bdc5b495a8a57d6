"""The addresses that an account may store: docs/decisions/notices.md#sending-notices."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from django.conf import settings

from accounts.delivery.sending.mailboxes import as_sent, is_meant_as_mail, mailbox_of
from accounts.delivery.sending.offered.recognition import BY_SCHEME, as_stored, target_of
from accounts.delivery.sending.offered.service import IncompleteError
from accounts.delivery.sending.own_process import LateError, ask
from accounts.delivery.sending.schemes import LONGEST, SCHEMES, UnusableError, scheme_of

Reason = Literal[
    "form", "long", "mail", "mailbox", "page", "parameter", "part", "private", "scheme", "targets", "unchecked",
    "unused",
]  # fmt: skip
ALL_SCHEMES = frozenset({*SCHEMES, *BY_SCHEME})
# Plain HTTP as with notices.
_OF_WEBHOOKS = ("https", "http")
_BY_CODE: dict[str, Reason] = {
    "form": "form", "parameter": "parameter", "private": "private", "scheme": "scheme", "targets": "targets",
}  # fmt: skip


class AddressError(ValueError):
    """An address that is refused. `reason` is a code; nothing here holds the address.

    - `scheme`: the scheme is not listed
    - `form`: it cannot be read
    - `page`: it is of a page of a service, whose addresses are as in the example `whole`
    - `part`: its service needs a part that is missing: `part`, as in the example `whole`
    - `mail`: it is a mail address, and the instance cannot send mail
    - `mailbox`: it was meant as a mail address, and is not exactly one that notices can go to
    - `private`: its host is not public
    - `long`: it has over 1,000 characters
    - `parameter`: a parameter is not listed
    - `targets`: it names over ten receivers
    - `unchecked`: the check broke off; another try may work
    - `unused`: its parameter `part` has no effect on notices
    """

    def __init__(self, reason: Reason, part: str = "", whole: str = "") -> None:
        super().__init__(reason)
        self.reason, self.part, self.whole = reason, part, whole


@dataclass(frozen=True)
class Address:
    """A checked address."""

    text: str = field(repr=False)
    scheme: str

    @property
    def shown(self) -> str:
        """Its scheme alone, as host, path and user may all be secret."""
        return f"{self.scheme}://…"


def check(text: str) -> Address:
    """The address, where notices may be sent to it. Takes a child process and looks up a name. Raises AddressError."""
    text = text.strip()
    # Before anything reads it: what an error shows of an address is short, too.
    _require_length(text)
    text = as_stored(text)
    if mailbox := mailbox_of(text):
        _check_mail(mailbox)
        return Address(mailbox, "mailto")
    if is_meant_as_mail(text):
        raise AddressError("mailbox")
    try:
        target = target_of(text)
    except IncompleteError as error:
        raise AddressError("part" if error.part else "page", error.part, error.whole) from None
    except UnusableError as error:
        raise AddressError(_BY_CODE.get(error.reason, "form")) from None
    if target is None:
        _require_scheme(text, ALL_SCHEMES)
    elif target.unused:
        raise AddressError("unused", target.unused[0])
    return _checked(text, "check")


def check_url(text: str) -> Address:
    """The address of a webhook, checked in the same way. Raises AddressError."""
    text = text.strip()
    _require_scheme(text, _OF_WEBHOOKS)
    # The limit of an hour is counted by the host.
    try:
        has_host = bool(urlsplit(text).hostname)
    except ValueError:
        has_host = False
    if not has_host:
        raise AddressError("form")
    return _checked(text, "check_url")


def _require_length(text: str) -> None:
    if len(text) > LONGEST:
        raise AddressError("long")


def _require_scheme(text: str, schemes: Collection[str]) -> None:
    _require_length(text)
    scheme = scheme_of(text)
    if scheme is None:
        raise AddressError("form")
    if scheme not in schemes:
        raise AddressError("scheme")


def _checked(text: str, kind: str) -> Address:
    _require_length(text)
    answer = _asked({kind: text, "private_allowed": settings.NOTIFY_PRIVATE})
    if answer.get("usable") is not True:
        raise AddressError(_BY_CODE.get(str(answer.get("reason")), "unchecked"))
    return Address(text, scheme_of(text) or "")


def _check_mail(mailbox: str) -> None:
    """The administrator chose the mail server, so it may be on a private host."""
    if settings.NOTIFY_MAIL is None:
        raise AddressError("mail")
    answer = _asked({"check": settings.NOTIFY_MAIL, "mailbox": as_sent(mailbox), "private_allowed": True})
    if answer.get("usable") is not True:
        raise AddressError("mail" if answer.get("reason") else "unchecked")


def _asked(question: dict[str, str | bool]) -> dict[str, object]:
    try:
        return ask(question)
    except LateError:
        raise AddressError("unchecked") from None
