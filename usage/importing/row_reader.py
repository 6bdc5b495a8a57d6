"""Turning a row of a file into a call, by the rules that hold for the rows of the upstream."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib.http.parameters import truth
from archive_site.lib.stored_message import Message
from usage.importing.call_row import CallRow
from usage.importing.columns import FIELDS
from usage.incoming_values import MAX_LABEL, MAX_REQUEST_ID, UnreadableRow, credits_micro, request_id, server_time, text

# What the export of this service puts an apostrophe before (docs/decisions.md#formulas).
_PROTECTED = re.compile("'[=+@\t\r\uff1d\uff0b\uff0d\uff20-]")
_OWN_COLUMNS = {"RequestID", "积分消耗", "User Prompt", "模型", "客户端", "时间"}
# The column of the upstream's own rows.
_UPSTREAM_TIME = "requestTime"
_FIRST_YEAR, _LAST_YEAR = "1970", "2100"
_OWN_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII)
_TIME = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)? *(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)


class RowReader:
    """Reads rows whose columns are known.

    Times without an offset are wall clock of `zone`; without a zone they are those of the server, or of the upstream in
    its own rows.
    """

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None):
        default = settings.UPSTREAM_ZONE if columns["time"] == _UPSTREAM_TIME else settings.SERVER_ZONE
        self._zone = zone or default
        self._server_zone = settings.SERVER_ZONE
        self._says_whether_cut = "truncated" in columns or "excerpt" in columns

    def read(self, row: Any) -> CallRow:
        """The call of a row; raises UnreadableRow."""
        key, spent, model, client, time, whole, excerpt, truncated, purpose = self._fields(row)
        prompt = whole or excerpt or ""
        is_cut = bool(prompt and not whole) or (truncated is not None and truth(truncated))
        return CallRow(
            _request_id(key),
            credits_micro(spent),
            model and model[:MAX_LABEL],
            client and client[:MAX_LABEL],
            self._time(time),
            prompt,
            is_cut if self._says_whether_cut else None,
            purpose[:MAX_LABEL] if purpose else "",
        )

    def _fields(self, row: Any) -> Sequence[str | None]:
        """The texts of all fields in their order, None for a missing one; they can be stored as they are."""
        raise NotImplementedError

    def _time(self, value: str | None) -> str:
        """The time in the server's zone; raises UnreadableRow."""
        ts = self._server_time(value)
        # Sums by day cost as many days as there are between the first and the last.
        if not _FIRST_YEAR <= ts[:4] < _LAST_YEAR:
            raise UnreadableRow(Message("time_unreadable"))
        return ts

    def _server_time(self, value: str | None) -> str:
        told = value.strip() if value else ""
        try:
            if self._zone is self._server_zone and _OWN_TIME.fullmatch(told):
                datetime.fromisoformat(told)
                return told
        except ValueError:
            raise UnreadableRow(Message("time_unreadable")) from None
        parts = _TIME.fullmatch(told)
        if parts is None:
            return server_time(value, self._zone, self._server_zone)
        year, month, day, hour, minute, second, offset = parts.groups()
        iso = f"{year}-{month:0>2}-{day:0>2} {hour:0>2}:{minute}:{second or '00'}{offset or ''}"
        return server_time(iso, self._zone, self._server_zone)


class CsvReader(RowReader):
    """Reads rows that are lists of texts, in the order of the headers."""

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None, headers: list[str]):
        super().__init__(columns, zone)
        # The last value of a row is the None that is appended to it.
        self._pick = itemgetter(*(headers.index(columns[field]) if field in columns else -1 for field in FIELDS))
        self._is_own = set(headers) >= _OWN_COLUMNS

    def _fields(self, row: Any) -> Sequence[str | None]:
        row.append(None)
        values: tuple[str | None, ...] = self._pick(row)
        if self._is_own:
            for value in values:
                if value and value[0] == "'":
                    return [_unprotected(each) for each in values]
        return values


class JsonReader(RowReader):
    """Reads rows that are objects."""

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None):
        super().__init__(columns, zone)
        self._names = [columns.get(field) for field in FIELDS]

    def _fields(self, row: Any) -> Sequence[str | None]:
        # Escapes in JSON may stand for what no store can hold; numbers are texts already.
        return [None if value is None else text(value) for value in map(row.get, self._names)]


def _request_id(value: str | None) -> str:
    found = value.strip() if value else ""
    return found if 0 < len(found) <= MAX_REQUEST_ID else request_id(found)


def _unprotected(value: str | None) -> str | None:
    return value[1:] if value and value[0] == "'" and _PROTECTED.match(value) else value
