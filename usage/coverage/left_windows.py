"""The windows that runs read again, since the source contradicted itself or gave nothing usable
(docs/decisions/collection.md#windows-that-are-read-again).

The caller holds the lease of the archive and raises its data version. Instants are aware and in whole seconds.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from archive_site.lib import clock
from usage.coverage.ledger_writes import NEXT_READING
from usage.models import CoverageDay, LeftWindow
from usage.source_traits import traits_of

SECOND = timedelta(seconds=1)
MOST_IN_A_RUN = 5
# How long after its first, second … reading a window is read again; the last one holds for all later readings.
WAITS = tuple(timedelta(hours=hours) for hours in (0, 1, 4, 16, 64, 192))
# An aware start and an aware end, both included.
Span = tuple[datetime, datetime]


def note(archive_id: int, span: Span, *, is_failed: bool, tries: int | None = None) -> None:
    """Note a window that is to be read again, in the caller's transaction.

    `tries` is how often it was read; where it is not given, it is that of the windows that this one replaces.
    """
    before = _subtract(archive_id, span)
    # What cannot be read now may have been read before.
    is_unconfirmed = not is_failed or any(left.is_unconfirmed for left in before)
    tries = tries or max([1, *(left.tries for left in before)])
    now = clock.now()
    # An old window gets one more reading: the source may not have it any more. First its good days are found.
    is_old = tries > 1 and now - span[1] >= traits_of(archive_id).text_given
    is_over = is_old and len(set(_days(span))) == 1
    again_at = None if is_over else now + WAITS[min(tries, len(WAITS)) - 1]
    window = LeftWindow(
        archive_id=archive_id,
        win_from=span[0],
        win_to=span[1],
        next_read_at=again_at,
        is_failed=is_failed,
        is_unconfirmed=is_unconfirmed,
        tries=tries,
    )
    if not is_old:
        _join_neighbours(window)
    window.save()
    if not is_failed:
        first, last = _days(span)
        settled = CoverageDay.objects.filter(
            archive_id=archive_id, day__gte=first, day__lte=last, settled_at__isnull=False
        )
        settled.update(settled_at=None, next_read_at=now + NEXT_READING)


def clear(archive_id: int, span: Span) -> None:
    """Note that a span was read as the source counts it, in the caller's transaction."""
    _subtract(archive_id, span)


def give_up(archive_id: int, before: datetime) -> None:
    """Read no window that ends before this instant again: the source does not give it any more."""
    waiting = LeftWindow.objects.filter(archive_id=archive_id, win_to__lt=before, next_read_at__isnull=False)
    waiting.update(next_read_at=None)


def due(archive_id: int, *, before: datetime | None = None) -> list[int]:
    """The keys of the windows that a run reads again now, the longest waiting first.

    One that waits longer than any wait was noted by a clock that ran ahead. With `before` only those that end before
    it, but all failed ones of these, also given up, those first that were read least often.
    """
    now = clock.now()
    chosen, order = Q(next_read_at__lte=now) | Q(next_read_at__gt=now + WAITS[-1]), "next_read_at"
    if before:
        chosen, order = (chosen | Q(is_failed=True)) & Q(win_to__lt=before), "tries"
    found = LeftWindow.objects.filter(chosen, archive_id=archive_id).order_by(order, "win_from")
    return list(found.values_list("pk", flat=True)[:MOST_IN_A_RUN])


def get(archive_id: int, pk: int) -> LeftWindow | None:
    return LeftWindow.objects.filter(archive_id=archive_id, pk=pk).first()


def is_given_up(archive_id: int, pk: int) -> bool:
    return LeftWindow.objects.filter(archive_id=archive_id, pk=pk, next_read_at=None).exists()


def failed(archive_id: int, *, is_over: bool | None = None) -> list[Span]:
    """The windows that could not be read, oldest first; `is_over` chooses by whether no run reads them again."""
    found = LeftWindow.objects.filter(archive_id=archive_id, is_failed=True).order_by("win_from")
    if is_over is not None:
        found = found.filter(next_read_at__isnull=is_over)
    return list(found.values_list("win_from", "win_to"))


def waiting_unconfirmed(archive_id: int) -> list[Span]:
    """The windows whose rows and count did not agree, and that a run reads again, oldest first."""
    found = LeftWindow.objects.filter(archive_id=archive_id, is_failed=False, next_read_at__isnull=False)
    return list(found.order_by("win_from").values_list("win_from", "win_to"))


def unconfirmed(archive_id: int, span: Span) -> list[Span]:
    """The parts of a span that were read, though not as the source counts them, oldest first."""
    start, end = span
    found = _meeting(archive_id, start, end).filter(is_failed=False).order_by("win_from")
    return [(max(first, start), min(last, end)) for first, last in found.values_list("win_from", "win_to")]


