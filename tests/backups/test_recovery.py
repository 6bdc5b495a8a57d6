"""Killed restores: the store is the old or the new one, complete and with its key; the next start cleans up."""

import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection

from accounts import credential, instance_key
from accounts.models import Store, User
from accounts.store_identity import open_store, settle_key
from archive_site.lib.locks.file_lock import held
from archive_site.lib.storage import encryption
from archive_site.lib.storage.data_folder import prepare
from backups import snapshot
from backups.restore import recovery, store_switch, work_folder
from tests.backups.filled_instance import COOKIE, backed_up, live, log_of, restored, settle_in, stores
from tests.collection.running_instance import Instance
from tests.factories import make_user

# A backup of a store in which alice has a cookie; then another key, and bob.
PREPARE = f"""
import django
django.setup()
from cryptography.fernet import Fernet
from django.conf import settings
from accounts import credential
from accounts.models import User
from accounts.store_identity import open_store
from backups import creation
from tests.factories import make_user
credential.store(User.objects.get(username="alice").pk, {COOKIE!r})
creation.create("manual")
settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())
open_store()
bob = make_user("bob")
credential.store(bob.pk, {COOKIE!r})
"""
# A restore in a child process that dies at a point; then who has an account, whose cookie can be read, what is left
# beside the folder's link, and what a clean-up says, twice.
KILLED = """
import django
django.setup()
import json
import os
import signal
from django.conf import settings
from accounts import credential, store_identity
from accounts.models import User
from backups import creation
from backups.restore import backup_reader
from backups.restore import new_store
from backups.restore import recovery
from backups.restore import restore_backup
from backups.restore import store_switch
act = {point}
def deadly(*arguments, **options):
    act(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)
path, = settings.DATA_FOLDER.backups.glob("*manual.zip")
child = os.fork()
if child == 0:
    {point} = deadly
    restore_backup.restore(path, include_instance=True, actor="root", user_id=None, ip="")
    os._exit(0)
assert os.waitpid(child, 0)[1] == signal.SIGKILL
left = [str(path.resolve()) for path in settings.DATA_FOLDER.home.glob(".restore-*")]
names = sorted(User.objects.values_list("username", flat=True))
readable = [user.username for user in User.objects.all() if credential.state(user.pk).usable]
print(json.dumps([left, names, readable, recovery.clear_broken_restores(), recovery.clear_broken_restores()]))
"""
OLD, NEW = ["alice", "bob", "root"], ["alice", "root"]


@pytest.fixture(scope="module")
def prepared(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that differs from its backup."""
    with Instance.copied(made_once, tmp_path_factory.mktemp("prepared") / "home") as made:
        made.python(PREPARE)
        return made.home


@pytest.mark.parametrize(
    ("point", "names", "readable", "words"),
    [
        ("backup_reader.unpack", OLD, ["bob"], "before anything changed"),
        ("creation.create_unlocked", OLD, ["bob"], "before anything changed"),
        ("store_switch.stage_key", OLD, ["bob"], "before its switch. The old store stays"),
        ("os.symlink", OLD, ["bob"], "before its switch. The old store stays"),
        ("store_switch.switch", NEW, ["alice"], "after its switch. The backup's store is in place"),
        ("store_switch._remove_exports_of_others", NEW, ["alice"], "after its switch. The backup's store is in place"),
    ],
)
def test_a_killed_restore_leaves_one_store_whole(
    point: str, names: list[str], readable: list[str], words: str, prepared: Path, tmp_path: Path
) -> None:
    with Instance.copied(prepared, tmp_path / "home") as instance:
        _, found, decrypted, said, again = json.loads(instance.python(KILLED.format(point=point)))
        assert instance.sql("PRAGMA integrity_check") == [("ok",)]
    assert (found, decrypted, again) == (names, readable, [])
    assert len(said) == 1
    assert words in said[0]
    assert leftovers(instance.home) == []


@pytest.mark.parametrize(("point", "names"), [("os.symlink", OLD), ("store_switch.switch", NEW)])
def test_nor_does_one_whose_store_lies_elsewhere(point: str, names: list[str], prepared: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with Instance.copied(prepared, tmp_path / "home") as instance:
        instance.store.rename(elsewhere / f"store-{'0' * 32}.sqlite3")
        instance.store.symlink_to(elsewhere / f"store-{'0' * 32}.sqlite3")
        left, found, _, said, again = json.loads(instance.python(KILLED.format(point=point)))
    assert [Path(path).parent for path in left] == [elsewhere.resolve()]
    assert (found, len(said), again) == (names, 1, [])
    assert [path.name for path in elsewhere.iterdir()] == [instance.store.resolve().name]
    assert leftovers(instance.home) == []


def leftovers(home: Path) -> list[str]:
    """What is no part of an instance that nobody has open; but for the link and its store nothing is of a store."""
    store = {"archive.sqlite3", (home / "archive.sqlite3").resolve().name, "cache.sqlite3"}
    return [
        path.name
        for path in home.iterdir()
        if path.name.startswith((".", "link"))
        or path.name.endswith((".new", ".part"))
        or (".sqlite3" in path.name and path.name not in store)
    ]


# The key


@pytest.fixture
def staged(db: None) -> Iterator[Path]:
    """A key beside the instance's, which the store does not name."""
    folder = settings.DATA_FOLDER
    kept = folder.instance_key.read_bytes()
    open_store()
    folder.staged_key.write_bytes(Fernet.generate_key())
    yield folder.staged_key
    folder.staged_key.unlink(missing_ok=True)
    folder.instance_key.write_bytes(kept)


def name_in_store(path: Path) -> str:
    fingerprint = encryption.fingerprint_of(path.read_text().strip())
    Store.objects.update(key_fingerprint=fingerprint)
    return fingerprint


def test_a_key_beside_the_instances_counts_for_nothing(staged: Path) -> None:
    assert instance_key.key_in_force() == settings.DATA_FOLDER.instance_key.read_text().strip()


def test_unless_the_store_names_it(staged: Path) -> None:
    alice = make_user("alice")
    credential.store(alice.pk, COOKIE)
    name_in_store(staged)
    assert instance_key.key_in_force() == staged.read_text().strip()
    assert credential.state(alice.pk).broken


def test_a_start_puts_the_key_that_the_store_names_in_its_place(staged: Path) -> None:
    key = staged.read_text().strip()
    fingerprint = name_in_store(staged)
    open_store()
    assert settings.DATA_FOLDER.instance_key.read_text().strip() == key
    assert (Store.objects.get().key_fingerprint, staged.exists()) == (fingerprint, False)


def test_a_start_removes_a_key_that_it_does_not(staged: Path) -> None:
    before = settings.DATA_FOLDER.instance_key.read_bytes()
    open_store()
    assert (settings.DATA_FOLDER.instance_key.read_bytes(), staged.exists()) == (before, False)


@pytest.mark.parametrize("content", [b"", b"no key"])
def test_half_a_key_is_removed(content: bytes, staged: Path) -> None:
    staged.write_bytes(content)
    assert instance_key.key_in_force()
    settle_key()
    assert not staged.exists()


def test_a_restore_under_way_keeps_its_key(staged: Path) -> None:
    # The restore of another process: this thread must not count as the one that holds the freeze.
    with held(settings.DATA_FOLDER.restore_lock):
        settle_key()
        assert staged.exists()


def test_a_key_put_there_by_hand_is_taken(staged: Path) -> None:
    staged.unlink()
    settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())
    assert open_store().store_id == Store.objects.get().store_id
    assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()


