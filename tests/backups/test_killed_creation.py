"""Killed backups: complete or not listed, and the next start cleans up (docs/decisions/backups.md#the-snapshot)."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from backups import backup_writer, catalog, checksum, creation, pruning, snapshot
from backups.restore import backup_reader
from tests.backups.tiny_archives import folder, kept, on_shelf
from tests.standing_clock import SetClock

pytestmark = pytest.mark.django_db(transaction=True)
Patch = pytest.MonkeyPatch


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


@pytest.mark.thorough
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


@pytest.mark.parametrize(("place", "name"), [(os, "link+"), (catalog, "_sync"), (checksum, "of"), (pruning, "prune")])
def test_one_that_is_killed_after_it_got_its_name_is_whole(
    alice: User, monkeypatch: Patch, place: Any, name: str
) -> None:
    with killed_at(place, name, monkeypatch):
        in_a_process_that_dies()
    creation.clear_broken_backups()
    (item,) = catalog.items()
    assert item.valid
    backup_reader.verify(folder() / item.name)
    assert on_shelf() == [item.name, f"{item.name}.sha256"]


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
