"""A refused restore leaves the store unchanged and no files behind."""

import errno
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import DatabaseError

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.stored_message import Message
from backups import backup_manifest, creation, disk_failures
from backups.restore import (
    backup_reader,
    new_store,
    restore_backup,
    sqlite_stores,
    store_switch,
    unusable_store,
    work_folder,
)
from backups.restore.store_switch import follow_up
from backups.restore.store_switch import sqlite as link
from collection.models import Run
from collection.runs import lease
from tests.archive_site.test_refusals_of_postgres import without_table
from tests.backups.backup_files import made_store, pack_store
from tests.backups.filled_instance import backed_up, everything, files, live, restored, schemas, settle_in, stores
from tests.concurrency import together
from tests.factories import make_user

pytestmark = [pytest.mark.landing, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def backup() -> Iterator[Path]:
    """A backup of a store that has changed since."""
    kept = settings.DATA_FOLDER.instance_key.read_bytes()
    settle_in()
    path = backed_up()
    make_user("bob")
    yield path
    settings.DATA_FOLDER.instance_key.write_bytes(kept)


@contextmanager
def nothing_changes() -> Iterator[None]:
    before = (everything(), files(), live().resolve(), stores())
    yield
    assert (everything(), files(), live().resolve(), stores()) == before
    assert schemas() == []
    assert list(settings.DATA_FOLDER.home.glob(".restore-*")) == []


def refusal(path: Path, **options: Any) -> ApiError:
    with nothing_changes(), pytest.raises(ApiError) as refused:
        restored(path, **options)
    return refused.value


# Conflicting work


def test_a_collection_that_runs(backup: Path) -> None:
    with lease.kept(lease.take_or_refuse()):
        error = refusal(backup)
    assert (error.status, error.error, error.message) == (409, "busy", lease.BUSY)


def test_a_collection_that_begins_while_the_archive_is_checked(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack, tokens = backup_reader.unpack, []

    def slowly(*arguments: Any) -> Any:
        tokens.append(lease.take_or_refuse())
        return unpack(*arguments)

    monkeypatch.setattr(backup_reader, "unpack", slowly)
    with pytest.raises(ApiError, match="collection"):
        restored(backup)
    lease.require(tokens[0])
    assert User.objects.filter(username="bob").exists()


def test_another_backup_or_restore(backup: Path) -> None:
    with maintenance_lock():
        error = refusal(backup)
    assert (error.status, error.error) == (409, "busy")


def test_of_two_restores_at_once_one_is_done(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused, unpack = threading.Event(), backup_reader.unpack

    def while_the_other_asks(*arguments: Any) -> Any:
        assert refused.wait(60)
        return unpack(*arguments)

    def restore() -> restore_backup.Restored:
        try:
            return restored(backup)
        except ApiError:
            refused.set()
            raise

    monkeypatch.setattr(backup_reader, "unpack", while_the_other_asks)
    outcomes = together(restore, restore)
    done = [one for one in outcomes if isinstance(one, restore_backup.Restored)]
    busy = [one.error for one in outcomes if isinstance(one, ApiError)]
    assert (len(done), busy) == (1, ["busy"])
    assert not User.objects.filter(username="bob").exists()


def test_somebody_who_goes_on_writing(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_freeze, "PATIENCE", 0.2)
    begun, done = threading.Event(), threading.Event()

    def write() -> None:
        with write_freeze.writing():
            begun.set()
            done.wait(60)

    writer = threading.Thread(target=write)
    writer.start()
    begun.wait(60)
    error = refusal(backup)
    done.set()
    writer.join()
    assert (error.status, error.error) == (409, "busy")
    assert not lease.is_held()


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_another_program_that_keeps_the_store_locked(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "PATIENCE", 0.2)
    create = creation.create_unlocked
    with closing(sqlite3.connect(live(), isolation_level=None, check_same_thread=False)) as other:

        def locked(*arguments: Any, **options: Any) -> Any:
            other.execute("BEGIN IMMEDIATE")
            return create(*arguments, **options)

        monkeypatch.setattr(creation, "create_unlocked", locked)
        # It could not be freed in a store that is locked.
        monkeypatch.setattr(lease, "release", lambda token: None)
        with pytest.raises(ApiError, match="locked") as refused:
            restored(backup)
        other.execute("ROLLBACK")
    assert (refused.value.status, refused.value.error) == (409, "busy")
    assert User.objects.filter(username="bob").exists()


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_a_reader_is_in_nobodys_way(backup: Path) -> None:
    with closing(sqlite3.connect(live(), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        count = "SELECT COUNT(*) FROM accounts_user"
        before = reader.execute(count).fetchone()
        restored(backup)
        assert reader.execute(count).fetchone() == before
    assert User.objects.count() == before[0] - 1


# Failures

_STEPS = [
    (backup_reader, "unpack"), (new_store, "prepare"), (lease, "take_or_refuse"), (creation, "create_unlocked"),
    (new_store, "merge"), (store_switch, "announce"), (store_switch, "stage_key"), (store_switch, "switch"),
]  # fmt: skip


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.thorough_after(6)
@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("module", "step"), _STEPS, ids=[step for _, step in _STEPS])
def test_a_failure_at_any_step_leaves_all_as_it_was(
    module: Any, step: str, late: bool, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = getattr(module, step)

    def fail(*arguments: Any, **options: Any) -> Any:
        if late and step == "create_unlocked":
            # The restore cleans up itself; the test checks the state after it.
            monkeypatch.setattr(new_store, "merge", broken)
            return act(*arguments, **options)
        if late and step not in ("take_or_refuse", "switch"):
            act(*arguments, **options)
        raise RuntimeError("on purpose")

    monkeypatch.setattr(module, step, fail)
    with nothing_changes(), pytest.raises(RuntimeError, match="on purpose"):
        restored(backup)
    assert not lease.is_held()


@pytest.mark.thorough
@pytest.mark.sqlite_only
@pytest.mark.parametrize("linked", [False, True], ids=["from a file", "from a link"])
@pytest.mark.parametrize(
    ("module", "step", "about"),
    [
        (link, "sync", backup_manifest.STORE),
        (os, "rename", "store-"),
        (os, "symlink", "store-"),
        (os, "replace", "link"),
    ],
)
def test_a_disk_that_refuses_a_step_of_the_switch_leaves_the_old_store(
    module: Any, step: str, about: str, linked: bool, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if linked:
        restored(backup)
        make_user("bob")
    act = getattr(module, step)

    def refuse(*arguments: Any, **options: Any) -> Any:
        if any(Path(str(one)).name.startswith(about) for one in arguments):
            raise OSError(errno.ENOSPC, "No space left on device")
        return act(*arguments, **options)

    monkeypatch.setattr(module, step, refuse)
    error = refusal(backup)
    assert (error.status, error.message) == (400, f"{backup.name} was not restored: the disk is full.")


@pytest.mark.sqlite_only
def test_a_present_store_that_is_damaged_names_the_command_that_sets_it_aside(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = tmp_path / "archive.sqlite3"
    name.symlink_to("store-0.sqlite3")
    name.write_bytes(b"rubbish" * 999)
    monkeypatch.setattr(sqlite_stores, "live_store", lambda: name)
    both = sqlite_stores.SqliteStores(made_store(tmp_path / "new"))
    with pytest.raises(ApiError, match=r"run 'manage\.py backup restore', which sets the damaged store aside"):
        new_store.merge(both, fingerprint="", entry=new_store.RestoreEntry("root", None, "", ""))


@pytest.mark.sqlite_only
def test_a_present_store_that_lost_a_table_names_the_command_that_sets_it_aside(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = made_store(tmp_path / "lacking")
    with closing(sqlite3.connect(lacking)) as store:
        store.execute("DROP TABLE usage_prompt")
    monkeypatch.setattr(unusable_store, "live_store", lambda: lacking)
    assert "run 'manage.py backup restore', which sets the damaged store aside" in refusal(backup).message


@pytest.mark.postgres_only
def test_a_database_that_lost_a_table_is_to_be_replaced_by_an_empty_one(backup: Path) -> None:
    before = files()
    with without_table("usage_prompt"), pytest.raises(ApiError) as refused:
        restored(backup)
    assert (refused.value.status, files()) == (400, before)
    said = "The current store lacks the table usage_prompt. Stop the service, name an empty database in DATABASE_URL, "
    assert refused.value.message.startswith(said)


def test_a_reason_of_a_server_is_one_line() -> None:
    said = r"^No backup was created: refused LINE 3: \^\.$"
    with pytest.raises(ApiError, match=said), disk_failures.as_api_errors(Message("no_backup_created")):
        raise DatabaseError("refused\nLINE 3:\n    ^")


def test_after_a_failure_the_next_restore_succeeds(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_switch, "switch", broken)
    with pytest.raises(RuntimeError):
        restored(backup)
    monkeypatch.undo()
    restored(backup)
    assert not User.objects.filter(username="bob").exists()


def broken(*arguments: Any, **options: Any) -> None:
    raise RuntimeError("on purpose")


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("module", "step"),
    [pytest.param(link, "_retire", marks=pytest.mark.sqlite_only), (follow_up, "remove_exports_of_others")],
)
def test_what_fails_after_the_switch_is_logged_and_the_store_is_restored(
    module: Any, step: str, backup: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, step, broken)
    assert "is restored" in restored(backup).message
    assert "something that follows failed" in caplog.text
    assert not User.objects.filter(username="bob").exists()
    assert [path.name for path in settings.DATA_FOLDER.backups.glob("*pre_restore.zip")]


def test_a_missing_exports_folder_is_no_failure(backup: Path, caplog: pytest.LogCaptureFixture) -> None:
    exports = settings.DATA_FOLDER.exports
    kept = exports.rename(exports.with_name("kept"))
    restored(backup)
    kept.rename(exports)
    assert "failed" not in caplog.text


def test_a_hostile_archive_is_a_plain_refusal(backup: Path, tmp_path: Path) -> None:
    path = tmp_path / "hostile.zip"
    path.write_bytes(backup.read_bytes()[:-100])
    error = refusal(path)
    assert (error.status, error.error) == (400, "backup")
    assert error.message == "hostile.zip cannot be restored: It is not a ZIP file, or it is damaged."


def test_a_disk_without_room_is_reported(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_folder, "_SPARED", 2**60)
    error = refusal(backup)
    assert (error.status, error.error, "free disk" in error.message) == (400, "backup", True)


def test_the_archive_that_is_restored_is_not_pruned(backup: Path) -> None:
    kept = [settings.DATA_FOLDER.backups / restored(backup).pre_restore for _ in range(3)]
    restored(kept[0])
    assert kept[0].exists()


def test_a_restore_that_fails_prunes_nothing_and_one_that_succeeds_its_own_kind(
    backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = [restored(backup).pre_restore for _ in range(3)]
    monkeypatch.setattr(store_switch, "switch", broken)
    with nothing_changes(), pytest.raises(RuntimeError):
        restored(backup)
    monkeypatch.undo()
    newest = restored(backup).pre_restore
    assert {path.name for path in settings.DATA_FOLDER.backups.glob("*pre_restore.zip")} == {*older[1:], newest}
    assert backup.exists()


def test_runs_of_the_store_before_are_not_touched_by_a_refusal(backup: Path, tmp_path: Path) -> None:
    Run.objects.create(archive_id=1, trigger="schedule", status="queued", created_at="2026-09-01T00:00:00Z")
    other = made_store(tmp_path / "other.sqlite3")
    assert refusal(pack_store(tmp_path / "other.zip", other, schema=5)).status == 400
