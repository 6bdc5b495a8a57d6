"""Keeps the calls of two accounts of a source apart: an archive has one (docs/decisions/collection.md#one-account).

The credential may name its account; where it does not, calls tell: those of another account have no request id in
common with those of the archive.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.stored_message import Message, Value
from collection.account_of_archive import fingerprint, masked, names_another
from collection.models import AccountOfArchive
from collection.sources.source import Source, SourceFailure, UnusableAnswer
from usage.models import Record

# So many calls tell an account, and they are looked for among those of this time.
LEAST_CALLS, LOOKS_BACK = 5, timedelta(days=31)
# Pages that are looked through.
MOST_PAGES = 100


def require_same(archive_id: int, source: Source, require: Callable[[], None]) -> None:
    """Look once whether a new credential is of the account whose calls the archive has, by one request as a rule.

    `require` is called before something is noted, in the same transaction, and may raise. Raises SourceFailure where it
    is of another one, those of the source's, and ReadingStopped.
    """
    if not source.traits.tells_accounts:
        return
    secret, named = source.credential
    mark = fingerprint(secret)
    known = AccountOfArchive.objects.filter(archive_id=archive_id).first() or AccountOfArchive(archive_id=archive_id)
    if known.confirmed == mark:
        return
    newest = _newest_calls(archive_id)
    if names_another(known, named):
        raise _another(known, mark, require, masked(known.account), masked(named))
    if newest and not (named and known.account == named):
        stranger = _stranger(archive_id, source, newest)
        if stranger is None:
            return
        if stranger:
            own = masked(known.account) if known.account else _of_call(newest[0][1])
            raise _another(known, mark, require, own, masked(named) if named else _of_call(stranger))
    if not newest and Record.objects.filter(archive_id=archive_id).exists():
        # Too few calls, or too old ones.
        return
    known.confirmed, known.refused, known.account = mark, "", named or known.account
    _keep(known, require)


def _newest_calls(archive_id: int) -> list[tuple[str, str]]:
    """Time and id of the newest calls, newest first; none where they are too few or too old to tell anything."""
    newest = Record.objects.filter(archive_id=archive_id).order_by("-ts").values_list("ts", "request_id")
    found = list(newest[:LEAST_CALLS])
    since = clock.local_time(clock.now() - LOOKS_BACK).isoformat(" ", "seconds")
    return found if len(found) == LEAST_CALLS and found[-1][0] >= since else []


def _stranger(archive_id: int, source: Source, newest: list[tuple[str, str]]) -> str | None:
    """The id of a call of another account on the days of these calls; empty if one of the archive comes, None if none
    comes at all or the source does not answer for these days."""
    first, last = (datetime.fromisoformat(ts).date() for ts, _ in (newest[-1], newest[0]))
    start, end = clock.day_start(first), min(clock.day_end(last), clock.now())
    stranger, position = None, 0
    try:
        for number, page in zip(count(1), source.pages(start, max(start, end)), strict=False):
            ids = [one.request_id for one in page.records]
            if Record.objects.filter(archive_id=archive_id, request_id__in=ids).exists():
                return ""
            stranger, position = stranger or next(iter(ids), None), position + page.received
            if page.ended or page.is_last(position) or number == MOST_PAGES:
                break
    except UnusableAnswer:
        # Other days may be answered; the next run looks again.
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
