"""The addresses that an account may store: docs/decisions.md#sending-notices."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from django.conf import settings

from accounts.notices.sending.own_process import LateError, ask
from accounts.notices.sending.schemes import LONGEST, SCHEMES, scheme_of

Reason = Literal["form", "long", "parameter", "private", "scheme", "targets", "unchecked"]
# Plain HTTP as with notices.
_OF_WEBHOOKS = ("https", "http")
# Only where no other reading is possible: an @ further on may end a password that has a slash.
_WITH_HOST = re.compile(r"(?i:https?)://(?:[^/?#\\]*@)?((?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d+)?)(?:[/?#][^@]*)?")
_BY_CHILD: dict[str, Reason] = {
    "form": "form", "parameter": "parameter", "private": "private", "scheme": "scheme", "targets": "targets",
}  # fmt: skip


class AddressError(ValueError):
    """An address that is refused. `reason` is a code; nothing here holds the address.

    - `scheme`: the scheme is not listed
    - `form`: the library cannot read the address
    - `private`: its host is not public
    - `long`: it has over 1,000 characters
    - `parameter`: a parameter is not listed
    - `targets`: it names over ten receivers
    - `unchecked`: the check broke off; another try may work
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Address:
    """A checked address."""

    text: str = field(repr=False)
    scheme: str

    @property
    def shown(self) -> str:
        """What people see of it, as host, path and user may all be secret."""
        return f"{self.scheme}://…"


def with_host(url: str) -> str:
    """What people see of the address of a webhook: scheme and host, as path, query and user may all be secret."""
    found = _WITH_HOST.fullmatch(url)
    return f"{scheme_of(url)}://{found[1]}/…" if found else f"{scheme_of(url)}://…"


def check(text: str) -> Address:
    """The address, where notices may be sent to it. Takes a child process and looks up a name. Raises AddressError."""
    return _checked(text, "check", SCHEMES)


def check_url(text: str) -> Address:
    """The address of a webhook, checked in the same way. Raises AddressError."""
    return _checked(text, "check_url", _OF_WEBHOOKS)


def _checked(text: str, kind: str, schemes: Collection[str]) -> Address:
    text = text.strip()
    if len(text) > LONGEST:
        raise AddressError("long")
    scheme = scheme_of(text)
    if scheme is None:
        raise AddressError("form")
    if scheme not in schemes:
        raise AddressError("scheme")
    try:
        answer = ask({kind: text, "private_allowed": settings.NOTIFY_PRIVATE})
    except LateError:
        raise AddressError("unchecked") from None
    if answer.get("usable") is not True:
        raise AddressError(_BY_CHILD.get(str(answer.get("reason")), "unchecked"))
    return Address(text, scheme)
