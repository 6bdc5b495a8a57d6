"""The formats of exports and lists, by `format=` or the header `Accept` (docs/api.md#formats)."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from usage.amounts.units import Unit
from usage.export import parquet_file
from usage.export.csv_file import CsvForm
from usage.export.header import Contents
from usage.export.json_lines import JsonLines
from usage.export.pieces import Form


@dataclass(frozen=True)
class Format:
    """`ending` is that of a file's name. `broken_off` ends a file that is not complete."""

    content_type: str
    ending: str
    form: Callable[[Contents, str, Unit], Form]
    broken_off: bytes


_BROKEN_OFF = "THIS FILE IS NOT COMPLETE: the export broke off here. Please export again."
FORMATS = {
    "csv": Format(
        "text/csv; charset=utf-8", "csv", CsvForm,
        f'"{_BROKEN_OFF}"\r\n'.encode(),
    ),
    "jsonl": Format(
        "application/x-ndjson", "jsonl", lambda contents, language, unit: JsonLines(contents, unit),
        f'{{"error":"incomplete","message":"{_BROKEN_OFF}"}}\n'.encode(),
    ),
    # Without its end, nothing reads it.
    "parquet": Format(
        "application/vnd.apache.parquet", "parquet",
        lambda contents, language, unit: parquet_file.ParquetFile(unit, contents), b"",
    ),
}  # fmt: skip
FILE_TYPES = tuple(form.content_type for form in FORMATS.values())
_ACCEPTED = {
    "text/csv": "csv", "application/x-ndjson": "jsonl", "application/jsonl": "jsonl",
    "application/vnd.apache.parquet": "parquet",
}  # fmt: skip


# What is given without a choice, as a browser names it.
_USUAL = {"csv": "text/csv", "json": "application/json"}


def format_in(request: HttpRequest, given: str, otherwise: str) -> str:
    """The format that a request asks for; `otherwise` where it asks for none. Raises ApiError 400."""
    asked = given.strip().lower()
    if not asked and request.headers.get("Accept"):
        asked = _accepted(request, _USUAL[otherwise])
    if not asked:
        return otherwise
    if asked not in {*FORMATS, otherwise}:
        names = ", ".join(sorted({*FORMATS, otherwise}))
        raise ApiError(400, "bad_request", gettext("'format' can only be one of: %(names)s.") % {"names": names})
    if asked == "parquet" and not parquet_file.is_available():
        message = gettext("Parquet needs the Python package pyarrow, which is not installed on this instance.")
        raise ApiError(400, "bad_request", message)
    return asked


def _accepted(request: HttpRequest, usual: str) -> str:
    """The format of a file that `Accept` prefers; empty where it is the usual one."""
    offered = {usual: "", **_ACCEPTED}
    for one in request.accepted_types:
        plain = f"{one.main_type}/{one.sub_type}"
        if plain in offered:
            # Also with parameters, such as a charset.
            offered[str(one)] = offered[plain]
    return offered.get(request.get_preferred_type(list(offered)) or "", "")
