"""Opens a backup without trust: every limit is checked before the bytes are read
(docs/decisions/backups.md#an-archive-is-not-trusted)."""

import hashlib
import io
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.fernet import Fernet
from django.utils.translation import gettext, gettext_noop

from archive_site.lib.storage import untrusted_zip
from archive_site.lib.stored_message import Message
from backups import backup_manifest, disk_failures
from backups.backup_manifest import InvalidArchive as InvalidArchive
from backups.backup_manifest import InvalidManifest, Manifest, Member
from backups.restore import new_store, schema_check, work_folder

MANIFEST_BYTES = 64 * 1024
KEY_BYTES = 128
# No store compresses better than by this factor; up to `SMALL` bytes the factor does not matter.
MOST_PACKED = 300
SMALL = 256 * 1024**2
_MEMBERS = {backup_manifest.NAME, backup_manifest.STORE, backup_manifest.KEY}
_CHUNK = 1024**2
_MOST_AT_ONCE = 2 * _CHUNK
_WRONG_LENGTH = gettext_noop("The length of %(name)s does not match the manifest.")


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
    with _opened(path) as archive:
        return _manifest_of(archive)


def verify(path: Path) -> Manifest:
    """Unpack and check a backup completely, as a restore would, and leave nothing behind.

    Raises InvalidArchive, and ApiError 400 `backup` when the disk has no room for it.
    """
    failed = Message("backup_not_checked", name=path.name)
    with disk_failures.told(failed), work_folder.folder() as folder:
        found = unpack(path, folder)
        # The next step of a restore may also refuse the store.
        new_store.prepare(folder / backup_manifest.STORE)
        return found


def unpack(path: Path, into: Path) -> Manifest:
    """Unpack the store and the key of a backup into a private folder and check every byte.

    Raises InvalidArchive, and ApiError 400 `backup` when the disk has no room for it.
    """
    with _opened(path) as archive:
        found = _manifest_of(archive)
        if found.schema > backup_manifest.SCHEMA:
            raise InvalidArchive(gettext("It was created by a newer version of this service."))
        if found.members.keys() != _MEMBERS - {backup_manifest.NAME}:
            raise InvalidArchive(gettext("Its manifest does not list the store and the instance key."))
        for name, member in found.members.items():
            _require_sane_size(archive.getinfo(name), member)
        work_folder.require_room(sum(member.bytes for member in found.members.values()))
        for name, member in found.members.items():
            _write(archive, name, member, into / name)
    _require_key(into / backup_manifest.KEY)
    schema_check.check(into / backup_manifest.STORE)
    return found


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The ZIP file, with its directory checked. Raises InvalidArchive for any failure to read it."""
    try:
        # Checked before the file is opened, because opening a pipe blocks.
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidArchive(gettext("It is not a file."))
        with path.open("rb", buffering=0) as raw, _Bounded(raw) as file:
            untrusted_zip.end_record(file)
            with zipfile.ZipFile(file) as archive:
                _require_members(archive)
                yield archive
    except FileNotFoundError:
        raise InvalidArchive(gettext("There is no such file.")) from None
    except PermissionError:
        raise InvalidArchive(gettext("It cannot be read.")) from None
    except untrusted_zip.DAMAGE:
        raise InvalidArchive(gettext("It is not a ZIP file, or it is damaged.")) from None


def _require_members(archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    names = [member.orig_filename for member in members]
    for member in members:
        if member.orig_filename not in _MEMBERS:
            words = gettext("It contains a file that does not belong in a backup: %(name)s.")
            raise InvalidArchive(words % {"name": ascii(member.orig_filename[:80])})
        _require_plain(member)
    for name in sorted(_MEMBERS):
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


def _manifest_of(archive: zipfile.ZipFile) -> Manifest:
    if archive.getinfo(backup_manifest.NAME).file_size > MANIFEST_BYTES:
        raise InvalidArchive(gettext("Its manifest.json is too large."))
    with archive.open(backup_manifest.NAME) as file:
        text = file.read(MANIFEST_BYTES + 1)
    try:
        return backup_manifest.parse(text)
    except InvalidManifest as error:
        raise InvalidArchive(str(error)) from None


def _require_sane_size(info: zipfile.ZipInfo, member: Member) -> None:
    if info.file_size != member.bytes:
        raise InvalidArchive(gettext(_WRONG_LENGTH) % {"name": info.filename})
    if info.filename == backup_manifest.KEY and member.bytes > KEY_BYTES:
        raise InvalidArchive(gettext("Its instance.key is not a key."))
    if member.bytes > max(SMALL, MOST_PACKED * info.compress_size):
        words = gettext("%(name)s would unpack to far more than a backup contains.")
        raise InvalidArchive(words % {"name": info.filename})


def _write(archive: zipfile.ZipFile, name: str, member: Member, target: Path) -> None:
    """Unpack one member, never more of it than the manifest states."""
    digest, left = hashlib.sha256(), member.bytes
    with archive.open(name) as packed, target.open("xb") as file:
        while chunk := packed.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                break
            digest.update(chunk)
            file.write(chunk)
    if left != 0:
        raise InvalidArchive(gettext(_WRONG_LENGTH) % {"name": name})
    if digest.hexdigest() != member.sha256:
        words = gettext("%(name)s is damaged: its hash does not match the manifest.")
        raise InvalidArchive(words % {"name": name})


def _require_key(path: Path) -> None:
    try:
        Fernet(path.read_text("ascii").strip())
    except ValueError:
        raise InvalidArchive(gettext("Its instance.key is not a key.")) from None
