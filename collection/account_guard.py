"""Keeps the calls of two accounts of a source apart: an archive has one (docs/decisions/collection.md#one-account).

The credential may name its account; where it does not, calls tell: those of another account have no request id in
common with those of the archive.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.stored_message import Message, Value
from collection import watermark
from collection.account_of_archive import fingerprint, masked, names_another
from collection.models import AccountOfArchive
from collection.sources.source import Source, SourceFailure, UnusableAnswer
from collection.windows import SECOND, TimeWindow, windows
from usage.data_version import raise_version
from usage.erasure import erase_readings
from usage.models import BillDay, Record
from usage.packages.stored_packages import has_any
from usage.reads import queries
from usage.stored_size import SUM_BYTES, note_other_size

# An aware start and an aware end, both included.
Span = tuple[datetime, datetime]
# The calls that it takes to tell an account.
LEAST_CALLS = 5
# On days as recent as this the source still gives calls: an account that has none of the archive's is another one.
LISTED_FOR = timedelta(days=60)
# Pages that are looked through, and the days of one question.
MOST_PAGES, _LONGEST = 100, 30
# In place of a reader while what it read is being forgotten.
_FORGETTING = "-"
# The minutes around a call.
_NEAR = timedelta(minutes=1)
_BREAKS_OFF = UnusableAnswer("api", Message("answer_broken", why=Message("rows_not_list")))


def nothing() -> None:
    """There is nothing to note."""


class Verdict(NamedTuple):
    """Whose a credential is. `confirm` notes that it is right, and is called once something of it is stored; it is None
    as long as nobody knows whose it is.

    `judge` is there if the source gave none of the archive's calls for their days. It is called with the ids of the
    first calls of other days, and gives `confirm`, or raises SourceFailure if they are of another account. Where the
    archive has too few calls for that, it `is_missing` them. `know` is `confirm` once something else tells whose it is.
    It `begins_anew` where all that was known were days on which another credential found no calls.
    """

    confirm: Callable[[], None] | None
    judge: Callable[[list[str]], Callable[[], None]] | None = None
    is_missing: bool = False
    know: Callable[[], None] = nothing
    begins_anew: bool = False


RIGHT, UNKNOWN = Verdict(nothing), Verdict(None)


def require_same(archive_id: int, source: Source, require: Callable[[], None], span: Span | None = None) -> Verdict:
    """Look whether a new credential is of the account whose calls the archive has, by one request as a rule.

    `span` is what is to be read. `require` is called before something is noted, in the same transaction, and may raise.
    Raises SourceFailure where the credential is of another account, those of the source's, and ReadingStopped.
    """
    if not source.traits.tells_accounts:
        return RIGHT
    secret, named = source.credential
    mark = fingerprint(secret)
    known = AccountOfArchive.objects.filter(archive_id=archive_id).first() or AccountOfArchive(archive_id=archive_id)
    if known.confirmed == mark and not names_another(known, named):
        return RIGHT
    newest = _newest_calls(archive_id)
    other = masked(named) if named else Message("account_of_credential")
    has_erased = not newest and queries.has_erased_days(archive_id)
    has_more = has_erased or (not newest and has_any(archive_id))
    if names_another(known, named) and (newest or has_more):
        raise _another(known, mark, require, masked(known.account), other)
    confirm = partial(_confirm, known, mark, named, require)
    if named and known.account == named:
        return Verdict(confirm)
    if has_erased:
        return UNKNOWN
    if not newest:
        begins_anew = _begins_anew(known, fingerprint(named or secret), require, has_packages=has_more)
        if has_more:
            # Its days without calls may be those of another account.
            return Verdict(None, is_missing=True, know=confirm, begins_anew=begins_anew)
        return Verdict(confirm, begins_anew=begins_anew)
    seen = _looked_for(archive_id, source, newest, span)
    own = masked(known.account) if known.account else _of_call(newest[0][1])

    def judge(ids: list[str]) -> Callable[[], None]:
        if _has_one_of(archive_id, ids):
            return confirm
        raise _another(known, mark, require, own, other if named else _of_call(ids[0]))

    if seen.is_known:
        confirm()
        return RIGHT
    if seen.stranger and len(newest) == LEAST_CALLS:
        judge([seen.stranger])
    if mark == known.refused:
        raise _another(known, mark, require, own, other)
    if len(newest) < LEAST_CALLS:
        return Verdict(confirm) if named else UNKNOWN._replace(is_missing=seen.is_missing)
    if seen.failure:
        raise seen.failure
    return Verdict(None, judge if seen.is_missing else None)


def _confirm(known: AccountOfArchive, mark: str, named: str, require: Callable[[], None]) -> None:
    # A credential that gave nothing may be of any account.
    if Record.objects.filter(archive_id=known.archive_id).exists() or has_any(known.archive_id):
        known.confirmed, known.refused, known.account = mark, "", named or known.account
        _keep(known, require)


def _begins_anew(known: AccountOfArchive, reader: str, require: Callable[[], None], *, has_packages: bool) -> bool:
    """Whether another credential, or one of another name, found no calls in an archive that has none; then forget the
    days that it read: they may be of another account. Packages that are known tell whose a credential is."""
    archive_id = known.archive_id
    is_same = known.read_by in ("", reader) or Record.objects.filter(archive_id=archive_id).exists()
    if not is_same:
        # As long as it is not done, each run begins again.
        _note_reader(known, _FORGETTING, require)
        bills = BillDay.objects.filter(archive_id=archive_id).count()
        for _ in erase_readings(archive_id, with_packages=not has_packages):
            with transaction.atomic():
                require()
        _note_reader(known, reader, require, bills)
    elif known.read_by != reader:
        _note_reader(known, reader, require)
    return not is_same


def _note_reader(known: AccountOfArchive, reader: str, require: Callable[[], None], bills_gone: int = 0) -> None:
    known.read_by = reader
    with transaction.atomic():
        require()
        if reader == _FORGETTING:
            watermark.forget_mark(known.archive_id)
            raise_version(known.archive_id)
        if bills_gone:
            note_other_size(known.archive_id, -bills_gone * SUM_BYTES)
        known.save()


def _newest_calls(archive_id: int) -> list[tuple[str, str]]:
    """Time and id of the newest calls until now, newest first; five at most."""
    now = clock.local_time(clock.now()).isoformat(" ", "seconds")
    newest = Record.objects.filter(archive_id=archive_id, ts__lte=now).order_by("-ts")
    return list(newest.values_list("ts", "request_id")[:LEAST_CALLS])


class _Asked(NamedTuple):
    """A span of days, and calls that the archive has of it, each with its wall clock."""

    start: datetime
    end: datetime
    calls: list[tuple[str, str]]


class _Seen(NamedTuple):
    """What the source gave of a span: whether calls of the archive were among them, else the id of the first call, if
    any, where it gave all that it has. It `is_blank` where the answer neither gave nor counted any, and has a `failure`
    where it was of no use; it `is_missing` where calls of the archive should have come, and none came."""

    is_known: bool = False
    stranger: str = ""
    is_blank: bool = False
    is_crowded: bool = False
    failure: UnusableAnswer | None = None
    is_missing: bool = False


_NO_CALLS, _NO_COUNT = _Seen(), _Seen(is_blank=True)


def _looked_for(archive_id: int, source: Source, newest: list[tuple[str, str]], span: Span | None) -> _Seen:
    """What comes of the days of these calls, or, where none comes, of others on which the archive has calls."""
    first, last = (datetime.fromisoformat(ts).date() for ts, _ in (newest[-1], newest[0]))
    start, now = clock.day_start(first), clock.now()
    of_newest = _Asked(start, min(clock.day_end(last), now), newest)
    found = []
    for asked in [of_newest, *_with_calls(archive_id, source, start, span)]:
        found.append(seen := _answered(archive_id, source, asked))
        if seen.is_known or seen.stranger:
            return seen
    is_listed = now - LISTED_FOR < start
    if not (is_listed or found[0].is_blank or found[0].failure):
        return _NO_CALLS
    # An answer without calls, or of no use, may be a passing fault.
    again = _answered(archive_id, source, of_newest)
    if again.is_known or again.stranger or not is_listed:
        return again._replace(failure=None)
    # As long as days are not answered, nobody knows whose the others are.
    failure = next((seen.failure for seen in [*found[1:], again] if seen.failure), None)
    return again._replace(is_missing=failure is None, failure=failure)


def _with_calls(archive_id: int, source: Source, start: datetime, span: Span | None) -> Iterator[_Asked]:
    """The first days of what is to be read, and those before `start`, on which the archive has enough calls: a run also
    reads days before its own again."""
    before = start - timedelta(days=source.traits.window_days)
    for first, last in [*([span] if span else []), (before, start - SECOND)]:
        between = [clock.local_time(each).isoformat(" ", "seconds") for each in (first, last)]
        own = Record.objects.filter(archive_id=archive_id, ts__gte=between[0], ts__lte=between[1]).order_by("ts")
        calls = list(own.values_list("ts", "request_id")[:LEAST_CALLS])
        if len(calls) == LEAST_CALLS:
            days = [datetime.fromisoformat(ts).date() for ts, _ in calls]
            yield _Asked(clock.day_start(days[0]), min(clock.day_end(days[-1]), clock.now()), calls)


def _answered(archive_id: int, source: Source, asked: _Asked) -> _Seen:
    """What comes of a span; where it has too many calls to look through, of the minutes of the archive's own."""
    seen = _seen(archive_id, source, asked.start, asked.end)
    if not seen.is_crowded:
        return seen
    for ts, _ in asked.calls:
        # The hour that a change of the clock repeats comes twice.
        at = [datetime.fromisoformat(ts).replace(tzinfo=settings.SERVER_ZONE, fold=fold) for fold in (0, 1)]
        near = _seen(archive_id, source, min(at) - _NEAR, max(at) + _NEAR)
        if near.is_known or near.failure:
            return near
    return seen


