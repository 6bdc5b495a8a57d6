"""The private folders of imports: removed in any case, also after a death."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from archive_site import tasks
from archive_site.lib.locks import file_lock
from collection.transfer import import_api, import_run
from tests.collection.import_endpoint import send
from tests.factories import ApiClient
from usage.importing import uploaded_file, work_folder
from usage.importing.uploaded_file import LockedUpload


@pytest.fixture
def imports(settings: Any) -> Path:
    """The folder of this process, without what other tests have left."""
    folder: Path = settings.DATA_FOLDER.imports
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
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


def test_a_folder_that_was_made_under_a_clock_that_ran_ahead_is_removed(imports: Path) -> None:
    (imports / "ahead").mkdir()
    os.utime(imports / "ahead", (time.time() + 86400,) * 2)
    assert work_folder.remove_abandoned() == 1


def received(name: str = "calls.csv") -> LockedUpload:
    """A file that a request is sending."""
    upload = LockedUpload()
    upload.new_file("file", name, "text/csv", None)
    upload.receive_data_chunk(b"private", 0)
    return upload


@pytest.mark.parametrize("name", ["calls.csv", "calls", "calls.lock", "1.lock"])
def test_a_file_that_a_dead_process_received_is_removed_at_once(imports: Path, name: str) -> None:
    child = os.fork()
    if child == 0:
        upload = received(name)
        os._exit(0 if upload else 1)
    os.waitpid(child, 0)
    [left] = imports.glob("*.upload*")
    assert work_folder.remove_abandoned() == 1
    assert not left.exists()


def test_one_that_is_being_received_stays_however_long_that_takes(imports: Path) -> None:
    upload = received()
    path = Path(upload.file.temporary_file_path())
    os.utime(path, (time.time() - 86400,) * 2)
    assert work_folder.remove_abandoned() == 0
    upload.file.close()
    assert not path.exists()


def test_one_that_is_taken_for_a_dead_one_before_it_has_its_lock_is_received_in_another_file(
    imports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def take(descriptor: int) -> bool:
        if not taken:
            assert work_folder.remove_abandoned() == 1
        taken.append(descriptor)
        return file_lock.is_taken(descriptor)

    monkeypatch.setattr(uploaded_file, "is_taken", take)
    upload = received()
    assert (len(taken), Path(upload.file.temporary_file_path()).exists()) == (2, True)
    upload.file.close()


@pytest.mark.django_db
def test_one_that_is_imported_stays(imports: Path, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def preview(*given: Any) -> Any:
        assert work_folder.remove_abandoned() == 0
        return import_run.preview(*given)

    monkeypatch.setattr(import_api, "preview", preview)
    assert send(ApiClient.signed_in(alice), dry_run="1").status_code == 200


def test_the_locks_of_accounts_stay(imports: Path) -> None:
    (imports / "1.lock").touch()
    assert work_folder.remove_abandoned() == 0


def test_a_file_that_cannot_be_removed_stays_with_a_line_in_the_log(
    imports: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    (imports / "dead.upload").touch()
    monkeypatch.setattr(work_folder, "_is_removed_upload", refuse)
    assert work_folder.remove_abandoned() == 0
    assert "dead.upload stays in imports/: Permission denied" in caplog.messages


def test_a_folder_that_is_kept_stays_until_somebody_has_finished_in_it(imports: Path) -> None:
    dead = died(imports, "dead", 7200)
    assert work_folder.remove_abandoned(["dead"]) == 0
    with work_folder.of_the_dead("dead") as path:
        assert (path, work_folder.remove_abandoned(), dead.exists()) == (dead, 0, True)
    assert not dead.exists()


@pytest.mark.django_db
def test_the_housekeeping_removes_them(imports: Path) -> None:
    dead = died(imports, "dead")
    tasks.housekeeping()
    assert not dead.exists()
