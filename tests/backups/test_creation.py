"""Creating a backup: complete or not at all, also under concurrent writes (docs/decisions.md#the-snapshot)."""

import errno
import hashlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.instance_key import key_in_force
from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from backups import backup_writer, catalog, checksum, creation, snapshot
from backups.file_names import maintenance_lock
from backups.restore import backup_reader
from tests.backups.tiny_archives import configure, kept, on_shelf
from tests.collection.collector_run import SetClock
from tests.concurrency import together
from tests.usage.record_factories import archive, call

pytestmark = pytest.mark.django_db(transaction=True)
Patch = pytest.MonkeyPatch


def folder() -> Path:
    path: Path = settings.DATA_FOLDER.backups
    return path


def refused(trigger: str = "manual") -> str:
    """The message of a backup that fails; it leaves nothing behind."""
    before = on_shelf()
    with pytest.raises(ApiError) as error:
        creation.create(trigger)
    assert (error.value.status, error.value.error) == (400, "backup")
    assert on_shelf() == before
    return error.value.message


# Contents


def test_it_holds_the_store_the_key_and_a_manifest_that_tells_of_them(alice: User, time: SetClock) -> None:
    archive(alice, call("a"), call("b"))
    created = creation.create("manual", note="before the move")
    with zipfile.ZipFile(created.path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    assert set(members) == {"store.sqlite3", "instance.key"}
    assert manifest == {
        "format": 1,
        "schema": 4,
        "app": settings.VERSION,
        "created_at": time.now.astimezone(UTC).isoformat(),
        "trigger": "manual",
        "note": "before the move",
        "accounts": 1,
        "records": 2,
        "members": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in members.items()
        },
    }
    assert members["instance.key"].decode().strip() == key_in_force()


def test_it_opens_as_a_restore_would_open_it(alice: User) -> None:
    archive(alice, call("a"))
    created = creation.create("manual")
    assert backup_reader.verify(created.path) == backup_reader.read_manifest(created.path)
    unzipped = subprocess.run(["python3", "-m", "zipfile", "-t", created.path], capture_output=True, text=True)
    assert unzipped.stdout.strip() == "Done testing"


def test_its_counts_are_of_the_copy_not_of_a_later_moment(alice: User, monkeypatch: Patch) -> None:
    archive(alice, call("a"))
    take = snapshot.take

    def take_and_go_on(target: Path) -> None:
        take(target)
        archive(alice, call("b"))

    monkeypatch.setattr(snapshot, "take", take_and_go_on)
    assert creation.create("manual").item["records"] == 1


def test_it_is_packed_and_nobody_elses(alice: User) -> None:
    created = creation.create("auto")
    assert created.path.stat().st_size < snapshot.expected_bytes() / 4
    assert on_shelf() == [created.path.name, f"{created.path.name}.sha256"]
    assert {stat.S_IMODE((folder() / name).stat().st_mode) for name in [*on_shelf(), ".lock"]} == {0o600}


def test_its_item_is_that_of_the_list(alice: User, time: SetClock) -> None:
    created = creation.create("manual", note="x")
    assert catalog.items() == [created.item]
    assert created.item["sha256"] == hashlib.sha256(created.path.read_bytes()).hexdigest()
    assert created.path.name == "backup-20260907-175930-manual.zip"


def test_two_in_one_second_are_two(alice: User, time: SetClock) -> None:
    first, second = creation.create("manual"), creation.create("manual")
    assert first.path != second.path
    assert len(catalog.items()) == 2


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("  a  note \n of\ttwo lines\r\n", "a note of two lines"),
        ("bell\x07 null\0 escape\x1b[31m", "bell null escape[31m"),
        ("\ud800lone", "lone"),
        ("全角　空白", "全角 空白"),
        ("x" * 201, "x" * 200),
        ("x" * 199 + " y", "x" * 199),
        ("\n", ""),
    ],
)
def test_a_note_is_one_line_of_at_most_200(note: str, kept: str, time: SetClock) -> None:
    assert creation.create("manual", note=note).item["note"] == kept


