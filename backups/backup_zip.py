"""Opens the ZIP file of a backup without trust: every limit is checked before the bytes are read
(docs/decisions/backups.md#an-archive-is-not-trusted)."""

import io
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.utils.translation import gettext

from archive_site.lib.storage import untrusted_zip
from backups import backup_manifest
from backups.backup_manifest import InvalidArchive, InvalidManifest, Manifest

MANIFEST_BYTES = 64 * 1024
MEMBERS = {backup_manifest.NAME, backup_manifest.STORE, backup_manifest.KEY}
_MOST_AT_ONCE = 2 * 1024**2


class _Bounded(io.BufferedReader):
    """Limits each read: the ZIP file may claim that its directory has any length."""

    def read(self, size: int | None = -1, /) -> bytes:
        asked = _MOST_AT_ONCE + 1 if size is None or size < 0 else size
        data = super().read(min(asked, _MOST_AT_ONCE + 1))
        if len(data) > _MOST_AT_ONCE:
            raise InvalidArchive(gettext("Its ZIP directory is too large for a backup."))
        return data


def read_manifest(path: Path) -> Manifest:
    """The manifest of a backup. Reads only the directory and the manifest of the ZIP file. Raises InvalidArchive."""
    with opened(path) as archive:
        return manifest_of(archive)


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The ZIP file, with its directory checked. Raises InvalidArchive for any failure to read it."""
    damaged = InvalidArchive(gettext("It is not a ZIP file, or it is damaged."))
    try:
        # Checked before the file is opened, because opening a pipe blocks.
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidArchive(gettext("It is not a file."))
        with untrusted_zip.damage_as(damaged), path.open("rb", buffering=0) as raw, _Bounded(raw) as file:
            untrusted_zip.end_record(file)
            with zipfile.ZipFile(file) as archive:
                _require_members(archive)
                yield archive
    except FileNotFoundError:
        raise InvalidArchive(gettext("There is no such file.")) from None
    except PermissionError:
        raise InvalidArchive(gettext("It cannot be read.")) from None


def manifest_of(archive: zipfile.ZipFile) -> Manifest:
    """The manifest of a backup that is open. Raises InvalidArchive."""
    if archive.getinfo(backup_manifest.NAME).file_size > MANIFEST_BYTES:
        raise InvalidArchive(gettext("Its manifest.json is too large."))
    with archive.open(backup_manifest.NAME) as file:
        text = file.read(MANIFEST_BYTES + 1)
    try:
        return backup_manifest.parse(text)
    except InvalidManifest as error:
        raise InvalidArchive(str(error)) from None


def _require_members(archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    names = [member.orig_filename for member in members]
    for member in members:
        if member.orig_filename not in MEMBERS:
            words = gettext("It contains a file that does not belong in a backup: %(name)s.")
            raise InvalidArchive(words % {"name": ascii(member.orig_filename[:80])})
        _require_plain(member)
    for name in sorted(MEMBERS):
        if names.count(name) != 1:
            words = gettext("%(name)s is in it twice.") if name in names else gettext("%(name)s is missing.")
            raise InvalidArchive(words % {"name": name})
    # If there are bytes before the first member, `zipfile` shifts all offsets by their length.
    if min(member.header_offset for member in members) != 0:
        raise InvalidArchive(gettext("It has other content before its first file."))


def _require_plain(member: zipfile.ZipInfo) -> None:
    if untrusted_zip.is_encrypted(member):
        raise InvalidArchive(gettext("%(name)s is encrypted.") % {"name": member.filename})
    if not untrusted_zip.is_file(member):
        raise InvalidArchive(gettext("%(name)s is not a plain file.") % {"name": member.filename})
    if not untrusted_zip.is_packed_plainly(member):
        words = gettext("%(name)s is packed in a way that backups do not use.")
        raise InvalidArchive(words % {"name": member.filename})
