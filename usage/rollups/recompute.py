"""The rollups by group and by hour: always computed again from the records, never incremented, so they cannot drift."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Q, Sum

from archive_site.lib.storage.sql import execute_many
from usage.data_version import raise_version
from usage.models import DayGroup, DayHour, Record
from usage.rollups import day_totals

Group = tuple[str, str, str]  # day, model, client
Hour = tuple[str, int]  # day, hour

_FREE = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
_CLEAR_GROUP = "DELETE FROM usage_daygroup WHERE user_id = %s AND day = %s AND model = %s AND client = %s"
_FILL_GROUP = f"""
    INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free)
    SELECT user_id, day, model, client, SUM(credits), COUNT(*), {_FREE} FROM usage_record
    WHERE user_id = %s AND day = %s AND model = %s AND client = %s GROUP BY user_id, day, model, client"""  # noqa: S608 - a constant
_CLEAR_HOUR = "DELETE FROM usage_dayhour WHERE user_id = %s AND day = %s AND hour = %s"
_FILL_HOUR = f"""
    INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free)
    SELECT %s, %s, %s, SUM(credits), COUNT(*), {_FREE} FROM usage_record
    WHERE user_id = %s AND ts >= %s AND ts <= %s HAVING COUNT(*) > 0"""  # noqa: S608 - a constant


def compute_again(user_id: int, groups: Iterable[Group], hours: Iterable[Hour], days: Iterable[str] = ()) -> None:
    """Compute these groups, hours and days of an account again from its records, in the caller's transaction."""
    by_group = [(user_id, *group) for group in groups]
    by_hour = [(user_id, *hour) for hour in hours]
    execute_many(_CLEAR_GROUP, by_group)
    execute_many(_FILL_GROUP, by_group)
    execute_many(_CLEAR_HOUR, by_hour)
    execute_many(
        _FILL_HOUR,
        [(*key, user_id, f"{key[1]} {key[2]:02}:00:00", f"{key[1]} {key[2]:02}:59:59") for key in by_hour],
    )
    day_totals.compute_again(user_id, {key[1] for key in by_group + by_hour} | set(days))


@dataclass(frozen=True)
class Recount:
    """The result of a recount: the number of records, and how many wrong rollup rows were repaired."""

    records: int
    mended: int


def recount(user_id: int) -> Recount:
    """Compare the rollups with the records and repair the differences, in one transaction."""
    with transaction.atomic():
        groups, hours = _differences(user_id)
        compute_again(user_id, groups, hours)
        mended = len(groups) + len(hours) + day_totals.mend(user_id)
        if mended:
            raise_version(user_id)
        records = Record.objects.filter(user_id=user_id).count()
    return Recount(records, mended)


def _differences(user_id: int) -> tuple[set[Group], set[Hour]]:
    records = Record.objects.filter(user_id=user_id)
    counted = {"sum": Sum("credits"), "calls": Count("*"), "free": Count("pk", filter=Q(credits=0))}
    figures = ("credits", "calls", "free")
    groups = set(records.values_list("day", "model", "client").annotate(**counted))
    kept_groups = set(DayGroup.objects.filter(user_id=user_id).values_list("day", "model", "client", *figures))
    hours = set(records.values_list("day", "hour").annotate(**counted))
    kept_hours = set(DayHour.objects.filter(user_id=user_id).values_list("day", "hour", *figures))
    return {row[:3] for row in groups ^ kept_groups}, {row[:2] for row in hours ^ kept_hours}
