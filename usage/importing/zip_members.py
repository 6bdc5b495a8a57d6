"""The members of a ZIP file that is not trusted: every limit is checked before the bytes are read."""

import hashlib
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import BinaryIO, cast

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import filled
from usage.importing.file_source import Source
from usage.importing.unreadable_file import UnreadableFile

START = b"PK\x03\x04"
# The end record of a ZIP file without a comment; what is before it in one that is over 4 GiB.
_END, _END_BYTES = b"PK\x05\x06", 22
_LARGE_END, _LARGE_END_BYTES = b"PK\x06\x07", 20
_MOST_MEMBERS, _DIRECTORY_BYTES = 16, 64 * 1024
# No file of calls compresses better than by this factor; up to `_SMALL` bytes the factor does not matter.
_MOST_PACKED = 100
_SMALL = 64 * 1024**2
_ENCRYPTED = 0x1
_PIECE = 1024**2
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, OverflowError, UnicodeError)
_DAMAGED = gettext_lazy("It is not a ZIP file, or it is damaged.")


def is_zip(source: Source) -> bool:
    return source.head().startswith(START)


def members_of(source: Source, names: Collection[str]) -> dict[str, Source]:
    """The members by name: exactly these names, each once. Raises UnreadableFile."""
    with _damage_told():
        with closing(source.open()) as file:
            packed = _require_small_directory(file)
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
        found = [member.orig_filename for member in members]
        if sorted(found) != sorted(names):
            raise UnreadableFile(gettext_lazy("The ZIP file is none that this service wrote."))
        for member in members:
            _require_plain(member)
        if sum(member.file_size for member in members) > max(_SMALL, _MOST_PACKED * packed):
            raise UnreadableFile(gettext_lazy("The ZIP file holds more than can be right for its size."))
    return {name: _member(source, name) for name in names}


def hash_of(member: Source) -> str:
    """The SHA-256 of a member. Raises UnreadableFile where it is damaged."""
    digest = hashlib.sha256()
    with _damage_told(), closing(member.open()) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def text_of(member: Source, most: int) -> str:
    """The text of a small member, in UTF-8. Raises UnreadableFile."""
    with _damage_told(), closing(member.open()) as file:
        data = file.read(most + 1)
        if len(data) > most:
            raise UnreadableFile(filled(gettext_lazy("%(name)s is too large."), name=member.name))
        return data.decode()


def _require_small_directory(file: BinaryIO) -> int:
    """Check the end of the file, which says how long its directory is; gives the file's size."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END_BYTES - _LARGE_END_BYTES))
    large, end = file.read(_LARGE_END_BYTES), file.read(_END_BYTES)
    if len(end) < _END_BYTES or not end.startswith(_END) or end[-2:] != b"\0\0" or large.startswith(_LARGE_END):
        raise UnreadableFile(_DAMAGED)
    members, directory = struct.unpack("<HL", end[10:16])
    if members > _MOST_MEMBERS or directory > _DIRECTORY_BYTES:
        raise UnreadableFile(gettext_lazy("The ZIP file is none that this service wrote."))
    return size


def _require_plain(member: zipfile.ZipInfo) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise UnreadableFile(filled(gettext_lazy("%(name)s is encrypted."), name=member.filename))
    is_plain = stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
    if not is_plain or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableFile(gettext_lazy("The ZIP file is none that this service wrote."))


def _member(source: Source, name: str) -> Source:
    def opened() -> BinaryIO:
        # The member keeps the file open after the archive is closed.
        with zipfile.ZipFile(source.open()) as archive:
            return cast(BinaryIO, archive.open(name))

    return Source(name, opened)


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except _DAMAGE:
        raise UnreadableFile(_DAMAGED) from None