def without_failed(archive_id: int, span: Span) -> list[Span]:
    """What remains of a span without the windows that could not be read, oldest first."""
    found = _meeting(archive_id, *span).filter(is_failed=True)
    return without(span, found.values_list("win_from", "win_to"))


def without(span: Span, others: Iterable[Span]) -> list[Span]:
    """What remains of a span without others, oldest first."""
    start, end = span
    rest = []
    for first, last in sorted(others):
        if first > start:
            rest.append((start, min(end, first - SECOND)))
        start = max(start, last + SECOND)
        if start > end:
            return rest
    return [*rest, (start, end)]


def unconfirmed_days(archive_id: int, first: date, last: date) -> set[str]:
    """The days from `first` to `last`, as ISO texts, of windows whose rows and count did not agree."""
    found = _meeting(archive_id, clock.day_start(first), clock.day_end(last)).filter(is_unconfirmed=True)
    begin, end = first.isoformat(), last.isoformat()
    return {day for day in _each_day(found.values_list("win_from", "win_to")) if begin <= day <= end}


def failed_days(archive_id: int) -> set[str]:
    """The days, as ISO texts, of windows that could not be read."""
    return set(_each_day(failed(archive_id)))


def given_up_days(archive_id: int) -> set[str]:
    """The days, as ISO texts, of windows that could not be read and that no run reads again by itself."""
    return set(_each_day(failed(archive_id, is_over=True)))


def move(old_id: int, heir_id: int) -> None:
    """Move the windows of an adopted archive to its heir, whose next runs read them, in the caller's transaction."""
    for left in LeftWindow.objects.filter(archive_id=old_id).order_by("win_from"):
        note(heir_id, (left.win_from, left.win_to), is_failed=left.is_failed and not left.is_unconfirmed, tries=1)
    LeftWindow.objects.filter(archive_id=old_id).delete()


def _meeting(archive_id: int, start: datetime, end: datetime) -> QuerySet[LeftWindow]:
    """The windows that meet a span. Since none overlap, only the last of those that begin before it can."""
    own = LeftWindow.objects.filter(archive_id=archive_id)
    before = own.filter(win_from__lte=start).order_by("-win_from").values("win_from")[:1]
    return own.filter(win_from__gte=Coalesce(Subquery(before), start), win_from__lte=end, win_to__gte=start)


def _subtract(archive_id: int, span: Span) -> list[LeftWindow]:
    """Take a span out of the windows; gives those that it met, as they were."""
    start, end = span
    met = list(_meeting(archive_id, start, end))
    for left in met:
        own = LeftWindow.objects.filter(pk=left.pk)
        if left.win_from < start and left.win_to > end:
            own.update(win_to=start - SECOND)
            left.pk, left.win_from = None, end + SECOND
            left.save()
        elif left.win_from < start:
            own.update(win_to=start - SECOND)
        elif left.win_to > end:
            own.update(win_from=end + SECOND)
        else:
            own.delete()
    return met


def _join_neighbours(window: LeftWindow) -> None:
    """Let a window replace those neighbours of its kind that were read as often; it is due with the first of them.

    Else each run on an ill source would leave a window of its own. What was read again is joined within a day only:
    the days of a window were read apart from each other to find those at fault.
    """
    alike = LeftWindow.objects.filter(
        archive_id=window.archive_id,
        is_failed=window.is_failed,
        is_unconfirmed=window.is_unconfirmed,
        tries=window.tries,
        next_read_at__isnull=False,
    )
    if not window.is_failed:
        alike = alike.exclude(next_read_at__lte=clock.now())
    longest = timedelta(days=traits_of(window.archive_id).window_days)
    for neighbour in _neighbours(alike, (window.win_from, window.win_to)):
        whole = min(window.win_from, neighbour.win_from), max(window.win_to, neighbour.win_to)
        if whole[1] - whole[0] < longest if window.tries == 1 else len(set(_days(whole))) == 1:
            window.win_from, window.win_to = whole
            window.next_read_at = min(filter(None, (window.next_read_at, neighbour.next_read_at)))
            neighbour.delete()


def _neighbours(among: QuerySet[LeftWindow], span: Span) -> list[LeftWindow]:
    return list(among.filter(Q(win_to=span[0] - SECOND) | Q(win_from=span[1] + SECOND)).order_by("win_from"))


def _each_day(spans: Iterable[Span]) -> Iterable[str]:
    for start, end in spans:
        first = clock.local_day(start)
        for number in range(clock.days_between(first, clock.local_day(end))):
            yield (first + timedelta(days=number)).isoformat()


def _days(span: Span) -> tuple[str, str]:
    return clock.local_day(span[0]).isoformat(), clock.local_day(span[1]).isoformat()
