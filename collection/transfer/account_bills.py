"""The bills of an archive in the file of an account, one line for each day (docs/api.md#export-of-the-account)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from typing import Any

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.stored_message import Message
from usage.importing import json_rows
from usage.importing.call_row import CallRow, LeftOut
from usage.importing.file_format import Read
from usage.importing.file_source import Source, text_of
from usage.importing.filed_bills import COMPLETE
from usage.incoming.values import label
from usage.measures import What
from usage.proofs import billed_days
from usage.proofs.bill import MOST_OF_SUM, ONE_DAY
from usage.record_payloads import json_text

# Days that are in memory at once.
_AT_ONCE = 31
_WHATS = {what.value for what in What}
_YEARS = range(1970, 2100)
_UNREADABLE = LeftOut(Message("measures_unreadable"))


def lines(archive_id: int) -> Iterator[list[bytes]]:
    """The archive's bills, newest first, in pieces of whole lines."""
    before: date | None = None
    while found := billed_days.billed_days(archive_id, Days(None, before), most=_AT_ONCE):
        yield [_line(one) for one in found]
        before = date.fromisoformat(found[-1].day) - ONE_DAY


def _line(one: billed_days.BilledDay) -> bytes:
    form = {"day": one.day, "complete": one.is_complete, "sums": one.by_model}
    return f"{json_text(form)}\n".encode()


def rows(member: Source) -> Iterator[Read]:
    """The sums of each day and model of a member, as an import stages them. A line that cannot be read is left out."""
    with closing(text_of(member, "utf-8")) as text:
        for number, values in json_rows.rows_of_lines(text):
            if isinstance(values, Message):
                yield number, LeftOut(values)
                continue
            yield from ((number, row) for row in _rows_in(values))


def _rows_in(values: Mapping[str, Any]) -> Sequence[CallRow | LeftOut]:
    """The rows of a line, or that it is left out."""
    day, sums = clock.parse_day(str(values.get("day"))), values.get("sums")
    if day is None or day.year not in _YEARS or not isinstance(sums, dict):
        return [_UNREADABLE]
    is_complete = values.get("complete") is True
    # A day without use has no sums.
    found = [_row(day, model, counted, is_complete) for model, counted in (sums or {"": {}}).items()]
    return [_UNREADABLE] if None in found else [row for row in found if row]


def _row(day: date, model: str, counted: object, is_complete: bool) -> CallRow | None:
    if not isinstance(counted, dict) or not counted.keys() <= _WHATS:
        return None
    amounts = {what: _amount(given) for what, given in counted.items()}
    if None in amounts.values():
        return None
    measures, name = json.dumps({**amounts, COMPLETE: is_complete}), label(model)
    return CallRow(f"{day} {name}", 0, name, "", f"{day} 00:00:00", "", False, "", 0, measures)


def _amount(given: object) -> int | None:
    """The number of a sum, which the reader of JSON leaves as a text."""
    try:
        found = int(given) if isinstance(given, str) and len(given) <= len(str(-MOST_OF_SUM)) else None
    except ValueError:
        return None
    return found if found is not None and abs(found) <= MOST_OF_SUM else None
