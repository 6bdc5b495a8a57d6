"""How much each account stores, kept beside the data versions of its archives by the writes that store, move and
delete records and bills (docs/decisions/accounts.md#what-an-account-stores)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from accounts import archives
from accounts.config import ACCOUNT_LIMIT, MEGABYTE, account_limit
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import execute, fetch, marks
from archive_site.lib.storage.transaction_locks import lock_archive, take_lock
from archive_site.lib.storage.write_parts import Parts
from archive_site.lib.stored_message import Message
from usage.data_version import raise_version
from usage.models import DataVersion

# What a record counts beside its prompt: its row with the indexes, sums and its entry in the log of changes.
RECORD_BYTES = 1000
# What a sum of a bill counts: its row with the index.
SUM_BYTES = 150
# What the sums of one hour, model, client and purpose of an erased day count: their row, and the rollups beside it.
ERASED_BYTES = 200
# How often a sum is compared that changes meanwhile.
_TRIES = 3
_GROW = f"""
    INSERT INTO usage_dataversion (user_id, number, changed_at, stored_bytes) VALUES (%s, 1, %s, %s)
    ON CONFLICT (user_id) DO UPDATE SET number = usage_dataversion.number + 1, changed_at = excluded.changed_at,
    stored_bytes = usage_dataversion.stored_bytes + excluded.stored_bytes
    RETURNING stored_bytes, {ACCOUNT_LIMIT}"""  # noqa: S608 - a constant
_BYTES = f"SUM({RECORD_BYTES} + COALESCE({engine.BYTES_OF.format('p.text')}, 0))"
_RECORDS = "FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id"
_ADD = f"""
    WITH part AS (SELECT r.user_id, {_BYTES} AS bytes {_RECORDS} WHERE r.id IN ({{marks}}) GROUP BY r.user_id)
    UPDATE usage_dataversion SET stored_bytes = stored_bytes + %s * part.bytes FROM part
    WHERE part.user_id = usage_dataversion.user_id"""  # noqa: S608 - constants
_KEPT = "COALESCE((SELECT stored_bytes FROM usage_dataversion WHERE user_id = %s), 0)"
_SUMS = (
    f"{SUM_BYTES} * (SELECT COUNT(*) FROM usage_billday WHERE user_id = %s) + "  # noqa: S608 - constants
    f"{ERASED_BYTES} * (SELECT COUNT(*) FROM usage_erasedsums WHERE user_id = %s)"
)
# In one statement, so that both are of one moment.
_COMPARED = f"SELECT {_KEPT}, COALESCE({_BYTES}, 0) + {_SUMS} {_RECORDS} WHERE r.user_id = %s"  # noqa: S608 - constants
_SET = "UPDATE usage_dataversion SET stored_bytes = %s WHERE user_id = %s AND stored_bytes = %s RETURNING 1"


@dataclass(frozen=True)
class StoredSize:
    """How many bytes an account stores, and how many it may store: None without a limit."""

    used: int
    most: int | None

    @property
    def words(self) -> dict[str, str]:
        """Both in megabytes, as pages show them; `most` is empty without a limit."""
        return {"used": megabytes(self.used), "most": "" if self.most is None else megabytes(self.most)}


class AccountFull(Exception):
    """The account may not store as much as a page of records would add; nothing of the page is stored."""

    def __init__(self, used: int, most: int):
        super().__init__(f"{used} of {most} bytes are used")
        self.message = Message("account_full", used=megabytes(used), most=megabytes(most))


class SumsFull(AccountFull):
    """The sum of an archive's amounts would have more than 63 bits."""

    def __init__(self, unit: str):
        super().__init__(0, 0)
        self.message = Message("sums_full", unit=unit)


class HistoryFull(AccountFull):
    """The texts of imported runs, which are counted by themselves, would exceed the limit of the account."""

    def __init__(self, used: int, most: int):
        super().__init__(used, most)
        self.message = Message("history_full", used=megabytes(used), most=megabytes(most))


def note_growth(archive_id: int, growth: int) -> None:
    """Raise the archive's data version and note how many bytes more it stores, in the caller's transaction.

    Raises AccountFull if they are more than the limit of the instance leaves; what adds nothing always passes.
    """
    most = note_other_size(archive_id, growth)
    if growth <= 0 or most is None:
        return
    owner = archives.owner_of(archive_id)
    # Two archives of an account cannot both take the last room.
    take_lock(f"stored by {owner}")
    stored = of_account(owner).used
    if stored > most:
        raise AccountFull(stored - growth, most)


def note_other_size(archive_id: int, growth: int) -> int | None:
    """The same for what the account has already, which passes without room; gives what it may use."""
    at = connection.ops.adapt_datetimefield_value(clock.now())
    [(_, limit)] = fetch(_GROW, [archive_id, at, growth])
    return account_limit(limit)


def note_removed(ids: Sequence[int]) -> None:
    """Note that these records, which are still there, go, in the caller's transaction."""
    _add(ids, -1)


def note_moved(ids: Sequence[int]) -> None:
    """Note that these records have come to their account, which has a data version, in the caller's transaction."""
    _add(ids, 1)


def of_account(user_id: int) -> StoredSize:
    """What the archives of an account use together, and what it may use. One query."""
    [(used, limit)] = fetch(
        f"SELECT COALESCE(SUM(stored_bytes), 0), {ACCOUNT_LIMIT} FROM usage_dataversion "  # noqa: S608 - constants, placeholders
        # Not with OR, which uses no index beside a query.
        f"WHERE user_id IN ({archives.OF_ACCOUNT} UNION SELECT CAST(%s AS bigint))",
        [user_id, user_id],
    )
    return StoredSize(int(used), account_limit(limit))


def of_all() -> dict[int, int]:
    """The bytes that each account stores, except those that never had any. Two queries."""
    return archives.by_account(DataVersion.objects.values_list("archive_id", "stored_bytes"))


def limit() -> int | None:
    """How many bytes an account may store; None without a limit."""
    [(stored,)] = fetch(f"SELECT {ACCOUNT_LIMIT}")
    return account_limit(stored)


def repair(archive_id: int) -> bool:
    """Count again what an account stores, without a lock, and repair the sum; return whether it was wrong.

    A sum that changes all the while is left to the next time.
    """
    for _ in range(_TRIES):
        [(kept, counted)] = fetch(_COMPARED, [archive_id] * 4)
        if kept == counted:
            return False
        with Parts(1, most=1).part():
            lock_archive(archive_id)
            raise_version(archive_id)
            # Whoever changed it meanwhile changed the records by as much, or has repaired it.
            if fetch(_SET, [counted, archive_id, kept]):
                return True
    return False


def megabytes(size: int) -> str:
    """A number of bytes in megabytes, such as `1,024.5`."""
    return f"{size / MEGABYTE:,.1f}"


def _add(ids: Sequence[int], sign: int) -> None:
    if ids:
        execute(_ADD.format(marks=marks(ids)), [*ids, sign])
