"""Keeps what payers say of days, and says for which days to ask them (docs/decisions/collection.md#proofs)."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

from django.db.models import QuerySet

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
# A day that an answer leaves out may be left out for ever: it is asked for again with others, or after this time.
LEFT_OUT_AGAIN = timedelta(days=7)
# What `DayProof.differences` has of a day whose calls agree with the bill.
AGREED = "[]"


def store(archive_id: int, bills: Sequence[Bill], traits: Traits) -> None:
    """Keep the bills of days, one of each, in the caller's transaction: a bill is complete where the time had passed
    since the day's end in which it may change, and the reading before said the same. Raises AccountFull, and ValueError
    for one that counts nothing, which proves nothing, unless the kind bills some models alone: those that it does not
    name had no calls.
    """
    counts_some = traits.bills_others
    if not (counts_some or all(bill.sums for bill in bills)):
        raise ValueError("a bill counts something, also of a day without calls")
    days = [bill.day for bill in bills]
    read, before = read_days(archive_id, days), sums_of(archive_id, days)
    others = {bill.day: bill.sums for bill in bills if bill.day not in read or before.get(bill.day, {}) != bill.sums}
    if counts_some and others and {key for sums in others.values() for key in sums} - counted_by(archive_id):
        # On the days before, too, a model that was never named had no calls.
        DayProof.objects.filter(bill_id=archive_id).delete()
    replace_sums(archive_id, others)
    settled = [bill.asked_at >= end_of(bill.day, traits.bill_zone) + traits.bill_settles for bill in bills]
    note_read(
        BillRead(
            archive_id=archive_id,
            day=bill.day.isoformat(),
            read_at=bill.asked_at,
            is_complete=is_settled and bill.day not in others,
        )
        for bill, is_settled in zip(bills, settled, strict=True)
    )


def replace_sums(archive_id: int, sums: Mapping[date, Sums]) -> None:
    """Store the sums of days instead of others, which takes what they prove, in the caller's transaction."""
    if not sums:
        return
    days = [day.isoformat() for day in sums]
    before, _ = BillDay.objects.filter(archive_id=archive_id, day__in=days).delete()
    rows = [
        BillDay(
            archive_id=archive_id, day=day.isoformat(), model=model, what=what, amount=each.amount, within=each.within
        )
        for day, of_day in sums.items()
        for (model, what), each in of_day.items()
    ]
    BillDay.objects.bulk_create(rows)
    DayProof.objects.filter(bill_id=archive_id, day__in=days).delete()
    if growth := len(rows) - before:
        stored_size.note_growth(archive_id, growth * stored_size.SUM_BYTES)


def raise_versions(archive_id: int) -> None:
    """Raise the data version of an archive of bills, and of the archive whose days they prove, in the caller's
    transaction: answers about its days are others."""
    for one in (archive_id, archives.proved_by(archive_id)):
        if one is not None:
            data_version.raise_version(one)


def note_read(days: Iterable[BillRead]) -> None:
    """Note when the bills of days were read, one row for each, and whether they change no more."""
    BillRead.objects.bulk_create(
        days,
        update_conflicts=True,
        unique_fields=["archive_id", "day"],
        update_fields=["read_at", "is_complete"],
    )


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


def has_any_after(archive_id: int, day: date) -> bool:
    """Whether there is a sum of a later day."""
    return BillDay.objects.filter(archive_id=archive_id, day__gt=day.isoformat()).exists()


def days_of(archive_id: int) -> int:
    """The number of days whose bill was read."""
    return BillRead.objects.filter(archive_id=archive_id).count()


def counted_by(archive_id: int) -> set[tuple[str, What]]:
    """What bills that name some models alone count: of each model that any of them names."""
    found = BillDay.objects.filter(archive_id=archive_id).order_by().values_list("model", "what").distinct()
    return {(model, What(what)) for model, what in found}


def due(archive_id: int, since: date, traits: Traits, *, besides: Collection[date] = ()) -> list[date]:
    """The days of the kind's zone to ask for in one question, oldest first: of those whose bill is not complete, and
    the younger ones of those whose bill differs or may have grown, the most that one question has, the newest if
    several have as many.

    `since` is the first day that the archive has read; `besides` were asked for just now.
    """
    now, zone = clock.now(), traits.bill_zone
    first, last = _first_whole(since, zone), (now - traits.bill_settles).astimezone(zone).date() - ONE_DAY
    complete = BillRead.objects.filter(archive_id=archive_id, is_complete=True)
    differing = DayProof.objects.filter(bill_id=archive_id).exclude(differences=AGREED)
    late = differing.filter(day__gt=(last - timedelta(days=MOST_DAYS)).isoformat()).values("day")
    before = complete.filter(read_at__lte=now - AGAIN)
    asked_again = set(before.filter(day__in=late).values_list("day", flat=True))
    if traits.bill_grows is not None:
        asked_again.update(_that_may_have_grown(before, traits.bill_grows, zone))
    done = set(complete.values_list("day", flat=True)) - asked_again
    every = (first + number * ONE_DAY for number in range((last - first).days + 1))
    days = [day for day in every if day.isoformat() not in done and day not in besides]
    end = (days or [date.min])[-1]
    # Those that bill others give each day, also one without calls, so that none waits for ever.
    if not traits.bills_others:
        left_out, most = _left_out_since(archive_id, now - LEFT_OUT_AGAIN), 1
        waiting = [day for day in days if day.isoformat() not in left_out]
        for place, day in enumerate(waiting, 1):
            number = place - bisect_right(waiting, day - timedelta(days=MOST_DAYS))
            end, most = (day, number) if number >= most else (end, most)
        days = days if waiting else []
    return [day for day in days if 0 <= (end - day).days < MOST_DAYS]


def _that_may_have_grown(read: QuerySet[BillRead], grows: timedelta, zone: tzinfo) -> Iterator[str]:
    """Of days that were read, those that were not read once more this long after their end."""
    for day, read_at in read.values_list("day", "read_at"):
        if read_at < end_of(date.fromisoformat(day), zone) + grows:
            yield day


def _left_out_since(archive_id: int, moment: datetime) -> set[str]:
    """The days that answers since then had no sums of, though they were asked for."""
    with_sums = BillDay.objects.filter(archive_id=archive_id).values("day")
    read = BillRead.objects.filter(archive_id=archive_id, is_complete=False, read_at__gt=moment)
    return set(read.exclude(day__in=with_sums).values_list("day", flat=True))


def note_left_out(archive_id: int, days: Iterable[date]) -> None:
    """Note that the answer about these days has none of them, in the caller's transaction."""
    now, texts = clock.now(), [day.isoformat() for day in days]
    known = BillRead.objects.filter(archive_id=archive_id, day__in=texts)
    new = set(texts) - set(known.values_list("day", flat=True))
    known.update(read_at=now)
    note_read(BillRead(archive_id=archive_id, day=day, read_at=now, is_complete=False) for day in sorted(new))


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
