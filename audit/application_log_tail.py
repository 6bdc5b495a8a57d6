"""The end of the application's log, read backwards: the cost depends on the requested lines, not on its size."""

import os
from collections.abc import Iterator
from pathlib import Path

from audit.redaction import redacted

BLOCK = 64 * 1024
# Characters shown of a line. More bytes are read, so that a secret across the cut is recognised and masked.
LINE_SHOWN = 8 * 1024
_LINE_READ = 32 * 1024
CUT = " … this line was cut"


def last_lines(log: Path, count: int) -> list[str]:
    """The last `count` lines of a log and, if it is shorter, of its rotated files, oldest first.

    Lines are redacted again; damaged UTF-8 becomes U+FFFD. Memory holds only these lines, each of at most 8 KiB.
    """
    found: list[str] = []
    seen: set[int] = set()
    for path in _newest_first(log):
        try:
            with path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                # The log was rotated meanwhile: this is the file that was read already, under its new name.
                if inode in seen:
                    continue
                seen.add(inode)
                for line in _backwards(file.fileno()):
                    found.append(line)
                    if len(found) == count:
                        return found[::-1]
        except (FileNotFoundError, PermissionError, IsADirectoryError):
            # A log that cannot be read can hardly be written, which the page says.
            continue
    return found[::-1]


def _newest_first(log: Path) -> Iterator[Path]:
    yield log
    for number in range(1, len(list(log.parent.glob(f"{log.name}.*"))) + 1):
        yield log.with_name(f"{log.name}.{number}")


def _backwards(file: int) -> Iterator[str]:
    """The lines of an open file, last one first."""
    position = os.fstat(file).st_size
    head, length = b"", 0
    # The empty text after the last line break is not a line.
    at_end = True
    while position:
        size = min(BLOCK, position)
        position -= size
        *before, last = os.pread(file, size, position).split(b"\n")[::-1]
        for part in before:
            if not at_end or part or length:
                yield _readable(part + head, length + len(part))
            at_end = False
            head, length = b"", 0
        head, length = (last + head)[:_LINE_READ], length + len(last)
    if length or not at_end:
        yield _readable(head, length)


def _readable(head: bytes, length: int) -> str:
    """The text of a line of `length` bytes, from its first 32 KiB."""
    text = redacted(head[:_LINE_READ].decode(errors="replace").rstrip("\r"))
    if length <= _LINE_READ and len(text) <= LINE_SHOWN:
        return text
    return text[:LINE_SHOWN] + CUT
