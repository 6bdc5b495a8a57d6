"""Killed restores: the store is the old or the new one, complete and with its key; the next start cleans up."""

import json
from pathlib import Path

import pytest

from tests import process_stores
from tests.backups.filled_instance import COOKIE
from tests.collection.running_instance import Instance

# A backup of a store in which alice has a cookie; then another key, and bob.
PREPARE = f"""
import django
django.setup()
from cryptography.fernet import Fernet
from django.conf import settings
from accounts.credentials import credential
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
from accounts import store_identity
from accounts.credentials import credential
from accounts.models import User
from backups import creation
from backups.restore import backup_reader
from backups.restore import new_store
from backups.restore import recovery
from backups.restore import restore_backup
from backups.restore import store_switch
from backups.restore.store_switch import follow_up
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
OLD_WORDS, NEW_WORDS = "before its switch. The old store stays", "after its switch. The backup's store is in place"
OLD, NEW = ["alice", "bob", "root"], ["alice", "root"]


@pytest.fixture(scope="module")
def prepared(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that differs from its backup."""
    with Instance.copied(made_once, tmp_path_factory.mktemp("prepared") / "home") as made:
        made.python(PREPARE)
        return made.home


@pytest.mark.engine
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("point", "names", "readable", "words"),
    [
        ("store_switch.switch", NEW, ["alice"], NEW_WORDS),
        ("backup_reader.unpack", OLD, ["bob"], "before anything changed"),
        ("creation.create_unlocked", OLD, ["bob"], "before anything changed"),
        ("store_switch.stage_key", OLD, ["bob"], OLD_WORDS),
        pytest.param("os.symlink", OLD, ["bob"], OLD_WORDS, marks=pytest.mark.sqlite_only),
        ("follow_up.remove_exports_of_others", NEW, ["alice"], NEW_WORDS),
    ],
)
def test_a_killed_restore_leaves_one_store_whole(
    point: str, names: list[str], readable: list[str], words: str, prepared: Path, tmp_path: Path
) -> None:
    with Instance.copied(prepared, tmp_path / "home") as instance:
        _, found, decrypted, said, again = json.loads(instance.python(KILLED.format(point=point)))
        assert process_stores.is_sound(instance.home)
    assert (found, decrypted, again) == (names, readable, [])
    assert len(said) == 1
    assert words in said[0]
    assert leftovers(instance.home) == []


@pytest.mark.thorough
@pytest.mark.sqlite_only
@pytest.mark.parametrize(("point", "names"), [("os.symlink", OLD), ("store_switch.switch", NEW)])
def test_a_killed_restore_leaves_one_store_where_it_lies_elsewhere(
    point: str, names: list[str], prepared: Path, tmp_path: Path
) -> None:
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
