"""The mark: the instant up to which every window of an account was read to its last page.

Rows come newest first, so a run that dies in a window leaves a hole behind its newest record; only the mark knows.
"""

from datetime import datetime, timedelta

from archive_site.lib import clock
from collection.models import Progress


def mark(user_id: int) -> datetime | None:
    return Progress.objects.filter(user_id=user_id).values_list("complete_through", flat=True).first()


def ensure_mark(user_id: int, start: datetime) -> None:
    """Store where an account's archive begins to be complete, before its first page; an older mark stays."""
    Progress.objects.get_or_create(user_id=user_id, defaults={"complete_through": start})


def move_mark(user_id: int, to: datetime) -> None:
    """Move the mark forward, in the caller's transaction; never back."""
    Progress.objects.filter(user_id=user_id, complete_through__lt=to).update(complete_through=to)


def default_start(user_id: int, *, rewind_minutes: int, range_days: int) -> datetime:
    """Where a run without `from` starts: a little behind the mark, or `range_days` back where there is none."""
    complete = mark(user_id)
    if complete is None:
        return clock.day_start(clock.today() - timedelta(days=range_days - 1))
    return complete - timedelta(minutes=rewind_minutes)
