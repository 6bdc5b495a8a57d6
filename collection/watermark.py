"""The mark: the instant up to which every window of an account was read to its last page.

The rules: docs/decisions/collection.md#the-mark.

Rows come newest first, so a run that dies in a window leaves a hole before its newest record; only the mark shows it.
"""

from datetime import date, datetime, timedelta

from django.db.models import Q

from archive_site.lib import clock
from collection.models import Progress, Run
from collection.windows import SECOND
from usage.coverage import ledger_writes, left_windows


def mark(archive_id: int) -> datetime | None:
    return Progress.objects.filter(archive_id=archive_id).values_list("complete_through", flat=True).first()


def ensure_mark(archive_id: int, start: datetime) -> None:
    """Set the mark of an account that has none, before its first page; an existing mark stays.

    A mark in the future comes from a clock that ran ahead and is replaced: calls before it would never be read.
    """
    Progress.objects.get_or_create(archive_id=archive_id)
    none = Q(complete_through=None) | Q(complete_through__gt=clock.now())
    Progress.objects.filter(none, archive_id=archive_id).update(complete_through=start)


def move_mark(archive_id: int, to: datetime) -> None:
    """Move the mark forward, in the caller's transaction; never back."""
    Progress.objects.filter(archive_id=archive_id, complete_through__lt=to).update(complete_through=to)


def forget_mark(archive_id: int) -> None:
    """Let the next run begin as the first one does, in the caller's transaction."""
    Progress.objects.filter(archive_id=archive_id).update(complete_through=None)


def begin_range(archive_id: int, start: datetime, end: datetime) -> None:
    """Note a span that may have a hole until a run has read it: of a ranged run, or of calls that a filling found."""
    progress, _ = Progress.objects.get_or_create(archive_id=archive_id)
    progress.unfinished_from = min(start, progress.unfinished_from or start)
    progress.unfinished_to = max(end, progress.unfinished_to or end)
    progress.save(update_fields=["unfinished_from", "unfinished_to"])


def unfinished(archive_id: int) -> tuple[datetime, datetime] | None:
    """The span around everything that ranged runs left unfinished, and that filling prompts left to the next run."""
    progress = Progress.objects.filter(archive_id=archive_id).first() or Progress()
    start, end = progress.unfinished_from, progress.unfinished_to
    return (start, end) if start and end else None


def expected_through(archive_id: int) -> date:
    """The last day that a run should have read to its end: yesterday.

    After a run that ended well, or while one is under way, it is the day before the mark: later days are left to the
    next run. Days behind a window that is still to be read are not left to it.
    """
    yesterday = clock.today() - timedelta(days=1)
    complete = mark(archive_id)
    worked = Run.objects.filter(
        archive_id=archive_id, kind=Run.Kind.COLLECTION, is_ranged=False, started_at__isnull=False
    )
    status = worked.order_by("-pk").values_list("status", flat=True).first()
    if (
        complete is None
        or status in (Run.Status.FAILED, Run.Status.INTERRUPTED)
        or left_windows.failed(archive_id, is_over=False)
    ):
        return yesterday
    return min(yesterday, clock.local_day(complete) - timedelta(days=1))


def read_behind(archive_id: int, until: datetime) -> list[tuple[datetime, datetime]]:
    """What needs no further reading behind a mark that a window holds which could not be read, up to `until`.

    Settled days, and windows that are not confirmed: these are read again in their turn. Read as parts of a whole week,
    the one would be settled no more, and the other would grow.
    """
    complete = mark(archive_id)
    if complete is None or complete >= until:
        return []
    span = complete + SECOND, until
    unread = left_windows.failed_days(archive_id)
    settled = [
        (max(clock.day_start(day), span[0]), min(clock.day_end(day), until))
        for day in ledger_writes.settled(archive_id, *map(clock.local_day, span))
        if day.isoformat() not in unread
    ]
    return [*left_windows.unconfirmed(archive_id, span), *settled]


def read_until(archive_id: int) -> datetime | None:
    """The instant until which the calls of the last days were read: the mark, or the end of the last collection, which
    may have been of a span that was asked for."""
    ended_well = Run.objects.filter(archive_id=archive_id, kind=Run.Kind.COLLECTION, status=Run.Status.OK)
    last = ended_well.order_by("-pk").values_list("win_to", flat=True).first()
    return max((at for at in (mark(archive_id), last) if at), default=None)


def shrink_range(archive_id: int, start: datetime, end: datetime) -> None:
    """Note that the beginning of the unfinished span was read, in the caller's transaction."""
    begun = Progress.objects.filter(
        archive_id=archive_id, unfinished_from__gte=start, unfinished_from__lte=end, unfinished_to__gt=end
    )
    begun.update(unfinished_from=end + SECOND)


def finish_range(archive_id: int, start: datetime, end: datetime) -> None:
    """Note that a span was read to its end, which finishes an unfinished span within it."""
    covered = Progress.objects.filter(archive_id=archive_id, unfinished_from__gte=start, unfinished_to__lte=end)
    covered.update(unfinished_from=None, unfinished_to=None)


def leave_range(archive_id: int, before: datetime) -> None:
    """Leave alone what an unfinished span has from before an instant."""
    unfinished = Progress.objects.filter(archive_id=archive_id, unfinished_from__lt=before)
    unfinished.filter(unfinished_to__lt=before).update(unfinished_from=None, unfinished_to=None)
    unfinished.update(unfinished_from=before)


def default_start(archive_id: int, *, rewind_minutes: int, range_days: int) -> datetime:
    """Where a run without `from` starts: `rewind_minutes` before the mark, or `range_days` back if there is no mark.

    A mark more than `rewind_minutes` in the future does not count: it comes from a clock that ran ahead.
    """
    complete = mark(archive_id)
    start = complete and complete - timedelta(minutes=rewind_minutes)
    if start is None or start > clock.now():
        return clock.day_start(clock.today() - timedelta(days=range_days - 1))
    return start