# Leftover files


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
    settings.DATA_FOLDER.instance_key.write_bytes(kept)


def test_of_a_link_that_was_not_turned_the_new_store_goes(announced: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stores()
    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(OSError, match="died"):
        store_switch.switch(announced)
    monkeypatch.undo()
    assert len(stores()) == len(before) + 1
    (said,) = recovery.clear_broken_restores()
    assert ("before its switch" in said, stores(), announced.exists()) == (True, before, False)


def dies(*arguments: object) -> None:
    raise OSError("died")


def test_of_one_that_was_turned_the_old_store_goes(announced: Path) -> None:
    old = live().resolve().name
    store_switch.switch(announced)
    assert old in stores()
    (said,) = recovery.clear_broken_restores()
    connection.close()
    assert ("after its switch" in said, stores(), announced.exists()) == (True, [live().resolve().name], False)


@pytest.mark.parametrize("note", ["", "store-", "\n"])
def test_half_a_note_is_of_a_store_that_did_not_come(note: str, announced: Path) -> None:
    before = stores()
    (announced / "stores").write_text(note)
    (said,) = recovery.clear_broken_restores()
    assert ("before its switch" in said, stores()) == (True, before)


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


def test_a_copy_that_has_the_new_store_where_the_link_was_holds_what_came(announced: Path) -> None:
    new = live().resolve()
    connection.close()
    live().unlink()
    shutil.copy(new, live())
    (announced / "stores").write_text(f"{new.name}\n")
    new.unlink()
    (said,) = recovery.clear_broken_restores()
    assert ("after its switch" in said, User.objects.count()) == (True, 2)


def test_what_a_late_reader_of_the_file_before_left_is_removed(announced: Path) -> None:
    strays = [live().with_name(f"{live().name}{log}") for log in ("-wal", "-shm")]
    for stray in strays:
        stray.touch()
    recovery.clear_broken_restores()
    assert [stray.exists() for stray in strays] == [False, False]


def test_but_a_plain_store_keeps_its_log(transactional_db: None) -> None:
    User.objects.exists()
    log = log_of(live())
    recovery.clear_broken_restores()
    assert log.exists()


def test_what_others_could_read_is_taken_back(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "home")
    left = folder.home / ".restore-0123"
    left.mkdir(mode=0o755)
    for path in (left / "store.sqlite3", folder.staged_key, folder.restore_lock):
        path.touch()
        path.chmod(0o644)
    prepare(folder.home)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (left, folder.staged_key, folder.restore_lock)}
    assert modes == {left.name: 0o700, "instance.key.new": 0o600, "restore.lock": 0o600}
    assert stat.S_IMODE((left / "store.sqlite3").stat().st_mode) == 0o600
