"""What broken restores leave: the next start removes it, and spares the live store."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection

from accounts.models import User
from archive_site.lib.storage.data_folder import prepare
from backups import snapshot
from backups.restore import recovery, store_switch, work_folder
from backups.restore.sqlite_stores import SqliteStores
from tests.backups.filled_instance import backed_up, live, log_of, restored, settle_in, stores


def test_a_folder_in_use_is_left_alone(db: None) -> None:
    with work_folder.folder() as folder:
        assert recovery.clear_broken_restores() == []
        assert folder.exists()


def test_what_a_dead_check_left_is_removed(db: None) -> None:
    folder = settings.DATA_FOLDER.home / ".restore-0123"
    folder.mkdir()
    (folder / "store.sqlite3").write_bytes(b"half")
    said = recovery.clear_broken_restores()
    assert (len(said), "before anything changed" in said[0], folder.exists()) == (1, True, False)


@pytest.fixture
def announced(transactional_db: None) -> Iterator[Path]:
    """The folder of a restore that is about to replace an earlier restored store."""
    kept = settings.DATA_FOLDER.instance_key.read_bytes()
    settle_in()
    restored(backed_up())
    folder = settings.DATA_FOLDER.home / ".restore-0123"
    folder.mkdir()
    snapshot.take(folder / "store.sqlite3")
    store_switch.announce(folder, uuid4().hex)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
    settings.DATA_FOLDER.instance_key.write_bytes(kept)


def turn_the_link(folder: Path) -> None:
    store_switch.switch(folder, SqliteStores(folder / "store.sqlite3"))


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_of_a_link_that_was_not_turned_the_new_store_goes(announced: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stores()
    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(OSError, match="died"):
        turn_the_link(announced)
    monkeypatch.undo()
    assert len(stores()) == len(before) + 1
    (said,) = recovery.clear_broken_restores()
    assert ("before its switch" in said, stores(), announced.exists()) == (True, before, False)


def dies(*arguments: object) -> None:
    raise OSError("died")


@pytest.mark.sqlite_only
def test_of_one_that_was_turned_the_old_store_goes(announced: Path) -> None:
    old = live().resolve().name
    turn_the_link(announced)
    assert old in stores()
    (said,) = recovery.clear_broken_restores()
    connection.close()
    assert ("after its switch" in said, stores(), announced.exists()) == (True, [live().resolve().name], False)


@pytest.mark.thorough_after(1)
@pytest.mark.sqlite_only
@pytest.mark.parametrize("note", ["", "store-", "\n"])
def test_half_a_note_is_of_a_store_that_did_not_come(note: str, announced: Path) -> None:
    before = stores()
    (announced / "stores").write_text(note)
    (said,) = recovery.clear_broken_restores()
    assert ("before its switch" in said, stores()) == (True, before)


@pytest.mark.sqlite_only
def test_no_note_removes_the_live_store_nor_what_a_restore_did_not_make(announced: Path) -> None:
    other = settings.DATA_FOLDER.home / f"store-{'0' * 32}.sqlite3.kept"
    other.touch()
    for note in (f"{other.name}\n", f"store-{'1' * 32}.sqlite3\n{os.readlink(live())}"):
        (announced / "stores").write_text(note)
        store_switch.undo(announced)
        store_switch.complete(announced)
    assert User.objects.count() == 2
    assert other.exists()
    other.unlink()


@pytest.mark.thorough_after(1)
@pytest.mark.sqlite_only
@pytest.mark.parametrize("spelling", ["./{0.name}", "{0}"], ids=["dotted", "absolute"])
@pytest.mark.parametrize("settle", [store_switch.undo, store_switch.complete])
def test_the_live_store_is_spared_however_its_link_is_spelled(
    settle: Callable[[Path], None], spelling: str, announced: Path
) -> None:
    own = live().resolve()
    live().unlink()
    live().symlink_to(spelling.format(own))
    (announced / "stores").write_text(f"{own.name}\n{own.name}")
    assert store_switch.has_come(announced)
    settle(announced)
    assert own.exists()


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_a_copy_that_has_the_new_store_where_the_link_was_holds_what_came(announced: Path) -> None:
    new = live().resolve()
    connection.close()
    live().unlink()
    shutil.copy(new, live())
    (announced / "stores").write_text(f"{new.name}\n")
    new.unlink()
    (said,) = recovery.clear_broken_restores()
    assert ("after its switch" in said, User.objects.count()) == (True, 2)


@pytest.mark.sqlite_only
def test_what_a_late_reader_of_the_file_before_left_is_removed(announced: Path) -> None:
    strays = [live().with_name(f"{live().name}{log}") for log in ("-wal", "-shm")]
    for stray in strays:
        stray.touch()
    recovery.clear_broken_restores()
    assert [stray.exists() for stray in strays] == [False, False]


@pytest.mark.sqlite_only
def test_a_plain_store_keeps_its_log(transactional_db: None) -> None:
    User.objects.exists()
    log = log_of(live())
    recovery.clear_broken_restores()
    assert log.exists()


def test_what_others_could_read_is_taken_back(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "home")
    left = folder.home / ".restore-0123"
    left.mkdir(mode=0o755)
    lock = folder.home / "restore.lock"
    for path in (left / "store.sqlite3", folder.staged_key, lock):
        path.touch()
        path.chmod(0o644)
    prepare(folder.home)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (left, folder.staged_key, lock)}
    assert modes == {left.name: 0o700, "instance.key.new": 0o600, "restore.lock": 0o600}
    assert stat.S_IMODE((left / "store.sqlite3").stat().st_mode) == 0o600
