"""Hostile backup files for tests, and a check that nothing of them stays."""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings

from backups.backup_manifest import KEY, NAME, STORE
from backups.restore import backup_reader
from backups.restore.backup_reader import InvalidArchive
from tests.backups.backup_files import A_KEY, alter, manifest_of, pack, pack_store


@dataclass
class Forge:
    """Creates hostile backup files from a valid store."""

    folder: Path
    store: Path

    @property
    def path(self) -> Path:
        return self.folder / "backup-20260908-120007-manual.zip"

    @property
    def content(self) -> bytes:
        return self.store.read_bytes()

    def right(self) -> Path:
        return pack_store(self.path, self.store)

    def with_more(self, name: str | zipfile.ZipInfo, content: bytes = b"evil") -> Path:
        store = self.content
        return pack(self.path, (STORE, store), (KEY, A_KEY), (NAME, manifest_of(store)), (name, content))

    def with_store(self, change: str) -> Path:
        alter(self.store, change)
        return self.right()


def on_disk() -> list[str]:
    """All files of the data folder but the log and those of SQLite."""
    home = settings.DATA_FOLDER.home
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.parent.name != "logs")


def refusal(path: Path) -> str:
    """The reason for the refusal of a backup file; the try leaves nothing behind."""
    before = on_disk()
    with pytest.raises(InvalidArchive) as refused:
        backup_reader.verify(path)
    assert on_disk() == before
    return str(refused.value)
