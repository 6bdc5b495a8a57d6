"""Keeps the calls of two accounts of a source apart: an archive has one (docs/decisions/collection.md#one-account).

The credential may name its account; where it does not, calls tell: those of another account have no request id in
common with those of the archive.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import NamedTuple

from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.stored_message import Message, Value
from collection.account_of_archive import fingerprint, masked, names_another
from collection.models import AccountOfArchive
from collection.sources.source import Source, SourceFailure, UnusableAnswer
from collection.windows import SECOND
from usage.models import Record
from usage.packages.stored_packages import has_any

# An aware start and an aware end, both included.
Span = tuple[datetime, datetime]
# The calls that it takes to tell an account.
LEAST_CALLS = 5
# An account without calls on days of this time where the archive has some is another one, if it has later calls.
LISTED_FOR = timedelta(days=31)
# Pages that are looked through.
MOST_PAGES = 100


def require_same(
    archive_id: int, source: Source, require: Callable[[], None], span: Span | None = None
) -> Callable[[], None] | None:
    """Look whether a new credential is of the account whose calls the archive has, by one request as a rule.

    `span` is what is to be read. `require` is called before something is noted, in the same transaction, and may raise.
    Gives what notes that the credential is right, to be called once something of it is stored; None where it is not
    known whose it is. Raises SourceFailure where it is of another account, those of the source's, and ReadingStopped.
    """
    if not source.traits.tells_accounts:
        return nothing
    secret, named = source.credential
    mark = fingerprint(secret)
    known = AccountOfArchive.objects.filter(archive_id=archive_id).first() or AccountOfArchive(archive_id=archive_id)
    if known.confirmed == mark:
        return nothing
    newest = _newest_calls(archive_id)
    other = masked(named) if named else Message("account_of_credential")
    if names_another(known, named) and (newest or has_any(archive_id)):
        raise _another(known, mark, require, masked(known.account), other)
    if named and (known.account == named or len(newest) < LEAST_CALLS):
        return partial(_confirm, known, mark, named, require)
    if not newest and not has_any(archive_id):
        return partial(_confirm, known, mark, named, require)
    stranger = _stranger(archive_id, source, newest, span) if newest else None
    if len(newest) == LEAST_CALLS and (stranger or (stranger is None and mark == known.refused)):
        own = masked(known.account) if known.account else _of_call(newest[0][1])
        raise _another(known, mark, require, own, _of_call(stranger) if stranger and not named else other)
    return partial(_confirm, known, mark, named, require) if stranger == "" else None


def nothing() -> None:
    """There is nothing to note."""


def _confirm(known: AccountOfArchive, mark: str, named: str, require: Callable[[], None]) -> None:
    # A credential that gave nothing may be of any account.
    if Record.objects.filter(archive_id=known.archive_id).exists() or has_any(known.archive_id):
        known.confirmed, known.refused, known.account = mark, "", named or known.account
        _keep(known, require)


def _newest_calls(archive_id: int) -> list[tuple[str, str]]:
    """Time and id of the newest calls until now, newest first; five at most."""
    now = clock.local_time(clock.now()).isoformat(" ", "seconds")
    newest = Record.objects.filter(archive_id=archive_id, ts__lte=now).order_by("-ts")
    return list(newest.values_list("ts", "request_id")[:LEAST_CALLS])


class _Seen(NamedTuple):
    """What the source gave of a span: whether calls of the archive were among them, else the id of the first call, if
    any, where it gave all that it has. It `is_blank` where the answer neither gave nor counted any."""

    is_known: bool = False
    stranger: str = ""
    is_whole: bool = True
    is_blank: bool = False


_NO_CALLS, _NO_COUNT = _Seen(), _Seen(is_blank=True)
_TOO_MANY, _UNUSABLE = _Seen(is_whole=False), _Seen(is_whole=False, is_blank=True)


def _stranger(archive_id: int, source: Source, newest: list[tuple[str, str]], span: Span | None) -> str | None:
    """The id of a call of another account on the days of these calls, on others with calls, or after them; empty if one
    of the archive comes, None if nothing is known: none comes, there are too many, or the source does not answer for
    these days."""
    first, last = (datetime.fromisoformat(ts).date() for ts, _ in (newest[-1], newest[0]))
    start, end, now = clock.day_start(first), clock.day_end(last), clock.now()
    spans = [(start, min(end, now)), *_with_calls(archive_id, source, start, span)]
    found = []
    for each in spans:
        found.append(seen := _seen(archive_id, source, *each))
        if seen.is_known or seen.stranger:
            return _judged(seen)
    stranger = None
    if all(seen.is_whole for seen in found) and now - LISTED_FOR < start and end < now:
        later = _seen(archive_id, source, end + SECOND, now)
        if later.is_known:
            return ""
        stranger = later.stranger or None
    if stranger or found[0].is_blank:
        # An answer without calls, or of no use, may be a passing fault.
        again = _seen(archive_id, source, *spans[0])
        return stranger if again in (_NO_CALLS, _NO_COUNT) else _judged(again)
    return None


def _judged(seen: _Seen) -> str | None:
    return "" if seen.is_known else seen.stranger or None


def _with_calls(archive_id: int, source: Source, start: datetime, span: Span | None) -> Iterator[Span]:
    """The first window of what is to be read, and the one before `start`, where the archive has enough calls there: a
    run also reads days before its own again."""
    length = timedelta(days=source.traits.window_days)
    spans = [(span[0], min(span[1], span[0] + length - SECOND))] if span else []
    for first, last in [*spans, (start - length, start - SECOND)]:
        between = [clock.local_time(each).isoformat(" ", "seconds") for each in (first, last)]
        own = Record.objects.filter(archive_id=archive_id, ts__gte=between[0], ts__lte=between[1])
        if len(own.values_list("pk")[:LEAST_CALLS]) == LEAST_CALLS:
            yield first, last


def _seen(archive_id: int, source: Source, start: datetime, end: datetime) -> _Seen:
    stranger, position = "", 0
    try:
        for number, page in zip(count(1), source.pages(start, max(start, end)), strict=False):
            ids = [one.request_id for one in page.records]
            if Record.objects.filter(archive_id=archive_id, request_id__in=ids).exists():
                return _Seen(is_known=True)
            stranger, position = stranger or next(iter(ids), ""), position + page.received
            if not (page.is_counted or ids):
                return _UNUSABLE if stranger else _NO_COUNT
            if number == MOST_PAGES:
                return _TOO_MANY
            if page.ended or page.is_last(position):
                break
    except UnusableAnswer:
        # Other days may be answered.
        return _UNUSABLE
    return _Seen(stranger=stranger)


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
