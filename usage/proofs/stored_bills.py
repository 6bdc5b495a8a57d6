"""Keeps what payers say of days, and says for which days to ask them (docs/decisions/collection.md#proofs)."""

from collections.abc import Collection, Iterable, Iterator
from datetime import date, datetime, timedelta, tzinfo

from accounts import archives
from archive_site.lib import clock
from usage import data_version, stored_size
from usage.measures import What
from usage.models import BillDay, BillRead, DayProof
from usage.proofs.bill import ONE_DAY, Bill, Sum, Sums, end_of
from usage.source_traits import Traits

# Days that are asked for in a run, the newest ones first.
MOST_DAYS = 31
# A bill that differs is asked for again after this time: it may be corrected, for as many days as one run asks for.
AGAIN = timedelta(days=1)
# What `DayProof.differences` has of a day whose calls agree with the bill.
AGREED = "[]"


def store(archive_id: int, bill: Bill, traits: Traits) -> None:
    """Keep the bill of a day, in the caller's transaction: it is complete where the time had passed since the day's end
    in which it may change, and the reading before said the same. Raises AccountFull, and ValueError for one that counts
    nothing, which proves nothing, unless the kind bills some models alone: those that it does not name had no calls.
    """
    counts_some = traits.bills_others
    if not (bill.sums or counts_some):
        raise ValueError("a bill counts something, also of a day without calls")
    is_same = bool(read_days(archive_id, [bill.day])) and sums_of(archive_id, [bill.day]).get(bill.day, {}) == bill.sums
    if not is_same:
        if counts_some and bill.sums.keys() - counted_by(archive_id):
            # On the days before, too, a model that was never named had no calls.
            DayProof.objects.filter(bill_id=archive_id).delete()
        replace_sums(archive_id, bill.day, bill.sums)
    is_complete = is_same and bill.asked_at >= end_of(bill.day, traits.bill_zone) + traits.bill_settles
    note_read(archive_id, bill.day, bill.asked_at, is_complete=is_complete)


def replace_sums(archive_id: int, day: date, sums: Sums) -> None:
    """Store the sums of a day instead of others, which takes what they prove, in the caller's transaction."""
    text = day.isoformat()
    before, _ = BillDay.objects.filter(archive_id=archive_id, day=text).delete()
    BillDay.objects.bulk_create(
        BillDay(archive_id=archive_id, day=text, model=model, what=what, amount=each.amount, within=each.within)
        for (model, what), each in sums.items()
    )
    DayProof.objects.filter(bill_id=archive_id, day=text).delete()
    if growth := len(sums) - before:
        stored_size.note_growth(archive_id, growth * stored_size.SUM_BYTES)


def raise_versions(archive_id: int) -> None:
    """Raise the data version of an archive of bills, and of the archive whose days they prove, in the caller's
    transaction: answers about its days are others."""
    for one in (archive_id, archives.proved_by(archive_id)):
        if one is not None:
            data_version.raise_version(one)


def note_read(archive_id: int, day: date, read_at: datetime | None = None, *, is_complete: bool) -> None:
    """Note when the bill of a day was read, now where that is not given, and whether it changes no more."""
    seen = {"read_at": read_at or clock.now(), "is_complete": is_complete}
    BillRead.objects.update_or_create(archive_id=archive_id, day=day.isoformat(), defaults=seen)


def read_days(archive_id: int, days: Collection[date]) -> dict[date, bool]:
    """Which of these days have a bill, and whether it is complete."""
    found = BillRead.objects.filter(archive_id=archive_id, day__in=[day.isoformat() for day in days])
    return {date.fromisoformat(day): is_complete for day, is_complete in found.values_list("day", "is_complete")}


def sums_of(archive_id: int, days: Collection[date]) -> dict[date, Sums]:
    """The sums of these days' bills."""
    found: dict[date, dict[tuple[str, What], Sum]] = {}
    texts = [day.isoformat() for day in days]
    rows = BillDay.objects.filter(archive_id=archive_id, day__in=texts)
    for day, model, what, amount, within in rows.values_list("day", "model", "what", "amount", "within"):
        found.setdefault(date.fromisoformat(day), {})[model, What(what)] = Sum(amount, within)
    return dict(found)


def days_of(archive_id: int) -> int:
    """The number of days whose bill was read."""
    return BillRead.objects.filter(archive_id=archive_id).count()


def counted_by(archive_id: int) -> set[tuple[str, What]]:
    """What bills that name some models alone count: of each model that any of them names."""
    found = BillDay.objects.filter(archive_id=archive_id).order_by().values_list("model", "what").distinct()
    return {(model, What(what)) for model, what in found}


def due(archive_id: int, since: date, traits: Traits) -> Iterator[list[date]]:
    """The days of the kind's zone to ask for, in lists of consecutive ones, oldest first: those whose bill is not
    complete, and the younger ones of those whose bill differs. `since` is the first day that the archive has read."""
    now, zone = clock.now(), traits.bill_zone
    first, last = _first_whole(since, zone), (now - traits.bill_settles).astimezone(zone).date() - ONE_DAY
    complete = BillRead.objects.filter(archive_id=archive_id, is_complete=True)
    differing = DayProof.objects.filter(bill_id=archive_id).exclude(differences=AGREED)
    late = differing.filter(day__gt=(last - timedelta(days=MOST_DAYS)).isoformat()).values("day")
    asked_again = set(complete.filter(day__in=late, read_at__lte=now - AGAIN).values_list("day", flat=True))
    done = set(complete.values_list("day", flat=True)) - asked_again
    wanted = (last - number * ONE_DAY for number in range((last - first).days + 1))
    days = sorted(day for day in wanted if day.isoformat() not in done)[-MOST_DAYS:]
    yield from spans(days, MOST_DAYS)


def spans(days: Iterable[date], most: int) -> Iterator[list[date]]:
    """Ascending days in lists of consecutive ones, at most `most` in each."""
    span: list[date] = []
    for day in days:
        if span and (day - span[-1] > ONE_DAY or len(span) == most):
            yield span
            span = []
        span.append(day)
    if span:
        yield span


def _first_whole(since: date, zone: tzinfo) -> date:
    """The first day of a zone that begins on this day of the archive, or after it."""
    begin = clock.day_start(since)
    day = begin.astimezone(zone).date()
    return day if end_of(day - ONE_DAY, zone) >= begin else day + ONE_DAY
