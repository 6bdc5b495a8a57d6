"""The source cookie of an account: encrypted at rest, read only by the collector.

The rules: docs/decisions/accounts.md#the-cookie.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts import cookie_lifetimes, setting_rows
from accounts.cookie_lifetimes import session_expiry
from accounts.instance_key import key_in_force
from accounts.models import Setting
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt
from audit.known_secrets import guard

_KEY = "cookie"
_TAIL = 4
# The tail of a shorter cookie would reveal too much of it.
_SHORTEST_WITH_TAIL = 12


class NoCookie(Exception):
    """The account has no cookie."""


class BrokenCookie(Exception):
    """The cookie was encrypted with another instance key and must be pasted again."""


@dataclass(frozen=True)
class CredentialState:
    """The facts about a cookie that may be shown; a broken one has neither length nor tail nor end.

    `ends_at` is the end of the session that the cookie names.
    """

    set: bool = False
    chars: int = 0
    tail: str = ""
    broken: bool = False
    ends_at: datetime | None = None

    @property
    def hint(self) -> str:
        """`<N> chars, ...<last 4>`; empty if there is no cookie, or a broken one."""
        if not self.usable:
            return ""
        return f"{self.chars} chars" + (f", ...{self.tail}" if self.tail else "")

    @property
    def usable(self) -> bool:
        return self.set and not self.broken


class Opened(NamedTuple):
    """Whether a stored cookie can be read, and the end of the session that it names."""

    is_readable: bool
    ends_at: datetime | None = None


def opened(stored: str, key: str) -> Opened:
    """What may be said of a cookie as it is stored; the cookie itself stays here, so no log needs to mask it."""
    try:
        return Opened(True, session_expiry(decrypt(stored, key)))
    except Undecryptable:
        return Opened(False)


def state(user_id: int) -> CredentialState:
    """Whether the account's cookie is set and can be read, its length and its tail."""
    try:
        cookie = reveal(user_id)
    except NoCookie:
        return CredentialState()
    except BrokenCookie:
        return CredentialState(set=True, broken=True)
    tail = cookie[-_TAIL:] if len(cookie) >= _SHORTEST_WITH_TAIL else ""
    return CredentialState(set=True, chars=len(cookie), tail=tail, ends_at=session_expiry(cookie))


def is_set(user_id: int) -> bool:
    """Whether the account has a cookie, readable or not."""
    return Setting.objects.filter(user_id=user_id, key=_KEY).exists()


def reveal(user_id: int) -> str:
    """The cookie in plain text, for a request to the source only. Raises NoCookie or BrokenCookie."""
    stored = setting_rows.value_of(user_id, _KEY)
    if stored is None:
        raise NoCookie
    try:
        cookie = decrypt(stored, key_in_force())
    except Undecryptable:
        raise BrokenCookie from None
    guard(cookie, account=user_id)
    return cookie


def fingerprint(cookie: str, user_agent: str) -> str:
    """A keyed hash that recognises a credential without holding it."""
    return salted_hmac("accounts.credential", f"{cookie}\n{user_agent}", algorithm="sha256").hexdigest()


def stored_fingerprint(user_id: int, user_agent: str) -> str:
    """The fingerprint of the account's cookie with this User-Agent. Raises NoCookie or BrokenCookie."""
    return fingerprint(reveal(user_id), user_agent)


def store(user_id: int, cookie: str) -> None:
    """Replace the account's cookie by this one, given in its normal form."""
    guard(cookie, account=user_id)
    with transaction.atomic():
        setting_rows.store(user_id, _KEY, encrypt(cookie, key_in_force()))
        cookie_lifetimes.begin(user_id, cookie)


def clear(user_id: int) -> None:
    """Delete the account's cookie."""
    setting_rows.delete(user_id, _KEY)


def cookie_set_at(user_id: int) -> datetime | None:
    """The instant at which the cookie was set, None if there is none."""
    return Setting.objects.filter(user_id=user_id, key=_KEY).values_list("updated_at", flat=True).first()
