"""Reading the rows of a file of a service as calls, or as sums of days."""

import json
from collections.abc import Callable, Mapping, Sequence
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib.stored_message import Message
from usage import measures_form
from usage.importing.call_row import CallRow, LeftOut, shown
from usage.importing.numbers import DecimalSign
from usage.importing.request_ids import id_of, is_total, key_of
from usage.importing.service_files.form import UTC_ZONE, Cells, FiledCall, FiledSum, Form, UnreadableCell
from usage.incoming.values import UnreadableRow, wall_clock

# Fields that say in a row of a total that it is one.
_NAMES = ("model", "client", "time", "purpose")


class ServiceReader:
    """Reads rows of a form, whose names are known. Its keys of rows without a request id come several times."""

    is_own = False

    def __init__(
        self,
        form: Form,
        names: Sequence[str],
        decimal_sign: DecimalSign,
        plain: Callable[[str], str],
        zone: ZoneInfo | None = None,
    ):
        self._form, self._plain = form, plain
        self._decimal_sign: DecimalSign = decimal_sign
        self._zone = zone or UTC_ZONE
        self.columns: Mapping[str, str] = form.columns_in(names)
        self._places = {field: names.index(name) for field, name in self.columns.items()}

    def read(self, row: Sequence[str]) -> CallRow | LeftOut:
        """The call or the sums of a row, or why it is left out."""
        texts = {field: self._plain(row[place]).strip() for field, place in self._places.items()}
        if any(is_total(texts.get(field)) for field in _NAMES):
            return LeftOut(Message("row_is_total"))
        try:
            found = self._form.read(Cells(texts, self._decimal_sign, self._zone))
            return self._sums(found) if isinstance(found, FiledSum) else self._call(found)
        except UnreadableCell as unreadable:
            return self._left_out(unreadable, texts)
        except UnreadableRow as unreadable:
            return self._left_out(UnreadableCell("request_id", unreadable.why), texts)

    def _call(self, call: FiledCall) -> CallRow:
        assert call.measures.at
        key = id_of(call.request_id) if "request_id" in self.columns else key_of(self._form.mark, call.held)
        return CallRow(
            key,
            call.amount,
            call.model,
            call.client,
            wall_clock(call.measures.at, settings.SERVER_ZONE),
            "",
            False,
            call.purpose,
            0,
            json.dumps(measures_form.written(call.measures)),
        )

    def _sums(self, found: FiledSum) -> CallRow:
        """A row as it waits for `usage.importing.filed_bills`: each is one of its own."""
        key, counted = key_of(self._form.mark, (found.day.isoformat(), found.model)), json.dumps(found.counted)
        return CallRow(key, 0, found.model, "", f"{found.day} 00:00:00", "", False, "", 0, counted)

    def _left_out(self, unreadable: UnreadableCell, texts: Mapping[str, str]) -> LeftOut:
        field = unreadable.field
        return LeftOut(unreadable.why, self.columns.get(field, ""), shown(texts.get(field, "")))
