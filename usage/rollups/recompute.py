"""The rollups by group and by hour: always computed again from the records, never incremented, so they cannot drift."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from archive_site.lib.storage.sql import execute_many
from usage.data_version import raise_version
from usage.models import Record
from usage.rollups import day_totals, month_sums, purpose_totals
from usage.rollups.differing_rows import differing

Group = tuple[str, str, str]  # day, model, client
Hour = tuple[str, int]  # day, hour

_OF_DAY = "user_id = %s AND day = %s"
_OF_GROUP = f"{_OF_DAY} AND model = %s AND client = %s"
# From this number of touched groups on, all groups of a day are computed at once: one statement costs about as much as
# the records of a day.
_MANY_GROUPS = 8
_FREE = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
_COUNTED = f"SUM(credits), COUNT(*), {_FREE} FROM usage_record"
_CLEAR_PURPOSES = f"DELETE FROM usage_daypurposegroup WHERE {_OF_GROUP}"  # noqa: S608 - a constant
_CLEAR_GROUP = f"DELETE FROM usage_daygroup WHERE {_OF_GROUP}"  # noqa: S608 - a constant


def _update(table: str) -> str:
    """Rows that stay are updated in place, and only where they differ: no index of a rollup changes then."""
    columns = ("credits", "calls", "free")
    new = ", ".join(f"{column} = excluded.{column}" for column in columns)
    differs = " OR ".join(f"{table}.{column} <> excluded.{column}" for column in columns)
    return f"DO UPDATE SET {new} WHERE {differs}"


def _fill_purposes(condition: str) -> str:
    return f"""
    INSERT INTO usage_daypurposegroup (user_id, day, model, client, agent_purpose, credits, calls, free)
    SELECT user_id, day, model, client, agent_purpose, {_COUNTED}
    WHERE {condition} GROUP BY user_id, day, model, client, agent_purpose
    ON CONFLICT (user_id, day, model, client, agent_purpose) {_update("usage_daypurposegroup")}"""  # noqa: S608 - a constant


def _fill_group(condition: str) -> str:
    return f"""
    INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free)
    SELECT user_id, day, model, client, SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposegroup
    WHERE {condition} GROUP BY user_id, day, model, client
    ON CONFLICT (user_id, day, model, client) {_update("usage_daygroup")}"""  # noqa: S608 - a constant


_FILL_PURPOSES, _FILL_PURPOSES_OF_DAY = _fill_purposes(_OF_GROUP), _fill_purposes(_OF_DAY)
_FILL_GROUP, _FILL_GROUPS_OF_DAY = _fill_group(_OF_GROUP), _fill_group(_OF_DAY)
_OF_HOUR = "user_id = %s AND day = %s AND hour = %s"
_CLEAR_PURPOSE_HOURS = f"DELETE FROM usage_daypurposehour WHERE {_OF_HOUR}"  # noqa: S608 - a constant
_FILL_PURPOSE_HOURS = f"""
    INSERT INTO usage_daypurposehour (user_id, day, hour, agent_purpose, credits, calls, free)
    SELECT %s, %s, %s, agent_purpose, {_COUNTED}
    WHERE user_id = %s AND ts >= %s AND ts <= %s GROUP BY agent_purpose
    ON CONFLICT (user_id, day, hour, agent_purpose) {_update("usage_daypurposehour")}"""  # noqa: S608 - a constant
_CLEAR_HOUR = f"DELETE FROM usage_dayhour WHERE {_OF_HOUR}"  # noqa: S608 - a constant
_FILL_HOUR = f"""
    INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free)
    SELECT user_id, day, hour, SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposehour
    WHERE {_OF_HOUR} GROUP BY user_id, day, hour
    ON CONFLICT (user_id, day, hour) {_update("usage_dayhour")}"""  # noqa: S608 - a constant


def compute_again(
    user_id: int, groups: Iterable[Group], hours: Iterable[Hour], days: Iterable[str] = (), *, only_added: bool = False
) -> None:
    """Compute these groups, hours and days of an account again from its records, in the caller's transaction.

    All purposes of a group or hour are computed at once: that takes fewer statements than one by one. `only_added`
    saves the deletion of rows that may be without records, which are none if records were only added.
    """
    by_group = [(user_id, *group) for group in groups]
    by_hour = [(user_id, *hour) for hour in hours]
    if not only_added:
        for clear, keys in ((_CLEAR_PURPOSES, by_group), (_CLEAR_GROUP, by_group),
                            (_CLEAR_PURPOSE_HOURS, by_hour), (_CLEAR_HOUR, by_hour)):  # fmt: skip
            execute_many(clear, keys)
    touched = Counter(key[1] for key in by_group)
    whole = [(user_id, day) for day, number in touched.items() if number >= _MANY_GROUPS]
    single = [key for key in by_group if touched[key[1]] < _MANY_GROUPS]
    execute_many(_FILL_PURPOSES_OF_DAY, whole)
    execute_many(_FILL_GROUPS_OF_DAY, whole)
    execute_many(_FILL_PURPOSES, single)
    execute_many(_FILL_GROUP, single)
    execute_many(
        _FILL_PURPOSE_HOURS,
        [(*key, user_id, f"{key[1]} {key[2]:02}:00:00", f"{key[1]} {key[2]:02}:59:59") for key in by_hour],
    )
    execute_many(_FILL_HOUR, by_hour)
    all_days = {key[1] for key in by_group + by_hour} | set(days)
    day_totals.compute_again(user_id, all_days, only_added=only_added)
    purpose_totals.compute_again(user_id, {key[1] for key in by_hour}, only_added=only_added)
    month_sums.forget(user_id, all_days)


@dataclass(frozen=True)
class Recount:
    """The result of a recount: the number of records, and how many wrong rollup rows were repaired."""

    records: int
    mended: int


def recount(user_id: int) -> Recount:
    """Compare the rollups with the records and repair the differences, in one transaction."""
    with transaction.atomic():
        purposes = differing(user_id, "usage_daypurposegroup", ("day", "model", "client", "agent_purpose"), _COUNTED)
        groups = differing(user_id, "usage_daygroup", ("day", "model", "client"), _COUNTED)
        purpose_hours = differing(user_id, "usage_daypurposehour", ("day", "hour", "agent_purpose"), _COUNTED)
        hours = differing(user_id, "usage_dayhour", ("day", "hour"), _COUNTED)
        wrong = [*purposes, *groups, *purpose_hours, *hours]
        compute_again(
            user_id,
            {row[:3] for row in [*purposes, *groups]},
            {row[:2] for row in [*purpose_hours, *hours]},
        )
        mended = len(wrong) + day_totals.mend(user_id) + purpose_totals.mend(user_id) + month_sums.mend(user_id)
        if mended:
            raise_version(user_id)
        records = Record.objects.filter(user_id=user_id).count()
    return Recount(records, mended)
