"""The upstream cookie of an account: encrypted at rest, told to nobody but the collector (specification 2.5, 3.2)."""

from dataclasses import dataclass
from datetime import datetime

from accounts.instance_key import key_in_force
from accounts.models import Setting
from archive_site.lib import clock
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt
from audit.redaction import guard

_KEY = "cookie"
_TAIL = 4
# A tail of a cookie shorter than this would tell too much of it.
_SHORTEST_WITH_TAIL = 12


class NoCookie(Exception):
    """The account has set no cookie."""


class BrokenCookie(Exception):
    """The cookie was stored under another instance key and has to be pasted again."""


@dataclass(frozen=True)
class CredentialState:
    """All that anyone may know of a cookie; a broken one has neither length nor tail."""

    set: bool = False
    chars: int = 0
    tail: str = ""
    broken: bool = False

    @property
    def hint(self) -> str:
        """`<N> chars, ...<last 4>`; empty where there is no cookie, or a broken one."""
        if not self.usable:
            return ""
        return f"{self.chars} chars" + (f", ...{self.tail}" if self.tail else "")

    @property
    def usable(self) -> bool:
        return self.set and not self.broken


def state(user_id: int) -> CredentialState:
    """Whether the account's cookie is set, how long it is, how it ends, and whether it can be read."""
    try:
        cookie = reveal(user_id)
    except NoCookie:
        return CredentialState()
    except BrokenCookie:
        return CredentialState(set=True, broken=True)
    tail = cookie[-_TAIL:] if len(cookie) >= _SHORTEST_WITH_TAIL else ""
    return CredentialState(set=True, chars=len(cookie), tail=tail)


def is_set(user_id: int) -> bool:
    """Whether the account has a cookie, readable or not."""
    return Setting.objects.filter(user_id=user_id, key=_KEY).exists()


def reveal(user_id: int) -> str:
    """The cookie in plain text, for a request to the upstream only. Raises NoCookie or BrokenCookie."""
    stored = Setting.objects.filter(user_id=user_id, key=_KEY).values_list("value", flat=True).first()
    if stored is None:
        raise NoCookie
    try:
        cookie = decrypt(stored, key_in_force())
    except Undecryptable:
        raise BrokenCookie from None
    guard(cookie)
    return cookie


def store(user_id: int, cookie: str) -> None:
    """Set the account's cookie, in its normal form, in place of any other."""
    guard(cookie)
    Setting.objects.update_or_create(
        user_id=user_id, key=_KEY, defaults={"value": encrypt(cookie, key_in_force()), "updated_at": clock.now()}
    )


def clear(user_id: int) -> None:
    """Forget the account's cookie."""
    Setting.objects.filter(user_id=user_id, key=_KEY).delete()


def cookie_set_at(user_id: int) -> datetime | None:
    """The instant at which the present cookie was set, None where there is none."""
    return Setting.objects.filter(user_id=user_id, key=_KEY).values_list("updated_at", flat=True).first()
