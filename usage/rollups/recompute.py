"""The rollups by group and by hour: always computed again from the records, never incremented, so they cannot drift."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from archive_site.lib.storage import engine
from archive_site.lib.storage.keyed import execute_for_keys
from archive_site.lib.storage.sql import SqlRow, execute_many
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage import horizon, stored_size
from usage.data_version import raise_version
from usage.models import Record
from usage.proofs import day_proofs
from usage.rollups import day_measures, day_totals, month_sums, purpose_totals
from usage.rollups.differing_rows import differing

Group = tuple[str, str, str]  # day, model, client
Hour = tuple[str, int]  # day, hour

_DAY = {"user_id": "bigint", "day": "text"}
_GROUP = {**_DAY, "model": "text", "client": "text"}
_HOUR = {**_DAY, "hour": "smallint"}
# From this number of touched groups on, all groups of a day are computed at once: one statement costs about as much as
# the records of a day.
_MANY_GROUPS = 8
_FREE = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
_COUNTED = f"SUM(credits), COUNT(*), {_FREE} FROM usage_record"
_CLEAR_PURPOSES = "DELETE FROM usage_daypurposegroup WHERE {keys}"
_CLEAR_GROUP = "DELETE FROM usage_daygroup WHERE {keys}"


def _update(table: str) -> str:
    """Rows that stay are updated in place, and only where they differ: no index of a rollup changes then."""
    columns = ("credits", "calls", "free")
    new = ", ".join(f"{column} = excluded.{column}" for column in columns)
    differs = " OR ".join(f"{table}.{column} <> excluded.{column}" for column in columns)
    return f"DO UPDATE SET {new} WHERE {differs}"


_FILL_PURPOSES = f"""
    INSERT INTO usage_daypurposegroup (user_id, day, model, client, agent_purpose, credits, calls, free)
    SELECT user_id, day, model, client, agent_purpose, {_COUNTED}
    WHERE {{keys}} GROUP BY user_id, day, model, client, agent_purpose
    ON CONFLICT (user_id, day, model, client, agent_purpose) {_update("usage_daypurposegroup")}"""  # noqa: S608 - a constant


_FILL_GROUP = f"""
    INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free)
    SELECT user_id, day, model, client, SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposegroup
    WHERE {{keys}} GROUP BY user_id, day, model, client
    ON CONFLICT (user_id, day, model, client) {_update("usage_daygroup")}"""  # noqa: S608 - a constant


_CLEAR_PURPOSE_HOURS = "DELETE FROM usage_daypurposehour WHERE {keys}"
_FILL_PURPOSE_HOURS = f"""
    INSERT INTO usage_daypurposehour (user_id, day, hour, agent_purpose, credits, calls, free)
    SELECT %s, %s, %s, agent_purpose, {_COUNTED}
    WHERE user_id = %s AND ts >= %s AND ts <= %s GROUP BY agent_purpose
    ON CONFLICT (user_id, day, hour, agent_purpose) {_update("usage_daypurposehour")}"""  # noqa: S608 - a constant
_FILL_PURPOSE_HOURS_AT_ONCE = f"""
    INSERT INTO usage_daypurposehour (user_id, day, hour, agent_purpose, credits, calls, free)
    SELECT user_id, day, hour, agent_purpose, {_COUNTED}
    WHERE {{keys}} GROUP BY user_id, day, hour, agent_purpose
    ON CONFLICT (user_id, day, hour, agent_purpose) {_update("usage_daypurposehour")}"""  # noqa: S608 - a constant
_CLEAR_HOUR = "DELETE FROM usage_dayhour WHERE {keys}"
_FILL_HOUR = f"""
    INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free)
    SELECT user_id, day, hour, SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposehour
    WHERE {{keys}} GROUP BY user_id, day, hour
    ON CONFLICT (user_id, day, hour) {_update("usage_dayhour")}"""  # noqa: S608 - a constant

# The rollups that are computed from the records, with the rest of their key: of groups (0) or hours (1).
_COMPARED = (
    ("usage_daypurposegroup", 0, ("model", "client", "agent_purpose")),
    ("usage_daygroup", 0, ("model", "client")),
    ("usage_daypurposehour", 1, ("hour", "agent_purpose")),
    ("usage_dayhour", 1, ("hour",)),
)


def compute_again(
    archive_id: int,
    groups: Iterable[Group],
    hours: Iterable[Hour],
    days: Iterable[str] = (),
    *,
    measured: Iterable[str] = (),
    only_added: bool = False,
) -> None:
    """Compute these groups, hours and days of an account again from its records, in the caller's transaction.

    `measured` are the days of those of the records that have measures.
    All purposes of a group or hour are computed at once: that takes fewer statements than one by one. `only_added`
    saves the deletion of rows that may be without records, which are none if records were only added. Erased days are
    left alone: their records are gone, and their sums stay.
    """
    kept_from = horizon.calls_from(archive_id)
    by_group = [(archive_id, *group) for group in groups if group[0] >= kept_from]
    by_hour = [(archive_id, *hour) for hour in hours if hour[0] >= kept_from]
    if not only_added:
        for clear in (_CLEAR_PURPOSES, _CLEAR_GROUP):
            execute_for_keys(clear, _GROUP, by_group)
        for clear in (_CLEAR_PURPOSE_HOURS, _CLEAR_HOUR):
            execute_for_keys(clear, _HOUR, by_hour)
    touched = Counter(key[1] for key in by_group)
    whole = [(archive_id, day) for day, number in touched.items() if number >= _MANY_GROUPS]
    single = [key for key in by_group if touched[key[1]] < _MANY_GROUPS]
    for fill in (_FILL_PURPOSES, _FILL_GROUP):
        execute_for_keys(fill, _DAY, whole)
    for fill in (_FILL_PURPOSES, _FILL_GROUP):
        execute_for_keys(fill, _GROUP, single)
    _fill_purpose_hours(by_hour)
    execute_for_keys(_FILL_HOUR, _HOUR, by_hour)
    all_days = {key[1] for key in by_group + by_hour} | {day for day in days if day >= kept_from}
    day_totals.compute_again(archive_id, all_days, only_added=only_added)
    purpose_totals.compute_again(archive_id, {key[1] for key in by_hour}, only_added=only_added)
    measured = {day for day in measured if day >= kept_from}
    day_measures.compute_again(archive_id, measured, only_added=only_added)
    month_sums.forget(archive_id, all_days)
    day_proofs.forget(archive_id, all_days | measured)


def _fill_purpose_hours(by_hour: list[tuple[int, str, int]]) -> None:
    if not engine.IS_SQLITE:
        execute_for_keys(_FILL_PURPOSE_HOURS_AT_ONCE, _HOUR, by_hour)
        return
    # By time: that index leads to the records of an hour.
    spans = [(archive_id, f"{day} {hour:02}:00:00", f"{day} {hour:02}:59:59") for archive_id, day, hour in by_hour]
    execute_many(_FILL_PURPOSE_HOURS, [(*key, *span) for key, span in zip(by_hour, spans, strict=True)])


@dataclass(frozen=True)
class Recount:
    """The result of a recount: the number of records, and how many wrong rollup rows were repaired."""

    records: int
    repaired: int


def recount(archive_id: int) -> Recount:
    """Compare the rollups with the records, and repair the differences day by day.

    Only a repair locks the store, for one day (docs/decisions/store.md#long-writes-in-parts). One that breaks off
    leaves the other days as they were.
    """
    repaired = sum(
        _repair(archive_id, {row[:3] for row in groups}, {row[:2] for row in hours}, len(groups) + len(hours))
        for groups, hours in _wrong_rows(archive_id)
    )
    repaired += day_totals.repair(archive_id) + purpose_totals.repair(archive_id) + month_sums.repair(archive_id)
    repaired += day_measures.repair(archive_id) + stored_size.repair(archive_id)
    return Recount(Record.objects.filter(archive_id=archive_id).count(), repaired)


def _wrong_rows(archive_id: int) -> list[tuple[list[SqlRow], list[SqlRow]]]:
    """The keys of the wrong rows of each day: those of groups, and those of hours."""
    days: dict[str, tuple[list[SqlRow], list[SqlRow]]] = defaultdict(lambda: ([], []))
    for rollup, kind, key in _COMPARED:
        for row in differing(archive_id, rollup, ("day", *key), _COUNTED):
            days[row[0]][kind].append(row)
    return list(days.values())


def _repair(archive_id: int, groups: set[Group], hours: set[Hour], number: int) -> int:
    """Compute these again in one part; gives `number`, how many rows were wrong."""
    with Parts(1, most=1).part():
        lock_archive(archive_id)
        compute_again(archive_id, groups, hours)
        raise_version(archive_id)
    return number
