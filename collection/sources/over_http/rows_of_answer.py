"""The rows of one answer: those that can be read, and why not the others. Pure functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from archive_site.lib.stored_message import Message
from collection.sources.over_http.unusable import broken, unknown_form
from collection.sources.source import Page
from usage.incoming.record import IncomingRecord
from usage.incoming.values import MissingRequestId, UnreadableRow, count

# Rows of an answer, and what it may count.
MOST_ROWS, MOST_COUNTED = 1_000, 10**9


@dataclass(frozen=True, slots=True)
class Rows:
    """The readable rows of one answer, and a message for each other; `without_id` of these have no request id.

    Where several rows have one id, the one that counts is the last of them; `repeated` are the others. Without
    `is_counted` the answer has no count, so it proves nothing about calls that it lacks. `unread_days` are the days of
    the rows that cannot be read, in the server's zone, empty where the time is what cannot be read.
    """

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[Message]
    without_id: int = 0
    repeated: int = 0
    is_counted: bool = True
    unread_days: tuple[str, ...] = ()

    def page(
        self, asked_at: datetime, first: str, last: str, *, is_full: bool, ended: bool = False, is_capped: bool = False
    ) -> Page:
        """The page of a window whose rows have a `ts` from `first` to `last`."""
        return Page(
            self.records,
            self.total,
            self.received,
            self.skipped,
            ended=ended,
            asked_at=asked_at,
            without_id=self.without_id,
            repeated=self.repeated,
            is_counted=self.is_counted,
            outside=sum(not first <= record.ts <= last for record in self.records),
            is_full=is_full,
            unread_days=self.unread_days,
            is_capped=is_capped,
        )


def read_rows(
    total: int,
    rows: Sequence[object],
    number: int,
    read: Callable[[object], IncomingRecord],
    day_of: Callable[[object], str],
) -> Rows:
    """Read the rows of page `number`. `read`, and `day_of`, a row's day in the server's zone, raise UnreadableRow."""
    records: list[IncomingRecord] = []
    skipped: list[Message] = []
    unread_days: list[str] = []
    without_id = 0
    for place, row in enumerate(rows, 1):
        try:
            records.append(read(row))
        except UnreadableRow as error:
            without_id += isinstance(error, MissingRequestId)
            skipped.append(Message("row_skipped", row=place, number=number, why=error.why))
            unread_days.append(_day(row, day_of))
    repeated = len(records) - len({record.request_id for record in records})
    if repeated:
        # One answer does not show which of two values is newer: the larger one counts, in whatever order they come.
        records.sort(key=lambda record: record.rank)
    return Rows(records, total, len(rows), skipped, without_id, repeated, unread_days=tuple(unread_days))


def rows_and_total(
    rows: object, total: object, payload: Mapping[str, object], secrets: Iterable[str], *, most: int = MOST_ROWS
) -> tuple[list[object], int]:
    """The rows of an answer and its count of all. Raises SourceFailure where either is none, or there are too many."""
    counted = count(total, MOST_COUNTED)
    if not isinstance(rows, list):
        raise unknown_form(Message("rows_not_list"), payload, secrets)
    if counted is None:
        raise unknown_form(Message("total_not_count"), payload, secrets)
    if len(rows) > most:
        raise broken(Message("rows_too_many", count=f"{most:,}"))
    return rows, counted


def _day(row: object, day_of: Callable[[object], str]) -> str:
    """The day of a row that cannot be read, empty if it has none."""
    try:
        return day_of(row)
    except UnreadableRow:
        return ""
