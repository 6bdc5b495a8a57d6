"""What a file of a service is: its columns, and how a row is read."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib.stored_message import Message
from usage.amounts.units import Unit
from usage.importing.letters import letters_of
from usage.importing.numbers import DecimalSign, credits_text
from usage.importing.times import TimeReader
from usage.incoming.values import UnreadableRow, amount, count, instant, label, wall_clock
from usage.measures import Measures, What

# What a cell has that says nothing.
_NOTHING = ("", "-")
UTC_ZONE = ZoneInfo("UTC")
# A count has no decimals: what stands before three digits parts thousands.
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\1\d{3})*")
# A day as files and spreadsheets write it, also before a time of day in UTC.
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?", re.ASCII)
_PARTING = re.compile(r"[.,'’ \u00a0\u202f]")


class UnreadableCell(Exception):
    """The cell of `field` is not what the form has there."""

    def __init__(self, field: str, why: Message):
        super().__init__(field)
        self.field = field
        self.why = why


class FiledCall(NamedTuple):
    """A call as a row has it; `held` is what the key of a row without `request_id` is made of."""

    amount: int
    model: str
    client: str
    measures: Measures
    purpose: str = ""
    request_id: str = ""
    held: tuple[object, ...] = ()


class FiledSum(NamedTuple):
    """What a row of a report says of a model on a day in UTC: the sums that it has, none where nothing was used.

    `model` is empty for those of the whole day.
    """

    day: date
    model: str
    counted: Mapping[What, int]


@dataclass(frozen=True)
class Cells:
    """The cells of a row by field, without what protects them; amounts have this decimal sign, times without an offset
    are of `zone`."""

    texts: Mapping[str, str]
    decimal_sign: DecimalSign
    zone: ZoneInfo = UTC_ZONE

    def text(self, field: str) -> str:
        """A name; empty for a column that the file does not have."""
        return label(self.texts.get(field, ""))

    def is_empty(self, field: str) -> bool:
        return self.texts.get(field, "") in _NOTHING

    def instant(self, field: str) -> datetime:
        """The instant of a call. Raises UnreadableCell, also for one in no year of calls."""
        cell = self.texts.get(field, "")
        try:
            found = self._instant(cell)
            wall_clock(found, settings.SERVER_ZONE)
        except UnreadableRow as unreadable:
            raise UnreadableCell(field, unreadable.why) from None
        except (ValueError, OverflowError):
            raise UnreadableCell(field, Message("time_unreadable")) from None
        return found

    def _instant(self, cell: str) -> datetime:
        try:
            return instant(cell, self.zone).astimezone(UTC)
        except UnreadableRow:
            # As spreadsheets write it, without parts of a second.
            ts, _ = TimeReader(self.zone, UTC_ZONE).read(cell)
            return datetime.fromisoformat(ts).replace(tzinfo=UTC)

    def day(self, field: str) -> date:
        """A day in UTC, also that of an instant. Raises UnreadableCell."""
        found = _DAY.fullmatch(self.texts.get(field, ""))
        if found is None:
            return self.instant(field).date()
        try:
            day = date(*map(int, found.groups()))
            wall_clock(datetime.combine(day, time.min, UTC), UTC_ZONE)
        except UnreadableRow as unreadable:
            raise UnreadableCell(field, unreadable.why) from None
        except ValueError:
            raise UnreadableCell(field, Message("time_unreadable")) from None
        return day

    def amount(self, field: str, unit: Unit) -> int:
        """An amount in parts of the unit. Raises UnreadableCell."""
        try:
            return amount(credits_text(self.texts.get(field, ""), self.decimal_sign), unit)
        except UnreadableRow as unreadable:
            raise UnreadableCell(field, unreadable.why) from None

    def count(self, field: str) -> int | None:
        """A number of tokens; None for an empty cell. Raises UnreadableCell."""
        if self.is_empty(field):
            return None
        cell = self.texts[field]
        found = count(_PARTING.sub("", cell) if _THOUSANDS.fullmatch(cell) else cell)
        if found is None:
            raise UnreadableCell(field, Message("tokens_not_count"))
        return found


@dataclass(frozen=True)
class Form:
    """A file of a service.

    `columns` are the names of a field's column by their letters, an earlier one before others; each file has those of
    `needed`. `amounts` names the fields of amounts. A row may be filled in for the span `young` after its call. `mark`
    begins the keys of rows without a request id. One that `is_bill` has sums of days instead of calls.
    """

    name: str
    service: str
    unit: Unit
    columns: Mapping[str, Sequence[str]]
    needed: Sequence[str]
    amounts: Sequence[str]
    read: Callable[[Cells], FiledCall | FiledSum]
    mark: str = ""
    young: timedelta = timedelta(0)
    is_bill: bool = False

    def columns_in(self, names: Sequence[str]) -> dict[str, str]:
        """The column of each field that these names have."""
        by_letters = {letters_of(name): name for name in reversed(names) if name}
        found = {
            field: next((by_letters[one] for one in known if one in by_letters), None)
            for field, known in self.columns.items()
        }
        return {field: name for field, name in found.items() if name is not None}

    def fits(self, names: Sequence[str]) -> bool:
        """Whether these are the names of the columns of such a file."""
        return set(self.needed) <= self.columns_in(names).keys()
