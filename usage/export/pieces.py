"""An export in small pieces, in any of its forms (docs/decisions/files.md).

Nothing stays open between two pieces, so a slow reader blocks neither writers nor the emptying of SQLite's log.
"""

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from datetime import datetime
from typing import Protocol

from django.utils import timezone
from django.utils.translation import gettext_noop

from usage import data_version
from usage.filters import RecordFilters
from usage.reads import queries

# A piece ends with the line that reaches this many bytes.
PIECE = 256 * 1024

# A line for each id that was asked for; None where the account has no such record.
Lines = Generator[bytes | None, None, None]


class IncompleteExport(Exception):
    """Records of the file were removed while it was written. The message gives the reason, in English."""


class Form(Protocol):
    """How a file is written. One object writes one file."""

    def begin(self) -> bytes:
        """What comes before the first record."""

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        """The next piece, and how many of these records, at least one, it takes from the first on.

        Raises IncompleteExport where the account has no such record any more.
        """

    def end(self) -> bytes:
        """What comes after the last record."""


def pieces(archive_id: int, filters: RecordFilters, order: str, form: Form) -> Iterator[bytes]:
    """The file of all records that the filters find. `order` is one of `ORDERS`.

    Raises IncompleteExport when the archive, or a record of it, was erased or replaced meanwhile.
    """
    archive = _archive(archive_id)
    yield from pieces_of(archive_id, queries.chunks_of_ids(archive_id, filters, order), form)
    if _archive(archive_id) != archive:
        raise IncompleteExport(gettext_noop("the archive was erased or replaced"))


def pieces_of(archive_id: int, chunks: Iterable[list[int]], form: Form) -> Iterator[bytes]:
    """The file of these records. Raises IncompleteExport."""
    yield form.begin()
    for ids in chunks:
        while ids:
            piece, written = form.write(archive_id, ids)
            ids = ids[written:]
            if piece:
                yield piece
    if end := form.end():
        yield end


def begun(stream: Generator[bytes]) -> Iterator[bytes]:
    """The stream, whose first piece is made before it is given: a failure until then is answered as any other.

    It is closed with what is given, read or not.
    """
    pieces = _from_first_on(stream)
    next(pieces)
    return pieces


def _from_first_on(stream: Generator[bytes]) -> Iterator[bytes]:
    with closing(stream):
        first = next(stream, b"")
        # The one that `begun` takes.
        yield b""
        yield first
        yield from stream


def file_name(account: str, at: datetime, ending: str = "csv") -> str:
    """`usage-<account>-<YYYYMMDD-HHMMSS>.csv`, safe in a header and in any folder, in the server's time."""
    safe = re.sub(r"[^\w.-]", "_", account)[:64]
    return f"usage-{safe}-{timezone.localtime(at):%Y%m%d-%H%M%S}.{ending}"


def first_lines(lines: Lines) -> tuple[bytes, int]:
    """As many lines as a piece takes, at least one, and their number. Raises IncompleteExport."""
    found: list[bytes] = []
    size = 0
    with closing(lines):
        for line in lines:
            if line is None:
                raise IncompleteExport(gettext_noop("a record was erased"))
            found.append(line)
            size += len(line)
            if size >= PIECE:
                break
    return b"".join(found), len(found)


def _archive(archive_id: int) -> tuple[str, bool]:
    """Values that change when an archive is erased or replaced: the store's id, and whether there is a data version."""
    store, number, _ = data_version.state(archive_id)
    return store, number == str(None)
