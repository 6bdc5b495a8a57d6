"""The credential of an archive at its source: encrypted at rest, read only by the collector.

The rules: docs/decisions/accounts.md#the-cookie.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts import setting_rows
from accounts.credentials import cookie_lifetimes
from accounts.credentials.credential_forms import form_of, settings_of
from accounts.credentials.instance_key import key_in_force
from accounts.models import Setting
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt
from audit.known_secrets import guard

# Its setting (docs/api.md#settings).
KEY = "cookie"
# A second one beside it, of kinds that have such.
TOKEN = "token"  # noqa: S105 - the name of a setting
_TAIL = 4
# The tail of a shorter one would reveal too much of it.
_SHORTEST_WITH_TAIL = 12


class NoCredential(Exception):
    """The archive has no credential."""


class BrokenCredential(Exception):
    """The credential was encrypted with another instance key and must be pasted again."""


@dataclass(frozen=True)
class CredentialState:
    """The facts about a credential that may be shown; a broken one has neither length nor tail nor end.

    `ends_at` is the end that it names.
    """

    set: bool = False
    chars: int = 0
    tail: str = ""
    broken: bool = False
    ends_at: datetime | None = None

    @property
    def hint(self) -> str:
        """`<N> chars, ...<last 4>`; empty if there is none, or a broken one."""
        if not self.usable:
            return ""
        return f"{self.chars} chars" + (f", ...{self.tail}" if self.tail else "")

    @property
    def usable(self) -> bool:
        return self.set and not self.broken


class Opened(NamedTuple):
    """Whether a stored credential can be read, and the end that it names."""

    is_readable: bool
    ends_at: datetime | None = None


def opened(archive_id: int, stored: str, key: str) -> Opened:
    """What may be said of a credential as it is stored; it stays here itself, so no log needs to mask it."""
    try:
        return Opened(True, form_of(archive_id).ends_at(decrypt(stored, key)))
    except Undecryptable:
        return Opened(False)


def state(archive_id: int) -> CredentialState:
    """Whether the archive's credential is set and can be read, its length, its tail and its end."""
    return states(archive_id)[0]


def states(archive_id: int) -> tuple[CredentialState, CredentialState]:
    """The same of the archive's credential and of the token beside it. One query."""
    stored = setting_rows.values_of(archive_id, [KEY, TOKEN])
    if not stored:
        # An archive of files has no form of credentials.
        return CredentialState(), CredentialState()
    form = form_of(archive_id)
    ends = {KEY: form.ends_at, TOKEN: form.token_ends_at}
    cookie, token = (_state(archive_id, stored.get(key), ends[key]) for key in (KEY, TOKEN))
    return cookie, token


def _state(archive_id: int, stored: str | None, ends_at: Callable[[str], datetime | None]) -> CredentialState:
    if stored is None:
        return CredentialState()
    try:
        secret = _decrypted(archive_id, stored)
    except BrokenCredential:
        return CredentialState(set=True, broken=True)
    tail = secret[-_TAIL:] if len(secret) >= _SHORTEST_WITH_TAIL else ""
    return CredentialState(set=True, chars=len(secret.strip()), tail=tail, ends_at=ends_at(secret))


def is_set(archive_id: int) -> bool:
    """Whether the archive has a credential, or a second one, readable or not."""
    return Setting.objects.filter(user_id=archive_id, key__in=[KEY, TOKEN]).exists()


def is_usable(archive_id: int) -> bool:
    """Whether the archive has a credential that can be read, or a second one."""
    return any(each.usable for each in states(archive_id))


def reveal(archive_id: int, key: str = KEY) -> str:
    """The credential in plain text, for a request to the source only. Raises NoCredential or BrokenCredential."""
    stored = setting_rows.value_of(archive_id, key)
    if stored is None:
        raise NoCredential
    return _decrypted(archive_id, stored)


def _decrypted(archive_id: int, stored: str) -> str:
    try:
        secret = decrypt(stored, key_in_force())
    except Undecryptable:
        raise BrokenCredential from None
    guard(secret, account=archive_id)
    return secret


def fingerprint(secret: str, user_agent: str) -> str:
    """A keyed hash that recognises a credential without holding it."""
    return salted_hmac("accounts.credential", f"{secret}\n{user_agent}", algorithm="sha256").hexdigest()


def stored_fingerprint(archive_id: int, user_agent: str) -> str:
    """The fingerprint of the archive's credential with this User-Agent. Raises NoCredential or BrokenCredential."""
    return fingerprint(reveal(archive_id), user_agent)


def store(archive_id: int, secret: str, key: str = KEY) -> None:
    """Replace the archive's credential by this one, given in its normal form."""
    guard(secret, account=archive_id)
    with transaction.atomic():
        setting_rows.store(archive_id, key, encrypt(secret, key_in_force()))
        if key == KEY:
            cookie_lifetimes.begin(archive_id, secret)


def clear(archive_id: int, *keys: str) -> None:
    """Delete the archive's credential, and a second one; or those of these keys."""
    for key in keys or (KEY, TOKEN):
        setting_rows.delete(archive_id, key)


def changes(archive_id: int) -> list[datetime]:
    """When the credential and the settings that belong to it were last changed; none if there is no credential."""
    return list(changes_by_key(archive_id).values())


def changes_by_key(archive_id: int) -> dict[str, datetime]:
    """The same, by the keys of the settings."""
    stored = Setting.objects.filter(user_id=archive_id, key__in=[*settings_of(archive_id), TOKEN])
    changed = dict(stored.values_list("key", "updated_at"))
    return changed if changed.keys() & {KEY, TOKEN} else {}


def set_at(archive_id: int) -> datetime | None:
    """The instant at which the credential was set, None if there is none."""
    return Setting.objects.filter(user_id=archive_id, key=KEY).values_list("updated_at", flat=True).first()
