"""The slot marks of the schedule: for each account and time of day, the last day whose slot was served.

They are stored as settings `slot:<time>`, which the settings API neither shows nor writes. The scheduler reads and
sets them through these functions; a change of the schedule's times deletes the marks of other times.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime

from django.db.models import QuerySet

from accounts.models import Setting

SLOT_PREFIX = "slot:"
Marks = dict[str, date]


def by_account(until: date, accounts: Sequence[int] | None = None) -> dict[int, Marks]:
    """The marks of these accounts, or of all, without those after `until`: a clock ran ahead, and they would block all
    slots."""
    marks: dict[int, Marks] = {}
    rows = _rows() if accounts is None else _rows().filter(user_id__in=accounts)
    for archive_id, key, value in rows.values_list("user_id", "key", "value"):
        # A value that is no day does not count as a mark; the slot is due and gets a new one.
        with suppress(ValueError):
            day = date.fromisoformat(value)
            if day <= until:
                marks.setdefault(archive_id, {})[key.removeprefix(SLOT_PREFIX)] = day
    return marks


def set_mark(archive_id: int, time: str, day: date, now: datetime) -> None:
    """Note that the account's slot at `time` was served for `day`, in the caller's transaction."""
    Setting.objects.update_or_create(
        user_id=archive_id, key=SLOT_PREFIX + time, defaults={"value": day.isoformat(), "updated_at": now}
    )


def keep_only(times: Iterable[str]) -> None:
    """Delete, for all accounts, the marks of all other times, in the caller's transaction."""
    _rows().exclude(key__in=[SLOT_PREFIX + time for time in times]).delete()


def _rows() -> QuerySet[Setting]:
    return Setting.objects.filter(key__startswith=SLOT_PREFIX)
