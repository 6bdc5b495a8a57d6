"""Unpacks a backup without trust and checks all of it (docs/decisions/backups.md#an-archive-is-not-trusted)."""

import hashlib
import zipfile
from pathlib import Path

from cryptography.fernet import Fernet
from django.utils.translation import gettext, gettext_noop

from archive_site.lib.stored_message import Message
from backups import backup_manifest, backup_zip, disk_failures
from backups.backup_manifest import InvalidArchive as InvalidArchive
from backups.backup_manifest import Manifest, Member
from backups.restore import new_store, schema_check, work_folder

KEY_BYTES = 128
# No store compresses better than by this factor; up to `SMALL` bytes the factor does not matter.
MOST_PACKED = 300
SMALL = 256 * 1024**2
_CHUNK = 1024**2
_WRONG_LENGTH = gettext_noop("The length of %(name)s does not match the manifest.")


def verify(path: Path) -> Manifest:
    """Unpack and check a backup completely, as a restore would, and leave nothing behind.

    Raises InvalidArchive, and ApiError 400 `backup` when the disk has no room for it.
    """
    failed = Message("backup_not_checked", name=path.name)
    with disk_failures.as_api_errors(failed), work_folder.folder() as folder:
        found = unpack(path, folder)
        # The next step of a restore may also refuse the store.
        new_store.prepare(folder / backup_manifest.STORE)
        return found


def unpack(path: Path, into: Path) -> Manifest:
    """Unpack the store and the key of a backup into a private folder and check every byte.

    Raises InvalidArchive, and ApiError 400 `backup` when the disk has no room for it.
    """
    with backup_zip.opened(path) as archive:
        found = backup_zip.manifest_of(archive)
        if found.schema > backup_manifest.SCHEMA:
            raise InvalidArchive(gettext("It was created by a newer version of this service."))
        if found.members.keys() != backup_zip.MEMBERS - {backup_manifest.NAME}:
            raise InvalidArchive(gettext("Its manifest does not list the store and the instance key."))
        for name, member in found.members.items():
            _require_sane_size(archive.getinfo(name), member)
        work_folder.require_room(sum(member.bytes for member in found.members.values()))
        for name, member in found.members.items():
            _write(archive, name, member, into / name)
    _require_key(into / backup_manifest.KEY)
    schema_check.check(into / backup_manifest.STORE)
    return found


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
