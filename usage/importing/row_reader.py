"""Turning a row of a file into a call, by the rules that hold for the rows of the upstream."""

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib.http.parameters import truth
from archive_site.lib.stored_message import Message
from usage.importing.call_row import CallRow, LeftOut, shown
from usage.importing.columns import FIELDS
from usage.importing.csv_rows import Head
from usage.importing.numbers import DecimalSign, credits_text
from usage.importing.request_ids import id_of, is_total
from usage.importing.times import TimeReader
from usage.importing.writings import Writings
from usage.incoming_record import UNSAID
from usage.incoming_values import MAX_LABEL, MissingRequestId, UnreadableRow, credits_micro, text

# What the export of this service puts an apostrophe before (docs/decisions.md#formulas).
_PROTECTED = re.compile("'+[=+@\t\r\uff1d\uff0b\uff0d\uff20-]")
# What some programs write so that a spreadsheet takes a cell as text.
_AS_TEXT = re.compile('="(.*)"', re.DOTALL)
# The column of the upstream's own rows.
_UPSTREAM_TIME = "requestTime"


class RowReader:
    """Reads rows whose columns are known.

    Times without an offset are wall clock of `zone`; without a zone they are those of the server, or of the upstream in
    its own rows. `is_own`: the file is as this service wrote it, so any id is one.
    """

    decimal_sign: DecimalSign = "."

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None, *, is_own: bool, are_serials: bool = False):
        default = settings.UPSTREAM_ZONE if columns["time"] == _UPSTREAM_TIME else settings.SERVER_ZONE
        self._columns = columns
        self._is_own = is_own
        self._times = TimeReader(zone or default, settings.SERVER_ZONE, are_serials=are_serials)
        self._always_unsaid = 0 if "truncated" in columns or "excerpt" in columns else UNSAID["prompt_truncated"]

    def read(self, row: Any) -> CallRow | LeftOut:
        """The call of a row, or why it is left out."""
        key, spent, model, client, time, whole, excerpt, truncated, purpose = values = self._fields(row)
        field, cell = "request_id", key
        try:
            request_id = (key or "").strip() if self._is_own and key else id_of(key or "")
            field, cell = "credits", spent
            credits = credits_micro(credits_text(spent or "", self.decimal_sign))
            field, cell = "time", time
            ts, is_exact = self._times.read(time or "")
        except UnreadableRow as error:
            return self._left_out(error, field, cell or "", values)
        prompt = whole or excerpt or ""
        unsaid = self._always_unsaid
        if not model:
            unsaid |= UNSAID["model"]
        if not client:
            unsaid |= UNSAID["client"]
        if not is_exact:
            unsaid |= UNSAID["ts"]
        is_cut = bool(prompt and not whole) or (truncated is not None and truth(truncated))
        return CallRow(
            request_id, credits, model[:MAX_LABEL] if model else "", client[:MAX_LABEL] if client else "", ts, prompt,
            is_cut, purpose[:MAX_LABEL] if purpose else "", unsaid,
        )  # fmt: skip

    def _fields(self, row: Any) -> Sequence[str | None]:
        """The texts of all fields in their order, None for a missing one; they can be stored as they are."""
        raise NotImplementedError

    def _left_out(self, error: UnreadableRow, field: str, cell: str, values: Sequence[str | None]) -> LeftOut:
        if isinstance(error, MissingRequestId) and any(map(is_total, values)):
            return LeftOut(Message("row_is_total"))
        return LeftOut(error.why, self._columns[field], shown(cell)) if cell.strip() else LeftOut(error.why)


class CsvReader(RowReader):
    """Reads rows that are lists of texts, in the order of the names."""

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None, head: Head, writings: Writings):
        super().__init__(columns, zone, is_own=head.is_untouched, are_serials=writings.are_serials)
        self.decimal_sign = writings.decimal_sign
        # The last value of a row is the None that is appended to it.
        self._pick = itemgetter(*(head.names.index(columns[field]) if field in columns else -1 for field in FIELDS))
        self._is_protected = head.is_own

    def _fields(self, row: Any) -> Sequence[str | None]:
        row.append(None)
        values: tuple[str | None, ...] = self._pick(row)
        if self._is_protected:
            for value in values:
                if value and value[0] == "'":
                    return [_unprotected(each) for each in values]
        else:
            for value in values:
                if value and value[0] == "=":
                    return [without_formula(each) for each in values]
        return values


class JsonReader(RowReader):
    """Reads rows that are objects."""

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None, *, is_own: bool):
        super().__init__(columns, zone, is_own=is_own)
        self._names = [columns.get(field) for field in FIELDS]

    def _fields(self, row: Any) -> Sequence[str | None]:
        # Escapes in JSON may stand for what no store can hold; numbers are texts already.
        return [None if value is None else text(value) for value in map(row.get, self._names)]


def _unprotected(value: str | None) -> str | None:
    return value[1:] if value and value[0] == "'" and _PROTECTED.match(value) else value


def without_formula(value: str | None) -> str | None:
    found = _AS_TEXT.fullmatch(value) if value else None
    return found[1] if found else value