def _seen(archive_id: int, source: Source, start: datetime, end: datetime) -> _Seen:
    found = [_seen_in(archive_id, source, each) for each in windows(start, max(start, end), _LONGEST)]
    by_weight = sorted(found, key=lambda one: (one.is_known, bool(one.failure), one.is_crowded, one.stranger != ""))
    return by_weight[-1]


def _seen_in(archive_id: int, source: Source, window: TimeWindow) -> _Seen:
    stranger, position = "", 0
    try:
        for number, page in zip(count(1), source.pages(window.start, window.end), strict=False):
            ids = [one.request_id for one in page.records]
            if _has_one_of(archive_id, ids):
                return _Seen(is_known=True)
            stranger, position = stranger or next(iter(ids), ""), position + page.received
            if not (page.is_counted or ids):
                return _Seen(failure=_BREAKS_OFF) if stranger else _NO_COUNT
            if number == MOST_PAGES:
                return _Seen(stranger=stranger, is_crowded=True)
            if page.ended or page.is_last(position):
                break
    except UnusableAnswer as failure:
        # Other days may be answered.
        return _Seen(failure=failure)
    return _Seen(stranger=stranger)


def _has_one_of(archive_id: int, ids: list[str]) -> bool:
    return Record.objects.filter(archive_id=archive_id, request_id__in=ids).exists()


def _another(
    known: AccountOfArchive, mark: str, require: Callable[[], None], own: Value, other: Value
) -> SourceFailure:
    known.refused = mark
    _keep(known, require)
    message = Message("another_account", own=own, other=other)
    return SourceFailure("api", message, "another_account", concerns_credential=True)


def _keep(known: AccountOfArchive, require: Callable[[], None]) -> None:
    with transaction.atomic():
        require()
        known.save()


def _of_call(request_id: str) -> Message:
    return Message("account_of_call", id=request_id)
