"""The private folders of imports: removed in any case, also after a death."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from archive_site import tasks
from usage.importing import work_folder


@pytest.fixture
def imports(settings: Any) -> Path:
    folder: Path = settings.DATA_FOLDER.imports
    for path in folder.glob("*.upload*"):
        path.unlink()
    return folder


def died(imports: Path, name: str, age: float = 0) -> Path:
    """A folder whose process has died."""
    path = imports / name
    path.mkdir()
    (path / "lock").touch()
    (path / "calls.sqlite3").write_bytes(b"private")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_a_folder_is_its_owners_alone_and_removed_at_the_end(imports: Path) -> None:
    with work_folder.folder() as path:
        assert (path.parent, path.stat().st_mode & 0o777) == (imports, 0o700)
        (path / "calls.sqlite3").touch()
    assert not path.exists()


def test_a_folder_is_removed_after_a_failure(imports: Path) -> None:
    with pytest.raises(RuntimeError), work_folder.folder() as path:
        raise RuntimeError
    assert not path.exists()


def test_the_next_import_removes_the_folders_of_the_dead_but_not_of_others(imports: Path) -> None:
    with work_folder.folder() as other:
        dead = died(imports, "dead")
        with work_folder.folder():
            assert (dead.exists(), other.exists()) == (False, True)


def test_a_folder_that_is_being_made_is_spared(imports: Path) -> None:
    for name, age in (("young", 0), ("old", 120)):
        (imports / name).mkdir()
        os.utime(imports / name, (time.time() - age,) * 2)
    assert work_folder.remove_abandoned() == 1
    (imports / "young").rmdir()


def test_an_uploaded_file_that_a_dead_process_left_is_removed(imports: Path) -> None:
    for name, age in (("new.upload", 0), ("old.upload", 7200), ("1.lock", 7200)):
        (imports / name).touch()
        os.utime(imports / name, (time.time() - age,) * 2)
    assert work_folder.remove_abandoned() == 1
    assert sorted(path.name for path in imports.iterdir() if path.name in ("new.upload", "1.lock")) == [
        "1.lock", "new.upload",
    ]  # fmt: skip


def test_a_folder_that_is_kept_stays_until_somebody_has_finished_in_it(imports: Path) -> None:
    dead = died(imports, "dead", 7200)
    assert work_folder.is_of_the_dead("dead")
    assert work_folder.remove_abandoned(["dead"]) == 0
    with work_folder.of_the_dead("dead") as path:
        assert (path, work_folder.is_of_the_dead("dead")) == (dead, False)
    assert not dead.exists()


@pytest.mark.django_db
def test_the_housekeeping_removes_them(imports: Path) -> None:
    dead = died(imports, "dead")
    tasks.housekeeping()
    assert not dead.exists()
