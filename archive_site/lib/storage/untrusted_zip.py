"""Checks of ZIP files that are not trusted, before `zipfile` reads a directory or a member of them."""

import errno
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

# What reading a damaged or crafted file raises, beside the errors of the system.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, OverflowError, UnicodeError)

# The end record of a file without a comment; what is before it in a file that is over 4 GiB.
_END, _END_BYTES = b"PK\x05\x06", 22
_LARGE_END, _LARGE_END_BYTES = b"PK\x06\x07", 20
_ENCRYPTED = 0x1


class EndRecord(NamedTuple):
    """What the end of a file says: bytes of the file, members, bytes of the directory.

    In a large file (over 4 GiB) the last two are elsewhere.
    """

    file_bytes: int
    members: int
    directory_bytes: int
    is_large: bool


@contextmanager
def damage_as(refusal: Exception) -> Iterator[None]:
    """Raise this error where the block cannot read a file because it is damaged or crafted."""
    try:
        yield
    except _DAMAGE:
        raise refusal from None
    except OSError as error:
        # An offset in the file leads to before its start, or to further than a disk reaches.
        if error.errno != errno.EINVAL:
            raise
        raise refusal from None


def end_record(file: BinaryIO) -> EndRecord:
    """Read the end of a file. Raises BadZipFile where anything follows the directory.

    Other readers might find a different directory there.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END_BYTES - _LARGE_END_BYTES))
    last = file.read(_LARGE_END_BYTES + _END_BYTES)
    before, end = last[:-_END_BYTES], last[-_END_BYTES:]
    if len(end) < _END_BYTES or not end.startswith(_END) or end[-2:] != b"\0\0":
        raise zipfile.BadZipFile
    members, directory = struct.unpack("<HL", end[10:16])
    return EndRecord(size, members, directory, is_large=before.startswith(_LARGE_END))


def is_encrypted(member: zipfile.ZipInfo) -> bool:
    return bool(member.flag_bits & _ENCRYPTED)


def is_file(member: zipfile.ZipInfo) -> bool:
    """Whether the member is a plain file, not a link or a device."""
    return stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)


def is_packed_plainly(member: zipfile.ZipInfo) -> bool:
    """Whether the member is stored or deflated: other methods can need much memory."""
    return member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
