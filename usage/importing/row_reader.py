"""Turning a row of a file into a record, by the rules that hold for the rows of the upstream."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib.http.parameters import truth
from archive_site.lib.stored_message import Message
from usage.incoming_record import IncomingRecord, unsaid_of
from usage.incoming_values import UnreadableRow, credits_micro, label, request_id, server_time, text

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

Values = Mapping[str, object]


@dataclass(frozen=True)
class RowReader:
    """Reads rows whose columns are known; times without an offset are wall clock of `zone`."""

    columns: Mapping[str, str]
    zone: ZoneInfo
    is_own_csv: bool = False

    @classmethod
    def of(cls, columns: Mapping[str, str], headers: list[str], zone: ZoneInfo | None) -> "RowReader":
        """The reader of a file. Without a zone, times are those of the server, or of the upstream in its own rows."""
        default = settings.UPSTREAM_ZONE if columns["time"] == _UPSTREAM_TIME else settings.SERVER_ZONE
        return cls(columns, zone or default, set(headers) >= _OWN_COLUMNS)

    def read(self, values: Values) -> IncomingRecord:
        """The record of a row; raises UnreadableRow."""
        if self.is_own_csv:
            values = {name: _unprotected(value) for name, value in values.items()}
        found = {field: values.get(column) for field, column in self.columns.items()}
        whole = text(found.get("prompt"))
        prompt = whole or text(found.get("excerpt"))
        is_cut = bool(prompt and not whole) or truth(found.get("truncated"))
        return IncomingRecord(
            request_id=request_id(found["request_id"]),
            credits_micro=credits_micro(found["credits"]),
            model=label(found.get("model")),
            client=label(found.get("client")),
            ts=self._time(found["time"]),
            prompt=prompt,
            prompt_truncated=is_cut,
            agent_purpose=label(found.get("purpose")),
            unsaid=_unsaid(found),
        )

    def _time(self, value: object) -> str:
        """The time in the server's zone; raises UnreadableRow."""
        ts = self._server_time(value)
        # Sums by day cost as many days as there are between the first and the last.
        if not _FIRST_YEAR <= ts[:4] < _LAST_YEAR:
            raise UnreadableRow(Message("time_unreadable"))
        return ts

    def _server_time(self, value: object) -> str:
        told = text(value).strip()
        try:
            if self.zone is settings.SERVER_ZONE and _OWN_TIME.fullmatch(told):
                datetime.fromisoformat(told)
                return told
        except ValueError:
            raise UnreadableRow(Message("time_unreadable")) from None
        parts = _TIME.fullmatch(told)
        if parts is None:
            return server_time(value, self.zone, settings.SERVER_ZONE)
        year, month, day, hour, minute, second, offset = parts.groups()
        iso = f"{year}-{month:0>2}-{day:0>2} {hour:0>2}:{minute}:{second or '00'}{offset or ''}"
        return server_time(iso, self.zone, settings.SERVER_ZONE)


def _unsaid(found: Mapping[str, object]) -> frozenset[str]:
    """The fields that the row does not have."""
    says_whether_cut = "truncated" in found or "excerpt" in found
    return unsaid_of(found.get("model") is None, found.get("client") is None, not says_whether_cut)


def _unprotected(value: object) -> object:
    return value[1:] if isinstance(value, str) and _PROTECTED.match(value) else value
