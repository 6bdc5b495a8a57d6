"""The backups in the backup folder: listing, placing, deleting and pruning.

The rules: docs/decisions/backups.md#placing-and-pruning.
"""

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import override
from msgspec import UNSET

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from backups import backup_zip, checksum, disk_failures, file_names
from backups.api_types import Backup
from backups.backup_manifest import InvalidArchive, Manifest
from usage import node_files
from usage.models import NodeFile

log = logging.getLogger(__name__)

_MODE = 0o600
PRE_RESTORE = "pre_restore"


@dataclass(frozen=True)
class Archive:
    """A file with the name of a backup; `manifest` is None if the file cannot be read as a backup."""

    path: Path
    size: int
    trigger: str
    at: datetime
    manifest: Manifest | None


def archives() -> list[Archive]:
    """All backups, newest first by the time in their manifests."""
    return sorted(by_name(), key=lambda archive: (archive.at, archive.path.name), reverse=True)


def by_name() -> Iterator[Archive]:
    """All backups by name, the latest first. Each file is read only when the iterator reaches it."""
    for path in sorted(_files(), reverse=True):
        # Another process may delete it meanwhile.
        with suppress(FileNotFoundError):
            archive = _archive(path)
            if archive:
                yield archive


def _files() -> list[Path]:
    try:
        with os.scandir(settings.DATA_FOLDER.backups) as entries:
            return [Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError as error:
        # The folder may be on a separate disk that is missing; the rest of the service continues.
        log.warning("the backups cannot be listed: %s", error.strerror)
        return []


def items() -> list[Backup]:
    """The items of the list of backups, newest first (docs/api.md#list-of-backups)."""
    found: list[tuple[datetime, Backup]] = []
    for archive in archives():
        with suppress(FileNotFoundError):
            found.append((archive.at, item(archive)))
    found += map(_of_another, node_files.elsewhere(node_files.BACKUP))
    return [one for _, one in sorted(found, key=lambda one: (one[0], one[1].name), reverse=True)]


def note_all() -> None:
    """Note the backups of this node for the others."""
    node_files.note(node_files.BACKUP, lambda: [path for path in _files() if file_names.parse(path.name)])


def _of_another(file: NodeFile) -> tuple[datetime, Backup]:
    """The time and the item of a backup that only another node can read."""
    named = file_names.parse(file.name)
    at = named.at if named else file.written_at
    return at, Backup(
        name=file.name,
        size=file.size,
        size_human=human(file.size),
        created_at=clock.local_text(at),
        trigger=named.trigger if named else "",
        note="",
        accounts=None,
        records=None,
        schema=None,
        sha256=None,
        valid=True,
        node=file.node,
    )


def item(archive: Archive) -> Backup:
    """The item of a backup in the list. Fields of an unreadable one may be None. Raises FileNotFoundError."""
    manifest = archive.manifest
    return Backup(
        name=archive.path.name,
        size=archive.size,
        size_human=human(archive.size),
        created_at=clock.local_text(archive.at),
        trigger=archive.trigger,
        note=manifest.note if manifest else "",
        accounts=manifest.accounts if manifest else None,
        records=manifest.records if manifest else None,
        schema=manifest.schema if manifest else None,
        sha256=_hash(archive.path),
        valid=manifest is not None,
        node=settings.NODE if node_files.are_apart() else UNSET,
    )


def human(size: int) -> str:
    """A number of bytes as `5.7 MB`."""
    with override("en"):
        return filesizeformat(size).replace("\xa0", " ")


def place(draft: Path, at: datetime, trigger: str) -> Archive:
    """Move a finished, synced file into the backup folder under a name that no other backup has."""
    while True:
        path = file_names.new_path(at, trigger)
        with suppress(FileExistsError):
            os.link(draft, path)
            break
    draft.unlink()
    _sync()
    note_all()
    archive = _archive(path)
    assert archive
    checksum.of(path)
    return archive


def delete(path: Path) -> None:
    """Delete a backup. The caller holds the maintenance lock. Raises ApiError 400 `backup`."""
    with disk_failures.as_api_errors(Message("backup_not_deleted", name=path.name)):
        path.unlink()
        checksum.sidecar(path).unlink(missing_ok=True)
        _sync()
    note_all()


def _archive(path: Path) -> Archive | None:
    """The backup in a file; None if its name is not one of a backup. Raises FileNotFoundError."""
    named = file_names.parse(path.name)
    if named is None:
        return None
    status = path.stat()
    if stat.S_IMODE(status.st_mode) & ~_MODE:
        # Somebody copied the file into the folder, and it may be another user's.
        with suppress(OSError):
            path.chmod(_MODE)
    try:
        manifest = _manifest(path, status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        raise
    except OSError:
        manifest = None
    return Archive(path, status.st_size, named.trigger, manifest.created_at if manifest else named.at, manifest)


def _hash(path: Path) -> str | None:
    """The hash of a backup; None if its disk cannot be read. Raises FileNotFoundError."""
    try:
        return checksum.of(path)
    except FileNotFoundError:
        raise
    except OSError:
        return None


@lru_cache(maxsize=1000)
def _manifest(path: Path, size: int, changed: int) -> Manifest | None:
    """The manifest of a file, read once per process until `size` or `changed` shows that the file has changed."""
    try:
        return backup_zip.read_manifest(path)
    except InvalidArchive:
        return None


def _sync() -> None:
    """Sync the directory entries of the backup folder to the disk."""
    folder = os.open(settings.DATA_FOLDER.backups, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
