"""Keeps the calls of two accounts of a source apart: an archive has one (docs/decisions/collection.md#one-account).

The credential may name its account; where it does not, calls tell: those of another account have no request id in
common with those of the archive.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import count

from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.stored_message import Message, Value
from collection.account_of_archive import fingerprint, masked, names_another
from collection.models import AccountOfArchive
from collection.sources.source import Source, SourceFailure, UnusableAnswer
from usage.models import Record

# The calls that it takes to tell an account.
LEAST_CALLS = 5
# An account without calls on days of this time where the archive has some is another one, if it has later calls.
LISTED_FOR = timedelta(days=31)
# Pages that are looked through.
MOST_PAGES = 100


def require_same(archive_id: int, source: Source, require: Callable[[], None]) -> Callable[[], None]:
    """Look once whether a new credential is of the account whose calls the archive has, by one request as a rule.

    `require` is called before something is noted, in the same transaction, and may raise. Gives what notes that the
    credential is right, to be called once the source has been read. Raises SourceFailure where it is of another
    account, those of the source's, and ReadingStopped.
    """
    if not source.traits.tells_accounts:
        return _nothing
    secret, named = source.credential
    mark = fingerprint(secret)
    known = AccountOfArchive.objects.filter(archive_id=archive_id).first() or AccountOfArchive(archive_id=archive_id)
    if known.confirmed == mark:
        return _nothing
    newest = _newest_calls(archive_id)
    if newest:
        own = masked(known.account) if known.account else _of_call(newest[0][1])
        if mark == known.refused or names_another(known, named):
            raise _another(known, mark, require, own, masked(named) if named else Message("account_of_credential"))
        if not (named and known.account == named) and len(newest) == LEAST_CALLS:
            stranger = _stranger(archive_id, source, newest)
            if stranger is None:
                return _nothing
            if stranger:
                raise _another(known, mark, require, own, masked(named) if named else _of_call(stranger))
        elif len(newest) < LEAST_CALLS:
            return _nothing
    return partial(_confirm, known, mark, named, require)


def _nothing() -> None:
    """There is nothing to note."""


def _confirm(known: AccountOfArchive, mark: str, named: str, require: Callable[[], None]) -> None:
    # A credential that gave nothing may be of any account.
    if Record.objects.filter(archive_id=known.archive_id).exists():
        known.confirmed, known.refused, known.account = mark, "", named or known.account
        _keep(known, require)


def _newest_calls(archive_id: int) -> list[tuple[str, str]]:
    """Time and id of the newest calls until now, newest first; five at most."""
    now = clock.local_time(clock.now()).isoformat(" ", "seconds")
    newest = Record.objects.filter(archive_id=archive_id, ts__lte=now).order_by("-ts")
    return list(newest.values_list("ts", "request_id")[:LEAST_CALLS])


def _stranger(archive_id: int, source: Source, newest: list[tuple[str, str]]) -> str | None:
    """The id of a call of another account on the days of these calls or after them; empty if one of the archive comes,
    None if nothing is known: none comes, there are too many, or the source does not answer for these days."""
    first, last = (datetime.fromisoformat(ts).date() for ts, _ in (newest[-1], newest[0]))
    start, end, now = clock.day_start(first), clock.day_end(last), clock.now()
    try:
        found = _first_call(archive_id, source, start, min(end, now))
        if found is None and end < now and start > now - LISTED_FOR:
            found = _first_call(archive_id, source, end + timedelta(seconds=1), now)
    except UnusableAnswer:
        # Other days may be answered; the next run looks again.
        return None
    return found


def _first_call(archive_id: int, source: Source, start: datetime, end: datetime) -> str | None:
    """The id of the first call of a span that comes; empty if one comes that the archive has, None without any."""
    stranger, position = None, 0
    for number, page in zip(count(1), source.pages(start, max(start, end)), strict=False):
        ids = [one.request_id for one in page.records]
        if Record.objects.filter(archive_id=archive_id, request_id__in=ids).exists():
            return ""
        stranger, position = stranger or next(iter(ids), None), position + page.received
        if page.ended or page.is_last(position):
            return stranger
        if number == MOST_PAGES:
            return None
    return stranger


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
