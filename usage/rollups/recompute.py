"""The rollups by group and by hour: always computed again from the records, never incremented, so they cannot drift."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from archive_site.lib.storage.sql import execute_many
from usage.data_version import raise_version
from usage.models import Record
from usage.rollups import day_totals, purpose_totals
from usage.rollups.differing_rows import differing

Group = tuple[str, str, str]  # day, model, client
Hour = tuple[str, int]  # day, hour

_OF_GROUP = "user_id = %s AND day = %s AND model = %s AND client = %s"
_FREE = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
_COUNTED = f"SUM(credits), COUNT(*), {_FREE} FROM usage_record"
_CLEAR_PURPOSES = f"DELETE FROM usage_daypurposegroup WHERE {_OF_GROUP}"  # noqa: S608 - a constant
_FILL_PURPOSES = f"""
    INSERT INTO usage_daypurposegroup (user_id, day, model, client, agent_purpose, credits, calls, free)
    SELECT user_id, day, model, client, agent_purpose, {_COUNTED}
    WHERE {_OF_GROUP} GROUP BY user_id, day, model, client, agent_purpose"""  # noqa: S608 - a constant
_CLEAR_GROUP = f"DELETE FROM usage_daygroup WHERE {_OF_GROUP}"  # noqa: S608 - a constant
_FILL_GROUP = f"""
    INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free)
    SELECT user_id, day, model, client, SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposegroup
    WHERE {_OF_GROUP} GROUP BY user_id, day, model, client"""  # noqa: S608 - a constant
_CLEAR_HOUR = "DELETE FROM usage_dayhour WHERE user_id = %s AND day = %s AND hour = %s"
_FILL_HOUR = f"""
    INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free)
    SELECT %s, %s, %s, {_COUNTED}
    WHERE user_id = %s AND ts >= %s AND ts <= %s HAVING COUNT(*) > 0"""  # noqa: S608 - a constant


def compute_again(user_id: int, groups: Iterable[Group], hours: Iterable[Hour]) -> None:
    """Compute these groups and hours of an account again from its records, in the caller's transaction.

    All purposes of a group are computed at once: that takes fewer statements than one by one.
    """
    by_group = [(user_id, *group) for group in groups]
    by_hour = [(user_id, *hour) for hour in hours]
    for statement in (_CLEAR_PURPOSES, _FILL_PURPOSES, _CLEAR_GROUP, _FILL_GROUP):
        execute_many(statement, by_group)
    execute_many(_CLEAR_HOUR, by_hour)
    execute_many(
        _FILL_HOUR,
        [(*key, user_id, f"{key[1]} {key[2]:02}:00:00", f"{key[1]} {key[2]:02}:59:59") for key in by_hour],
    )
    day_totals.compute_again(user_id, {key[1] for key in by_group + by_hour})
    purpose_totals.compute_again(user_id, {key[1] for key in by_group})


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
        hours = differing(user_id, "usage_dayhour", ("day", "hour"), _COUNTED)
        compute_again(user_id, {row[:3] for row in [*purposes, *groups]}, hours)
        mended = len(purposes) + len(groups) + len(hours) + day_totals.mend(user_id) + purpose_totals.mend(user_id)
        if mended:
            raise_version(user_id)
        records = Record.objects.filter(user_id=user_id).count()
    return Recount(records, mended)
