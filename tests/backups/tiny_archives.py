"""Shared by tests of the backup catalogue: backup files with a tiny store, created fast."""

import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path

from django.conf import settings

from accounts import config
from accounts.models import INSTANCE
from archive_site.lib.storage import engine
from backups import backup_writer, catalog
from backups.backup_manifest import Manifest
from backups.file_names import new_path

KEY = b"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"

# The field of an item that names its node, where there may be several.
OF_NODE = {} if engine.IS_SQLITE else {"node": settings.NODE}


def kept(at: datetime, trigger: str = "manual", *, note: str = "", name: str = "") -> Path:
    """A backup file in the folder, created at an instant; its store is a table with the note."""
    path = settings.DATA_FOLDER.backups / name if name else new_path(at, trigger)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("CREATE TABLE note AS SELECT ? AS note", [note])
        backup_writer.pack(path, store, KEY, Manifest("0.1", at, trigger, note, 2, 30, {}))
    return path


def broken(name: str = "backup-20260901-080000-manual.zip", content: bytes = b"no archive") -> Path:
    """A file with a valid name that is not a backup."""
    path: Path = settings.DATA_FOLDER.backups / name
    path.write_bytes(content)
    return path


def folder() -> Path:
    path: Path = settings.DATA_FOLDER.backups
    return path


def listed() -> list[str]:
    return [item.name for item in catalog.items()]


def on_shelf() -> list[str]:
    """The names of all files in the folder, hidden ones too, but for the lock."""
    return sorted(path.name for path in settings.DATA_FOLDER.backups.iterdir() if path.name != ".lock")


def configure(**values: object) -> None:
    outcome = config.write(values, archive_id=INSTANCE, may_edit_instance=True)
    assert not outcome.errors
