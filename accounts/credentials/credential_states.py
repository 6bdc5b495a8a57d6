"""Whether the credentials of all accounts can be read, in one query, for `/metrics` (docs/metrics.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from accounts.credentials import credential
from accounts.credentials.credential_forms import settings_of_all
from accounts.credentials.instance_key import key_in_force
from archive_site.lib.storage.sql import fetch, instant, marks

# The database keeps to the order of a CROSS JOIN: the accounts have many more settings than these.
_QUERY = """
    SELECT s.user_id, s.key, s.value, CAST(s.updated_at AS TEXT) FROM accounts_user u
    CROSS JOIN accounts_setting s WHERE s.user_id = u.id AND s.key IN ({keys})"""


@dataclass(frozen=True)
class StoredCredential:
    """A credential that is set: whether it can be read, its end if it names one, and the last change of it or
    of a setting that belongs to it."""

    is_readable: bool
    ends_at: datetime | None
    changed_at: datetime


class CredentialStates:
    """Decrypts each credential once for each key: to decrypt a thousand takes longer than everything else."""

    def __init__(self) -> None:
        self._key = ""
        self._opened: dict[int, tuple[int, credential.Opened]] = {}

    def by_account(self) -> dict[int, StoredCredential]:
        """The credentials of all accounts that have one."""
        key = key_in_force()
        if key != self._key:
            self._key, self._opened = key, {}
        keys = settings_of_all()
        changed: dict[int, datetime] = {}
        stored_ones: dict[int, str] = {}
        for user_id, name, value, updated_at in fetch(_QUERY.format(keys=marks(keys)), keys):
            at = instant(updated_at)
            changed[user_id] = max(at, changed.get(user_id, at))
            if name == credential.KEY:
                stored_ones[user_id] = value
        self._opened = dict(self._look(stored_ones))
        return {
            user_id: StoredCredential(opened.is_readable, opened.ends_at, changed[user_id])
            for user_id, (_, opened) in self._opened.items()
        }

    def _look(self, stored_ones: dict[int, str]) -> Iterator[tuple[int, tuple[int, credential.Opened]]]:
        for user_id, stored in stored_ones.items():
            mark = hash(stored)
            known, opened = self._opened.get(user_id, (None, None))
            if opened is None or known != mark:
                opened = credential.opened(user_id, stored, self._key)
            yield user_id, (mark, opened)
