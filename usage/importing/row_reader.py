"""Turning a row of a file into a call, by the rules that hold for the rows of the source."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from archive_site.lib.http.parameter_parsing import truth
from archive_site.lib.stored_message import Message
from usage import measures_form
from usage.amounts.units import Unit
from usage.export.header import places_of_measures
from usage.importing.call_row import CallRow, LeftOut, shown
from usage.importing.columns import FIELDS, storable
from usage.importing.csv_notation import Writings
from usage.importing.csv_rows import Head
from usage.importing.json_document import Number
from usage.importing.json_rows import COUNTS, MEASURES, PROVENANCE, TOKENS, UNIT
from usage.importing.lost_characters import Loss, loss_in
from usage.importing.numbers import DecimalSign, credits_text
from usage.importing.request_ids import id_of, is_placeholder, is_total, key_of
from usage.importing.times import Serials, TimeReader
from usage.importing.unreadable_file import of_another_unit
from usage.incoming.record import MISSING
from usage.incoming.values import MAX_LABEL, MissingRequestId, UnreadableRow, amount, request_id, text
from usage.measures import NO_MEASURES, Measures, Provenance
from usage.source_traits import zone_of_column

# What the export of this service puts an apostrophe before (docs/decisions/files.md#formulas).
_PROTECTED = re.compile("'+[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]")
# What some programs write so that a spreadsheet takes a cell as text.
_AS_TEXT = re.compile(r'\s*="(.*)"\s*', re.DOTALL)
# Why a row is left out whose cell of a field is empty.
_EMPTY = {"credits": Message("credit_empty"), "time": Message("time_empty")}


class _Nested(str):
    """A JSON value that is no text: empty, but shown as it is written."""

    written: str


class RowReader:
    """Reads rows whose columns are known.

    Times without an offset are wall clock of `zone`; without a zone they are those of the server, or of a source in
    its own rows. `is_own`: the file is as this service wrote it, so any text is an id, and every value is exact.
    """

    ids_are_rounded = False

    def __init__(
        self,
        columns: Mapping[str, str],
        zone: ZoneInfo | None,
        unit: Unit,
        *,
        is_own: bool,
        serials: Serials = Serials.NONE,
    ):
        default = zone_of_column(columns["time"]) or settings.SERVER_ZONE
        self.columns = storable(columns)
        self.is_own = is_own
        self._unit = unit
        self._times = TimeReader(zone or default, settings.SERVER_ZONE, serials)
        self._always_missing = 0 if "truncated" in columns or "excerpt" in columns else MISSING["prompt_truncated"]

    def read(self, row: Any) -> CallRow | LeftOut:
        """The call of a row, or why it is left out."""
        key, spent, model, client, time, whole, excerpt, truncated, purpose = values = self._fields(row)
        field, cell = "request_id", key
        try:
            call_id = self._id(key or "")
            field, cell = "credits", spent
            is_unknown = not spent and self._is_unknown(row)
            credits = 0 if is_unknown else amount(credits_text(spent or "", self._sign_of(spent or "")), self._unit)
            field, cell = "time", time
            ts, is_exact = self._times.read(time or "")
        except UnreadableRow as error:
            return self._left_out(error, field, getattr(cell, "written", cell) or "", values)
        try:
            measures, is_whole = self._measures(row)
        except ValueError:
            return LeftOut(Message("measures_unreadable"))
        model, client, purpose = self._label(model), self._label(client), self._label(purpose)
        prompt = whole or excerpt or ""
        is_cut = bool(prompt and not whole) or (truncated is not None and truth(truncated))
        if prompt and not self.is_own and ("?" in prompt or prompt[0] in "#E") and (loss := loss_in(prompt)):
            # What has lost some characters never replaces a whole prompt, and what has lost all is none.
            prompt, is_cut = ("" if loss is Loss.WHOLE else prompt), loss is Loss.PART
        missing = self._missing_bits(model, client, purpose, is_exact=is_exact, credits=credits)
        if is_cut:
            missing &= ~MISSING["prompt_truncated"]
        if measures is NO_MEASURES:
            return CallRow(call_id, credits, model, client, ts, prompt, is_cut, purpose, missing)
        beside = json.dumps(measures_form.written(measures))
        missing |= 0 if is_whole else MISSING["instant"]
        return CallRow(call_id, credits, model, client, ts, prompt, is_cut, purpose, missing, beside)

    def _fields(self, row: Any) -> Sequence[str | None]:
        """The texts of all fields in their order, None for a missing one; they can be stored as they are."""
        raise NotImplementedError

    def _is_unknown(self, row: Any) -> bool:
        """Whether a row of this service says that the amount of its call is unknown."""
        return False

    def _measures(self, row: Any) -> tuple[Measures, bool]:
        """What a row of this service has beside its amount, `NO_MEASURES` for nothing, and whether that is all of it.

        Raises ValueError, and UnreadableFile for amounts in another unit than those of the archive.
        """
        return NO_MEASURES, True

    def _exported(self, unit: object, provenance: object, tokens: Sequence[object]) -> tuple[Measures, bool]:
        """The same of a row of an export."""
        if unit != self._unit.code:
            raise of_another_unit(shown(str(unit)), self._unit.code)
        found = measures_form.exported(provenance, tokens)
        return (NO_MEASURES, True) if found == NO_MEASURES else (found, False)

    def _sign_of(self, cell: str) -> DecimalSign:
        """The decimal sign of the credits in this cell."""
        raise NotImplementedError

    def _id(self, cell: str) -> str:
        if self.is_own and type(cell) is str:
            return request_id(cell)
        return id_of(cell, are_rounded=self.ids_are_rounded)

    def _label(self, cell: str | None) -> str:
        if not cell:
            return ""
        return cell[:MAX_LABEL] if self.is_own else _label_in(cell.strip()[:MAX_LABEL])

    def _missing_bits(self, model: str, client: str, purpose: str, *, is_exact: bool, credits: int) -> int:
        missing = self._always_missing
        if not model:
            missing |= MISSING["model"]
        if not client:
            missing |= MISSING["client"]
        if not purpose:
            missing |= MISSING["agent_purpose"]
        if not is_exact:
            missing |= MISSING["ts"]
        # A spreadsheet stores the decimals that it shows.
        if credits % self._unit.one and not credits % 10 and not self.is_own:
            missing |= MISSING["credits"]
        return missing

    def _left_out(self, error: UnreadableRow, field: str, cell: str, values: Sequence[str | None]) -> LeftOut:
        if isinstance(error, MissingRequestId):
            named = dict(zip(FIELDS, values, strict=True))
            if any(is_total(named[name]) for name in ("model", "client", "time", "purpose")):
                return LeftOut(Message("row_is_total"))
            if error.why.code == "request_id_missing":
                return LeftOut(error.why)
        why = error.why if cell.strip() else _EMPTY[field]
        return LeftOut(why, self.columns[field], shown(cell))


class CsvReader(RowReader):
    """Reads rows that are lists of texts, in the order of the names."""

    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None, unit: Unit, head: Head, writings: Writings):
        super().__init__(columns, zone, unit, is_own=head.is_untouched, serials=writings.serials)
        self._decimal_sign = writings.decimal_sign
        self.ids_are_rounded = writings.ids_are_rounded
        # The last value of a row is the None that is appended to it.
        self._pick = itemgetter(*(head.names.index(columns[field]) if field in columns else -1 for field in FIELDS))
        self._plain = plain_cell(head)
        self._measured = places_of_measures(head.names)

    def _is_unknown(self, row: Any) -> bool:
        return bool(self._measured) and self._plain(row[self._measured[1]]) == Provenance.UNKNOWN

    def _measures(self, row: Any) -> tuple[Measures, bool]:
        if not self._measured:
            return NO_MEASURES, True
        unit, provenance, *tokens = (self._plain(row[place]) for place in self._measured)
        return self._exported(unit, provenance, tokens if any(tokens) else [])

    def _sign_of(self, cell: str) -> DecimalSign:
        return self._decimal_sign

    def _fields(self, row: Any) -> Sequence[str | None]:
        row.append(None)
        values: tuple[str | None, ...] = self._pick(row)
        for value in values:
            if value and value[0] in "'= ":
                return [each and self._plain(each) for each in values]
        return values


class KeyedReader(CsvReader):
    """Reads rows without request ids: each has a key of its whole content (docs/sources/files.md#keys)."""

    def read(self, row: Any) -> CallRow | LeftOut:
        key = key_of("row", [self._plain(cell).strip() for cell in row])
        call = super().read(row)
        return call if isinstance(call, LeftOut) else call._replace(request_id=key)

    def _id(self, cell: str) -> str:
        return cell


class JsonReader(RowReader):
    """Reads rows that are objects. Their numbers have a decimal point; those in texts have the sign of all of them."""

    def __init__(
        self,
        columns: Mapping[str, str],
        zone: ZoneInfo | None,
        unit: Unit,
        sign_of_texts: Callable[[], DecimalSign],
        *,
        is_own: bool,
    ):
        super().__init__(columns, zone, unit, is_own=is_own)
        self._names = [columns.get(field) for field in FIELDS]
        self._credits = columns["credits"]
        self._sign_of_texts = sign_of_texts

    def credits_in_text(self, row: Any) -> str:
        """The credits of a row where they are a text, else an empty one."""
        cell = row.get(self._credits)
        return self._text(cell) if type(cell) is str else ""

    def _is_unknown(self, row: Any) -> bool:
        beside = row.get(MEASURES, row)
        return self.is_own and isinstance(beside, dict) and beside.get(PROVENANCE) == Provenance.UNKNOWN

    def _measures(self, row: Any) -> tuple[Measures, bool]:
        if not self.is_own:
            return NO_MEASURES, True
        if MEASURES in row:
            return measures_form.read(row[MEASURES]), True
        if UNIT not in row:
            return NO_MEASURES, True
        tokens = row[TOKENS]
        if tokens is not None and (not isinstance(tokens, dict) or tokens.keys() != {*COUNTS}):
            raise ValueError("no tokens")
        return self._exported(row[UNIT], row[PROVENANCE], [tokens[name] for name in COUNTS] if tokens else [])

    def _sign_of(self, cell: str) -> DecimalSign:
        # Whole numbers are the same in both writings, and the file is read for the others only.
        return self._sign_of_texts() if type(cell) is str and ("," in cell or "." in cell) else "."

    def _fields(self, row: Any) -> Sequence[str | None]:
        # Escapes in JSON may stand for what no store can hold; numbers are texts already.
        return [None if value is None else self._text(value) for value in map(row.get, self._names)]

    def _text(self, value: object) -> str:
        if isinstance(value, dict | list):
            nested = _Nested()
            nested.written = text(json.dumps(value, ensure_ascii=False))
            return nested
        # A number or a switch is no text, and no id of this service.
        found = text(value) if type(value) is str else Number(_unquoted(value))
        return found if self.is_own or found[:1] != "=" else _without_formula(found)


def _unquoted(value: object) -> str:
    """A number or a switch as JSON has it."""
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, Number) else text(value)


@lru_cache(256)
def _label_in(label: str) -> str:
    """A label of a file; few labels come in most of its rows."""
    return "" if is_placeholder(label) else label


def plain_cell(head: Head) -> Callable[[str], str]:
    """What takes off of a cell of a file what protects it: an apostrophe, and a formula where others wrote the file.

    The names of its columns do not matter: people add and rename columns of an export.
    """
    return _unprotected if head.is_untouched else (lambda cell: _unprotected(_without_formula(cell)))


def _unprotected(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and _PROTECTED.match(cell) else cell


def _without_formula(cell: str) -> str:
    found = _AS_TEXT.fullmatch(cell)
    return found[1].replace('""', '"') if found else cell
