"""The CSV file of an archive: the database builds its lines, and it is sent in small pieces (docs/decisions.md#export).

Nothing stays open between two pieces, so a slow reader blocks neither writers nor the emptying of SQLite's log.
"""

import json
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import datetime

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_noop

from archive_site.lib.storage import engine
from usage import data_version, queries
from usage.export.header import SPECIFIED, header
from usage.filters import RecordFilters
from usage.models import Record
from usage.record_payloads import MICRO, prompt_of

# A piece ends with the line that reaches this many bytes.
PIECE = 128 * 1024
# A spreadsheet runs a cell that begins with one of these as a formula; some also take the full-width signs.
_RUN = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_RUN_IN_SQL = "'[=+@\t\r\uff1d\uff0b\uff0d\uff20-]*'"

Lines = Generator[bytes | None, None, None]


class IncompleteExport(Exception):
    """Records of the file were removed while it was written. The message gives the reason, in English."""


def pieces(
    user_id: int, filters: RecordFilters, order: str, *, purpose: bool = False, language: str = SPECIFIED
) -> Iterator[bytes]:
    """The file in pieces of about 128 KiB, starting with byte-order mark and header. `order` is one of `ORDERS`.

    `purpose` adds a last column; `language` is that of the header. Raises IncompleteExport when the archive, or a
    record of it, was erased or replaced meanwhile.
    """
    archive = _archive(user_id)
    yield header(language, purpose=purpose)
    for ids in queries.chunks_of_ids(user_id, filters, order):
        while ids:
            lines = _lines(user_id, ids, purpose)
            ids = ids[len(lines) :]
            yield b"".join(lines)
    if _archive(user_id) != archive:
        raise IncompleteExport(gettext_noop("the archive was erased or replaced"))


def file_name(account: str, at: datetime) -> str:
    """`usage-<account>-<YYYYMMDD-HHMMSS>.csv`, safe in a header and in any folder, in the server's time."""
    safe = re.sub(r"[^\w.-]", "_", account)[:64]
    return f"usage-{safe}-{timezone.localtime(at):%Y%m%d-%H%M%S}.csv"


def _archive(user_id: int) -> tuple[str, bool]:
    """Values that change when an archive is erased or replaced: the store's id, and whether there is a data version."""
    store, number, _ = data_version.state(user_id)
    return store, number == str(None)


def _lines(user_id: int, ids: list[int], purpose: bool) -> list[bytes]:
    """The lines of the first of these records, in their order: enough for one piece, at least one."""
    lines: list[bytes] = []
    size = 0
    with closing(_all_lines(user_id, ids, purpose)) as found:
        for line in found:
            if line is None:
                raise IncompleteExport(gettext_noop("a record was erased"))
            lines.append(line)
            size += len(line)
            if size >= PIECE:
                break
    return lines


def _all_lines(user_id: int, ids: list[int], purpose: bool) -> Lines:
    """A line for each id; None where the account has no such record."""
    return (lines_by_sqlite if engine.IS_SQLITE else lines_by_hand)(user_id, ids, purpose)


def lines_by_sqlite(user_id: int, ids: list[int], purpose: bool = False) -> Lines:
    # The outer join keeps the order of the ids and returns a row for each. The account is checked because after a
    # restore an id may belong to another account.
    with connection.cursor() as cursor:
        # Pages that the last piece has read are not needed again and would fill this thread's page cache.
        cursor.execute("PRAGMA shrink_memory")
        cursor.execute(
            f"SELECT CAST({_LINES[purpose]} AS BLOB) FROM json_each(%s) wanted "  # noqa: S608 - constant parts, bound values
            "LEFT JOIN usage_record r ON r.id = wanted.value AND r.user_id = %s "
            "LEFT JOIN usage_prompt p ON p.record_id = r.id",
            [json.dumps(ids), user_id],
        )
        for (line,) in cursor:
            yield line


def _text_in_sql(column: str) -> str:
    return f"CASE WHEN {column} GLOB {_RUN_IN_SQL} THEN '''' || {column} ELSE {column} END"


_CREDITS = (
    f"CASE WHEN r.credits %% {MICRO} = 0 THEN (r.credits / {MICRO}) || '.0' "
    f"ELSE rtrim(printf('%%s%%d.%%06d', CASE WHEN r.credits < 0 THEN '-' ELSE '' END, abs(r.credits) / {MICRO}, "
    f"abs(r.credits) %% {MICRO}), '0') END"
)
_VALUES = [
    _text_in_sql("r.request_id"),
    _CREDITS,
    _text_in_sql("COALESCE(p.text, '')"),
    _text_in_sql("r.model"),
    _text_in_sql("r.client"),
    "r.ts",
]
_FORMAT = '"%%w",%%s,"%%w","%%w","%%w","%%s"'


def _line_in_sql(form: str, values: list[str]) -> str:
    return f"CASE WHEN r.id IS NOT NULL THEN printf('{form}' || char(13, 10), {', '.join(values)}) END"


# The line of a record without and with its purpose, equal to the result of `_line`. `%w` doubles the quotes in a text.
_LINES = {
    False: _line_in_sql(_FORMAT, _VALUES),
    True: _line_in_sql(f'{_FORMAT},"%%w"', [*_VALUES, _text_in_sql("r.agent_purpose")]),
}


def lines_by_hand(user_id: int, ids: list[int], purpose: bool = False) -> Lines:
    records = Record.objects.select_related("prompt").filter(user_id=user_id, pk__in=ids)
    found = {record.pk: record for record in records}
    for pk in ids:
        yield _line(found[pk], purpose) if pk in found else None


def _line(record: Record, purpose: bool) -> bytes:
    texts = [text_cell(value) for value in (record.request_id, prompt_of(record), record.model, record.client)]
    more = [text_cell(record.agent_purpose)] if purpose else []
    cells = [texts[0], credits_text(record.credits), *texts[1:], f'"{record.ts}"', *more]
    return (",".join(cells) + "\r\n").encode()


def text_cell(value: str) -> str:
    """A quoted cell that no spreadsheet runs as a formula."""
    mark = "'" if value.startswith(_RUN) else ""
    quoted = value.replace('"', '""')
    return f'"{mark}{quoted}"'


def credits_text(micro: int) -> str:
    """Credits as in JSON (12.0, 0.1), with every digit and never with an exponent."""
    whole, rest = divmod(abs(micro), MICRO)
    return f"{'-' if micro < 0 else ''}{whole}.{f'{rest:06d}'.rstrip('0') or '0'}"
