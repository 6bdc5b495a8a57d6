"""Restoring on the command line, on a new instance, and on a full disk."""

import shutil
from pathlib import Path

import pytest

from tests.archive_site.commands import is_one_line
from tests.backups.filled_instance import COOKIE
from tests.collection.running_instance import Instance

pytestmark = pytest.mark.thorough

FILL = f"""
import django
django.setup()
from accounts.credentials import credential
from accounts.models import User
from tests.usage.record_factories import archive, call
alice = User.objects.get(username="alice")
credential.store(alice.pk, {COOKIE!r})
archive(alice, *[call("r%s" % number, prompt="question %s " % number + "x" * 300) for number in range({{records}})])
"""
RECORDS = 6000
ASK = """
import django
django.setup()
from accounts.credentials import credential
from accounts.models import User
from django.conf import settings
from tests.factories import ApiClient
settings.ALLOWED_HOSTS = ["testserver"]
visitor = ApiClient.signed_in(User.objects.get(username="alice"))
for path in ("/api/records?q=question", "/api/runs", "/api/summary"):
    print(visitor.get(path).content.decode())
print(credential.reveal(1))
"""


def backup_of(instance: Instance) -> Path:
    (path,) = (instance.home / "backups").glob("*-manual.zip")
    return path


def test_a_new_instance_takes_over_from_a_backup(instance: Instance, tmp_path: Path) -> None:
    instance.python(FILL.format(records=30))
    assert instance.run("backup", "create").returncode == 0
    with Instance(tmp_path / "new") as new:
        done = new.run("backup", "restore", str(backup_of(instance)), "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        assert "is restored: 2 accounts, 30 records" in done.stdout
        assert new.python(ASK) == instance.python(ASK)


@pytest.mark.sqlite_only
def test_a_store_on_another_disk_is_replaced_there(instance: Instance, small_disk: Path) -> None:
    shutil.move(instance.store, small_disk / "own.sqlite3")
    instance.store.symlink_to(small_disk / "own.sqlite3")
    assert instance.run("backup", "create").returncode == 0
    done = [instance.run("backup", "restore", backup_of(instance).name, "--yes") for _ in range(2)]
    assert [one.returncode for one in done] == [0, 0], done
    assert instance.sql("SELECT COUNT(*) FROM accounts_user") == [(2,)]
    # What no restore made is not removed, and what one made is.
    left = {path.name for path in small_disk.iterdir()}
    assert left == {"own.sqlite3", instance.store.resolve().name}
    assert ["own.sqlite3 is not removed" in one.stderr for one in done] == [True, False]
    assert not list(instance.home.glob(".restore-*"))


@pytest.fixture(scope="module")
def filled(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of some megabytes with its backup."""
    with Instance.copied(made_once, tmp_path_factory.mktemp("filled") / "home") as instance:
        instance.python(FILL.format(records=RECORDS))
        assert instance.run("backup", "create").returncode == 0
    return instance.home


# Too little for the archive's store, or for the backup of the present one beside it.
@pytest.mark.parametrize(
    ("left", "words"),
    [(1, "This needs"), pytest.param(11, "Creating a backup needs", marks=pytest.mark.sqlite_only)],
)
def test_a_full_disk_is_reported_and_nothing_is_lost(left: int, words: str, filled: Path, small_disk: Path) -> None:
    with Instance.copied(filled, small_disk / "home") as instance:
        backup, filling = backup_of(instance), small_disk / "filling"
        filling.write_bytes(b"\0" * (shutil.disk_usage(small_disk).free - left * 1024**2))
        refused = instance.run("backup", "restore", backup.name, "--yes")
        assert is_one_line(refused, words), refused.stderr
        assert instance.sql("SELECT COUNT(*) FROM usage_record") == [(RECORDS,)]
        assert not list(instance.home.glob(".restore-*"))
        filling.unlink()
        assert instance.run("backup", "restore", backup.name, "--yes").returncode == 0
