"""The members of a ZIP file that is not trusted: every limit is checked before the bytes are read."""

import hashlib
import zipfile
from collections.abc import Collection
from contextlib import AbstractContextManager, closing
from typing import BinaryIO, cast

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import filled
from archive_site.lib.storage import untrusted_zip
from usage.importing.file_source import Source
from usage.importing.unreadable_file import UnreadableFile

START = b"PK\x03\x04"
_MOST_MEMBERS, _DIRECTORY_BYTES = 64, 64 * 1024
# No file of calls compresses better than by this factor; up to `_SMALL` bytes the factor does not matter.
_MOST_PACKED = 100
_SMALL = 64 * 1024**2
_PIECE = 1024**2
NOT_OURS = gettext_lazy("This service did not write the ZIP file.")
_DAMAGED = gettext_lazy("It is not a ZIP file, or it is damaged.")


def is_zip(source: Source) -> bool:
    return source.head().startswith(START)


def members_of(source: Source, names: Collection[str], others: Collection[str] = ()) -> dict[str, Source]:
    """The members by name: these names, each once, and any of the others, at most once. Raises UnreadableFile."""
    with _damage_as_unreadable():
        with closing(source.open()) as file:
            packed = _require_small_directory(file)
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
        found = [member.orig_filename for member in members]
        if len(set(found)) < len(found) or not set(names) <= set(found) <= {*names, *others}:
            raise UnreadableFile(NOT_OURS)
        for member in members:
            _require_plain(member)
        if sum(member.file_size for member in members) > max(_SMALL, _MOST_PACKED * packed):
            raise UnreadableFile(gettext_lazy("The ZIP file holds more than can be right for its size."))
    return {name: _member(source, name) for name in found}


def hash_of(member: Source) -> str:
    """The SHA-256 of a member. Raises UnreadableFile where it is damaged."""
    digest = hashlib.sha256()
    with _damage_as_unreadable(), closing(member.open()) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def text_of(member: Source, most: int) -> str:
    """The text of a small member, in UTF-8. Raises UnreadableFile."""
    with _damage_as_unreadable(), closing(member.open()) as file:
        data = file.read(most + 1)
        if len(data) > most:
            raise UnreadableFile(filled(gettext_lazy("%(name)s is too large."), name=member.name))
        return data.decode()


def _require_small_directory(file: BinaryIO) -> int:
    """Check the end of the file, which says how long its directory is; gives the file's size."""
    end = untrusted_zip.end_record(file)
    if end.is_large:
        raise UnreadableFile(_DAMAGED)
    if end.members > _MOST_MEMBERS or end.directory_bytes > _DIRECTORY_BYTES:
        raise UnreadableFile(NOT_OURS)
    return end.file_bytes


def _require_plain(member: zipfile.ZipInfo) -> None:
    if untrusted_zip.is_encrypted(member):
        raise UnreadableFile(filled(gettext_lazy("%(name)s is encrypted."), name=member.filename))
    if not (untrusted_zip.is_file(member) and untrusted_zip.is_packed_plainly(member)):
        raise UnreadableFile(NOT_OURS)


def _member(source: Source, name: str) -> Source:
    def opened() -> BinaryIO:
        # The member keeps the file open after the archive is closed.
        with zipfile.ZipFile(source.open()) as archive:
            return cast(BinaryIO, archive.open(name))

    # This service writes no other encoding.
    return Source(name, opened, encoding="utf-8")


def _damage_as_unreadable() -> AbstractContextManager[None]:
    return untrusted_zip.damage_as(UnreadableFile(_DAMAGED))
