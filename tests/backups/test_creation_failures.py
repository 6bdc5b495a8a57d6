"""Backups that fail: a clear error, and nothing is left behind (docs/decisions/backups.md#the-snapshot)."""

import errno
import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from backups import creation, snapshot
from tests.backups.tiny_archives import folder, on_shelf
from tests.usage.record_factories import archive, call

pytestmark = pytest.mark.django_db(transaction=True)
Patch = pytest.MonkeyPatch


def refused(trigger: str = "manual") -> str:
    """The message of a backup that fails; it leaves nothing behind."""
    before = on_shelf()
    with pytest.raises(ApiError) as error:
        creation.create(trigger)
    assert (error.value.status, error.value.error) == (400, "backup")
    assert on_shelf() == before
    return error.value.message


def test_where_the_disk_is_too_small_nothing_is_begun(alice: User, monkeypatch: Patch) -> None:
    needed = 2 * snapshot.expected_bytes()
    for free, is_enough in ((needed - 1, False), (needed, True)):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: SimpleNamespace(free=free))
        if is_enough:
            creation.create("manual")
        else:
            assert refused().startswith("Creating a backup needs ")


@pytest.mark.parametrize("function", ["tempfile.mkdtemp", "os.fsync", "os.link"])
def test_a_disk_that_fills_up_is_reported_and_leaves_nothing(alice: User, monkeypatch: Patch, function: str) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(function, full)
        assert refused() == "No backup was created: the disk is full."
    assert creation.create("manual").item.valid


@pytest.mark.sqlite_only
def test_a_copy_that_finds_no_room_is_reported_and_leaves_nothing(alice: User, monkeypatch: Patch) -> None:
    connect = sqlite3.connect

    def limited(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened: sqlite3.Connection = connect(*arguments, **options)
        if "mode=rw" not in str(arguments[0]):
            opened.execute("PRAGMA max_page_count=10")
        return opened

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", limited)
        assert refused() == "No backup was created: the disk is full."
    assert creation.create("manual").item.valid


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


@pytest.mark.sqlite_only
def test_on_a_full_disk_it_is_a_clear_error_and_with_room_again_it_works(alice: User, monkeypatch: Patch) -> None:
    archive(alice, *(call(str(number), prompt=os.urandom(9000).hex()) for number in range(100)))
    with small_disk() as make_room:
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2**40))
            assert refused().startswith("No backup was created: ")
        make_room()
        assert creation.create("manual").item.valid


def test_a_damaged_store_is_not_backed_up_but_kept_before_a_restore(alice: User, monkeypatch: Patch) -> None:
    monkeypatch.setattr(snapshot, "take", partial(_take_damaged, snapshot.take))
    assert refused().startswith("The store is damaged, so no backup is created: ")
    assert creation.create("pre_restore").path.exists()


def _take_damaged(take: Callable[[Path], None], target: Path) -> None:
    take(target)
    with closing(sqlite3.connect(target)) as copy:
        ((page,),) = copy.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'usage_dayhour'")
        # Restores of other tests may have left pages of another size.
        ((size,),) = copy.execute("PRAGMA page_size")
    with target.open("r+b") as file:
        file.seek(size * (page - 1))
        file.write(bytes(size))
