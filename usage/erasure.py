"""Erases an archive in parts, so that other readers and writers do not wait long."""

import time
from collections.abc import Iterator

from django.db.models import Model, QuerySet
from django.db.models.functions import Coalesce, Length

from archive_site.lib.storage.deletion import ROWS, delete_in_parts, first_rows, parts_by_text
from archive_site.lib.storage.sql import execute, fetch, marks
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage.change_log.writes import forget_records
from usage.models import (
    ROLLUPS,
    ROLLUPS_OF_MONTHS,
    BillDay,
    BillRead,
    Budget,
    CoverageDay,
    DataVersion,
    DayMeasures,
    DayProof,
    ErasedSums,
    Horizon,
    LeftWindow,
    Order,
    Package,
    PackageReading,
    PackagesRead,
    Reach,
    Record,
    RemovedRecord,
    SpentReading,
)
from usage.proofs import day_proofs
from usage.search import engine_index as search_index
from usage.stored_size import note_removed

# The most rows of a rollup that a part erases.
ROWS_OF_SUMS = 5000


def erase_archive(archive_id: int, *, seconds: float | None = None) -> bool:
    """Erase an archive's records with their prompts and sums, its ledger, packages and budgets, for at most `seconds`.

    Return whether all are gone. An interrupted erasure can be started again at any point, and two may work at once.
    """
    until = None if seconds is None else time.monotonic() + seconds
    return all(until is None or time.monotonic() <= until for _ in _parts(archive_id))


def delete_records(ids: list[int]) -> None:
    """Delete records with their prompts, measures and search index entries, in the caller's transaction."""
    if ids:
        note_removed(ids)
        search_index.remove(search_index.stored(ids))
        forget_records(ids)
        execute(f"DELETE FROM usage_recordmeasures WHERE record_id IN ({marks(ids)})", ids)  # noqa: S608 - placeholders only, bound values
        execute(f"DELETE FROM usage_prompt WHERE record_id IN ({marks(ids)})", ids)  # noqa: S608 - placeholders only, bound values
        execute(f"DELETE FROM usage_record WHERE id IN ({marks(ids)})", ids)  # noqa: S608 - placeholders only, bound values


def erase_sums(archive_id: int) -> Iterator[None]:
    """Delete an account's rollups part by part, and the sums of erased days."""
    # Those of months last: while daily sums exist, the housekeeping may compute them again.
    for model in (ErasedSums, *ROLLUPS, DayMeasures, *ROLLUPS_OF_MONTHS):
        yield from _erase_by_key(model, archive_id)


def erase_removals(archive_id: int) -> Iterator[int]:
    """Forget which records were removed from an archive, part by part."""
    return delete_in_parts(RemovedRecord.objects.filter(archive_id=archive_id))


def erase_statements(archive_id: int, *, with_packages: bool = True) -> Iterator[None]:
    """Delete what a source said of an archive beside its calls: bills, packages and orders, part by part."""
    for statement in (DayProof, BillDay, BillRead, SpentReading):
        yield from _erase_by_key(statement, archive_id)
    if with_packages:
        yield from erase_packages(archive_id)


def erase_packages(archive_id: int) -> Iterator[None]:
    """Delete the packages of an archive, with their course, and its orders, part by part."""
    for statement in (PackageReading, Package, Order):
        yield from _erase_by_key(statement, archive_id)
    PackagesRead.objects.filter(archive_id=archive_id).delete()


def erase_readings(archive_id: int, *, with_packages: bool = True) -> Iterator[object]:
    """Delete what is known of the days of an archive, and what its source said beside calls, part by part."""
    yield from _erase_by_key(CoverageDay, archive_id)
    yield from erase_statements(archive_id, with_packages=with_packages)
    Reach.objects.filter(archive_id=archive_id).delete()
    yield from delete_in_parts(LeftWindow.objects.filter(archive_id=archive_id))


def lengths_of(records: "QuerySet[Record]") -> "QuerySet[Record, tuple[int, int]]":
    """The key of each record, and the characters of its prompt."""
    return records.values_list("pk", Coalesce(Length("prompt__text"), 0))


def _parts(archive_id: int) -> Iterator[object]:
    """Erase part by part, first the sums."""
    yield from erase_readings(archive_id)
    day_proofs.forget_bill(archive_id)
    yield from delete_in_parts(Budget.objects.filter(archive_id=archive_id))
    yield from erase_removals(archive_id)
    yield from erase_sums(archive_id)
    yield from _erase_records(archive_id)
    Horizon.objects.filter(archive_id=archive_id).delete()
    # Last: it has what is left.
    DataVersion.objects.filter(archive_id=archive_id).delete()


def _erase_by_key(model: type[Model], archive_id: int) -> Iterator[None]:
    """Delete an account's rows of a table whose key begins with the account, in the order of the key."""
    table, parts, is_last = model._meta.db_table, Parts(ROWS_OF_SUMS, most=ROWS_OF_SUMS), False
    columns = ", ".join(str(field.column) for field in model._meta.pk_fields if field.column != "user_id")
    key_after = f"SELECT {columns} FROM {table} WHERE user_id = %s ORDER BY user_id, {columns} LIMIT 1 OFFSET %s"  # noqa: S608 - names of the models
    while not is_last:
        found = fetch(key_after, [archive_id, parts.size])
        key: tuple[object, ...] = found[0] if found else ()
        before = f" AND ({columns}) < ({marks(key)})" if found else ""
        with parts.part():
            lock_archive(archive_id)
            execute(f"DELETE FROM {table} WHERE user_id = %s{before}", [archive_id, *key])  # noqa: S608 - names of the models
        is_last = not found
        yield


def _erase_records(archive_id: int) -> Iterator[None]:
    parts, records = parts_by_text(), Record.objects.filter(archive_id=archive_id)
    while True:
        ids, amount = first_rows(lengths_of(records)[:ROWS], parts.size)
        if not ids:
            return
        with parts.part(amount):
            lock_archive(archive_id)
            delete_records(ids)
        yield
