"""Windows that are read whole before any of their rows is given: of lists that move, and of rows without ids."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.over_http.rows_of_answer import MOST_ROWS, read_rows
from collection.sources.over_http.unusable import broken
from collection.sources.source import Page
from collection.wall_clocks import walls
from usage.incoming.record import IncomingRecord
from usage.incoming.values import wall_clock

ROWS_OF_PAGE = 500
# Rows that come while a window is read move all behind them.
READINGS = 3
# A row that is written at the end of its call is there within this time.
SETTLING = timedelta(seconds=60)
# Where `Form.with_keys` puts the key of a row.
KEY = "key of this archive"
# An aware start and an aware end, both included.
Span = tuple[datetime, datetime]
Found = TypeVar("Found")


class Held(NamedTuple):
    """All rows of a window, none of one that `is_capped`; `total` is the source's count, None where it has none.

    Without `is_counted` the window proves nothing of calls that it lacks.
    """

    rows: list[object]
    total: int | None
    asked_at: datetime
    is_capped: bool = False
    is_counted: bool = True


class Listed(NamedTuple):
    """The rows of one answer; `total` counts those of its list, None where it has no count. `has_more` where it says
    that others follow; `size` is that of the answer in bytes."""

    rows: list[object]
    total: int | None
    size: int = 0
    has_more: bool = False


class Form(NamedTuple):
    """How a row is read: to a record, in the server's zone, and to its aware instant; both raise UnreadableRow.

    Where rows have no ids, `held_by` gives what the key of one is made of, and `mark` begins the keys of a kind.
    """

    read: Callable[[object, ZoneInfo], IncomingRecord]
    at: Callable[[object], datetime]
    mark: str
    held_by: Callable[[Mapping[str, object]], object]

    def with_keys(self, rows: Iterable[object]) -> Iterator[object]:
        """Rows, each with a key of its own: what it holds, and its place among those that hold the same.

        All rows of an instant must be among them, in an order that stays: the oldest first.
        """
        seen: Counter[str] = Counter()
        for row in rows:
            if isinstance(row, dict):
                held = sha256(json.dumps(self.held_by(row), sort_keys=True).encode()).hexdigest()[:32]
                seen[held] += 1
                row = {**row, KEY: f"{self.mark}:{held}:{seen[held]}"}
            yield row


def settled(start: datetime, end: datetime) -> datetime:
    """The end of a span, but for its last minute, whose rows may still come; not before its start."""
    return max(start, min(end, (clock.now() - SETTLING).replace(microsecond=0)))


def until_still(read: Callable[[], tuple[Found, bool]]) -> Found:
    """What is read of a window once nothing has moved meanwhile, in a few readings.

    Raises UnusableAnswer where it moves on: equal rows could not be told from one that came twice.
    """
    for _ in range(READINGS):
        found, is_still = read()
        if is_still:
            return found
    raise broken(Message("rows_moved"))


def with_fields(rows: Sequence[object], names: Collection[str]) -> list[object]:
    """Rows with what is read of them alone: a window is held whole. Raises UnusableAnswer where they are too many."""
    if len(rows) > MOST_ROWS:
        raise broken(Message("rows_too_many", count=f"{MOST_ROWS:,}"))
    return [{name: row[name] for name in names if name in row} if isinstance(row, dict) else None for row in rows]


def pages_of(held: Held, span: Span, form: Form) -> Iterator[Page]:
    """The pages of a window with keys, whose rows are the oldest first, and one that is past the last."""
    total = len(held.rows) if held.total is None else held.total
    if held.is_capped:
        yield Page([], total, 0, [], ended=False, asked_at=held.asked_at, is_counted=False, is_capped=True)
        return
    rows = list(form.with_keys(held.rows))
    for number, begin in enumerate(range(0, max(1, len(rows)), ROWS_OF_PAGE), 1):
        page = _page(rows[begin : begin + ROWS_OF_PAGE], total, span, held.asked_at, form, number)
        yield replace(page, is_counted=held.is_counted)
    yield Page([], 0, 0, [], ended=True, asked_at=held.asked_at)


def page_of(rows: Iterable[object], total: int, span: Span, asked_at: datetime, form: Form) -> Page:
    """One page of a span, with these rows and their keys."""
    return _page(list(form.with_keys(rows)), total, span, asked_at, form, 1)


def _page(rows: Sequence[object], total: int, span: Span, asked_at: datetime, form: Form, number: int) -> Page:
    zone = settings.SERVER_ZONE
    found = read_rows(
        total, rows, number, lambda row: form.read(row, zone), lambda row: wall_clock(form.at(row), zone)[:10]
    )
    first, last = walls(*span, zone)
    return found.page(asked_at, first, last, is_full=len(rows) == ROWS_OF_PAGE)


def _day_of(form: Form, zone: ZoneInfo, row: object) -> str:
    return wall_clock(form.at(row), zone)[:10]
