"""Reading the rows of a file of a service as calls."""

import json
from collections.abc import Callable, Mapping, Sequence

from django.conf import settings

from usage import measures_form
from usage.importing.call_row import CallRow, LeftOut, shown
from usage.importing.numbers import DecimalSign
from usage.importing.request_ids import id_of, key_of
from usage.importing.service_files.form import Cells, FiledCall, Form, UnreadableCell
from usage.incoming_values import UnreadableRow, wall_clock


class ServiceReader:
    """Reads rows of a form, whose names are known. Its keys of rows without a request id come several times."""

    is_own = False

    def __init__(self, form: Form, names: Sequence[str], decimal_sign: DecimalSign, plain: Callable[[str], str]):
        self._form, self._decimal_sign, self._plain = form, decimal_sign, plain
        self.columns: Mapping[str, str] = form.columns_in(names)
        self._places = {field: names.index(name) for field, name in self.columns.items()}

    def read(self, row: Sequence[str]) -> CallRow | LeftOut:
        """The call of a row, or why it is left out."""
        texts = {field: self._plain(row[place]).strip() for field, place in self._places.items()}
        try:
            return self._call(self._form.read(Cells(texts, self._decimal_sign)))
        except UnreadableCell as unreadable:
            return self._left_out(unreadable, texts)
        except UnreadableRow as unreadable:
            return LeftOut(unreadable.why)

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

    def _left_out(self, unreadable: UnreadableCell, texts: Mapping[str, str]) -> LeftOut:
        field = unreadable.field
        return LeftOut(unreadable.why, self.columns.get(field, ""), shown(texts.get(field, "")))