# Pruning


def test_older_ones_go_for_it(alice: User, time: SetClock) -> None:
    configure(backup_keep=2)
    old = [kept(time.now.replace(hour=hour)) for hour in (1, 2, 3)]
    created = creation.create("auto")
    assert created.pruned == [old[1].name, old[0].name]
    assert [item["name"] for item in catalog.items()] == [created.path.name, old[2].name]


def test_a_snapshot_before_a_restore_prunes_nothing(alice: User, time: SetClock) -> None:
    configure(backup_keep=1)
    old = [kept(time.now.replace(hour=hour), trigger) for hour in (1, 2, 3, 4) for trigger in ("auto", "pre_restore")]
    with maintenance_lock():
        created = creation.create_unlocked("pre_restore")
    assert created.pruned == []
    assert all(path.exists() for path in old)


def test_what_cannot_be_pruned_does_not_undo_the_backup(alice: User, time: SetClock, monkeypatch: Patch) -> None:
    configure(backup_keep=1)
    old = kept(time.now.replace(hour=1))

    def refuse(path: Path) -> None:
        raise ApiError(400, "backup", "it stays")

    monkeypatch.setattr(catalog, "delete", refuse)
    created = creation.create("manual")
    assert (created.pruned, created.path.exists(), old.exists()) == ([], True, True)


# The maintenance lock


def test_of_two_at_once_one_is_made(alice: User) -> None:
    outcomes = together(*[lambda: creation.create("manual")] * 2)
    busy = [outcome for outcome in outcomes if isinstance(outcome, ApiError)]
    assert [error.status for error in busy] == [409]
    assert len(catalog.items()) == 1


def test_who_holds_the_exclusion_makes_it_without(alice: User) -> None:
    with maintenance_lock():
        assert creation.create_unlocked("pre_restore").path.exists()
        with pytest.raises(ApiError) as error:
            creation.create("manual")
    assert error.value.status == 409


# Failures


def test_where_the_disk_is_too_small_nothing_is_begun(alice: User, monkeypatch: Patch) -> None:
    needed = 2 * snapshot.expected_bytes()
    for free, is_enough in ((needed - 1, False), (needed, True)):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: SimpleNamespace(free=free))
        if is_enough:
            creation.create("manual")
        else:
            assert refused().startswith("Creating a backup needs ")


@pytest.mark.parametrize("function", ["tempfile.mkdtemp", "os.fsync", "os.link"])
def test_a_disk_that_fills_up_is_told_and_leaves_nothing(alice: User, monkeypatch: Patch, function: str) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(function, full)
        assert refused() == "No backup was created: the disk is full."
    assert creation.create("manual").item["valid"]


def test_a_copy_that_finds_no_room_is_told_and_leaves_nothing(alice: User, monkeypatch: Patch) -> None:
    connect = sqlite3.connect

    def limited(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened: sqlite3.Connection = connect(*arguments, **options)
        if "mode=rw" not in str(arguments[0]):
            opened.execute("PRAGMA max_page_count=10")
        return opened

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", limited)
        assert refused() == "No backup was created: the disk is full."
    assert creation.create("manual").item["valid"]


@contextmanager
def small_disk() -> Iterator[Callable[[], object]]:
    """A disk with room for the copy but not for the ZIP file, and a function to make room; a limit if mounts fail."""
    size = snapshot.expected_bytes()
    if os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size * 4},mode=0700", "tmpfs", folder()], check=True)
        filler = folder() / "filler"
        filler.write_bytes(bytes(3 * size - size // 10))
        try:
            yield filler.unlink
        finally:
            subprocess.run(["umount", folder()], check=True)
    else:
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, most))
        try:
            yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def test_on_a_full_disk_it_is_a_clear_error_and_with_room_again_it_works(alice: User, monkeypatch: Patch) -> None:
    archive(alice, *(call(str(number), prompt=os.urandom(9000).hex()) for number in range(100)))
    with small_disk() as make_room:
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2**40))
            assert refused().startswith("No backup was created: ")
        make_room()
        assert creation.create("manual").item["valid"]


def test_a_damaged_store_is_not_backed_up_but_kept_before_a_restore(alice: User, monkeypatch: Patch) -> None:
    monkeypatch.setattr(snapshot, "take", _take_damaged)
    assert refused().startswith("The store is damaged, so no backup is created: ")
    assert creation.create("pre_restore").path.exists()


def _take_damaged(target: Path) -> None:
    with (
        closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as store,
        closing(sqlite3.connect(target)) as copy,
    ):
        store.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        ((page,),) = copy.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'usage_dayhour'")
    with target.open("r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(bytes(4096))


# Killed


@contextmanager
def killed_at(place: Any, name: str, monkeypatch: Patch) -> Iterator[None]:
    """The function kills its own process, once it has done its work where its name ends with "+"."""
    function = getattr(place, name.rstrip("+"))

    def kill(*arguments: Any, **named: Any) -> None:
        if name.endswith("+"):
            function(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(place, name.rstrip("+"), kill)
        yield


def in_a_process_that_dies() -> None:
    # An open SQLite connection must not be used on both sides of a fork.
    connection.close()
    process = os.fork()
    if process == 0:
        creation.create("manual")
        os._exit(0)
    _, ended = os.waitpid(process, 0)
    assert os.WTERMSIG(ended) == signal.SIGKILL


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (snapshot, "take"), (snapshot, "take+"),
        (backup_writer, "_copy"), (backup_writer, "_copy+"), (backup_writer, "pack+"),
        (os, "fsync"), (os, "link"),
    ],
)  # fmt: skip
def test_one_that_is_killed_is_not_listed_and_the_next_start_says_so(
    alice: User, monkeypatch: Patch, place: Any, name: str
) -> None:
    with killed_at(place, name, monkeypatch):
        in_a_process_that_dies()
    assert catalog.items() == []
    assert len(on_shelf()) == 1
    (line,) = creation.clear_broken_backups()
    assert line.startswith("Removed a backup that broke off at ")
    assert (on_shelf(), creation.clear_broken_backups()) == ([], [])


@pytest.mark.parametrize(("place", "name"), [(os, "link+"), (catalog, "_sync"), (checksum, "of"), (catalog, "prune")])
def test_one_that_is_killed_after_it_got_its_name_is_whole(
    alice: User, monkeypatch: Patch, place: Any, name: str
) -> None:
    with killed_at(place, name, monkeypatch):
        in_a_process_that_dies()
    creation.clear_broken_backups()
    (item,) = catalog.items()
    assert item["valid"]
    backup_reader.verify(folder() / item["name"])
    assert on_shelf() == [item["name"], f"{item['name']}.sha256"]


def test_the_next_backup_cleans_up_too(alice: User, monkeypatch: Patch) -> None:
    with killed_at(snapshot, "take+", monkeypatch):
        in_a_process_that_dies()
    created = creation.create("manual")
    assert on_shelf() == [created.path.name, f"{created.path.name}.sha256"]


def test_while_one_is_made_nothing_is_cleaned_up(alice: User) -> None:
    with maintenance_lock():
        (folder() / ".unfinished-x").mkdir()
        assert creation.clear_broken_backups() == []
        assert on_shelf() == [".unfinished-x"]
    assert len(creation.clear_broken_backups()) == 1


def test_hashes_without_their_archive_are_cleaned_up_in_silence(alice: User, time: SetClock) -> None:
    path = kept(datetime(2026, 9, 1, tzinfo=UTC))
    catalog.items()
    (folder() / "backup-20260101-000000-auto.zip.sha256").touch()
    (folder() / ".12345678.sha256.part").touch()
    assert creation.clear_broken_backups() == []
    assert on_shelf() == [path.name, f"{path.name}.sha256"]
