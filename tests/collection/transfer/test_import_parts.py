"""Imports that break off between two parts, and what others do between them.

The rules: docs/decisions/files.md#imports-go-in-parts.
"""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from accounts import config
from accounts.models import INSTANCE, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import write_parts
from archive_site.tasks import housekeeping, tick
from audit.models import Entry
from collection.api_types import ImportedFile
from collection.models import Heartbeat, ImportProgress, Run
from collection.runs import import_progress, lease, run_stop, runs
from collection.transfer import dead_imports, import_storing
from collection.transfer.import_run import Importer, import_file
from tests.standing_clock import SetClock
from tests.usage.import_files import HEADER, file_of
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups
from usage.bulk_ingest import Bulk
from usage.importing.file_format import Options
from usage.models import Record

pytestmark = pytest.mark.django_db
CALLS = 5
CONTENT = HEADER + "".join(f"r{number},1,why?,glm,ide,2026-09-07 12:3{number}:00\r\n" for number in range(CALLS))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call is a part."""
    for name in ("_FIRST", "_LEAST", "_MOST"):
        monkeypatch.setattr(import_storing, name, 1)


def imported(user: User, tmp_path: Path) -> tuple[Run, ImportedFile]:
    return import_file(Importer(user, Run.Trigger.MANUAL, user.username), file_of(tmp_path, CONTENT), Options({}))


def in_part(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> None:
    """Do something in the part of this number, after its calls are written."""
    finish, seen = Bulk.finish, []

    def finish_and_act(bulk: Bulk) -> None:
        finish(bulk)
        seen.append(bulk)
        if len(seen) == number:
            act()

    monkeypatch.setattr(Bulk, "finish", finish_and_act)


def failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def full_disk() -> OperationalError:
    error = OperationalError("database or disk is full")
    error.__cause__ = sqlite3.OperationalError("database or disk is full")
    error.__cause__.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (lease.LeaseLost(), "interrupted", (409, "interrupted")),
        (RuntimeError("secret"), "failed", (500, "internal")),
        pytest.param(full_disk(), "failed", (507, "no_space"), marks=pytest.mark.sqlite_only),
    ],
)
def test_an_import_that_breaks_off_says_how_much_is_stored(
    alice: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: str,
    code: tuple[int, str],
) -> None:
    in_part(monkeypatch, 3, failing(error))
    with pytest.raises(ApiError, match=r"2 of its calls are stored; import the file again for the rest") as refused:
        imported(alice, tmp_path)
    run = Run.objects.get()
    assert ((refused.value.status, refused.value.error), run.status, run.added) == (code, status, 2)
    assert (Record.objects.count(), run.message) == (2, refused.value.message)
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)
    assert "secret" not in run.message + run.detail
    assert Entry.objects.get().action == "import_failed"
    assert not lease.is_held()


def test_importing_again_adds_the_rest_and_doubles_nothing(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_part(monkeypatch, 3, failing(lease.LeaseLost()))
    with pytest.raises(ApiError):
        imported(alice, tmp_path)
    run, found = imported(alice, tmp_path)
    assert (found.new, found.known, run.added, run.dup) == (3, 2, 3, 2)
    assert Record.objects.count() == CALLS
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_a_run_shows_its_parts_while_it_works(alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    in_part(monkeypatch, 3, lambda: seen.extend(Run.objects.values_list("status", "added")))
    imported(alice, tmp_path)
    assert seen == [("running", 2)]
    assert not ImportProgress.objects.exists()


@pytest.mark.engine
def test_an_import_stops_on_request_after_its_part(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_part(monkeypatch, 2, lambda: run_stop.stop(alice.pk, Run.objects.get().pk))
    with pytest.raises(ApiError, match=r"Stopped on request\. 2 of its calls are stored;"):
        imported(alice, tmp_path)
    assert Run.objects.get().status == "interrupted"


def test_a_stop_of_the_service_does_not_stop_an_import(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_part(monkeypatch, 2, lambda: runs.request_stop(lease.runs_here()))
    assert imported(alice, tmp_path)[0].status == "ok"


def test_another_process_that_took_the_lease_keeps_the_rest_out(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_part(monkeypatch, 2, lambda: lease.release_run(Run.objects.get().pk))
    with pytest.raises(
        ApiError, match=r"Another collection took over; nothing more was written\. 2 of its calls are stored;"
    ):
        imported(alice, tmp_path)
    assert Record.objects.count() == 2


def test_the_store_is_free_between_two_parts(alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gaps: list[bool] = []
    monkeypatch.setattr(write_parts.Parts, "_adapt", lambda *_: gaps.append(connection.in_atomic_block))
    imported(alice, tmp_path)
    assert len(gaps) == CALLS + 1


class Dead(BaseException):
    """Ends a process in a test."""


@pytest.fixture
def dead(alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """An import that died in its third part: nothing of it was cleaned up."""
    in_part(monkeypatch, 3, failing(Dead()))
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        patch.setattr(lease, "release", lambda _: None)
        with pytest.raises(Dead):
            imported(alice, tmp_path)
    monkeypatch.setattr(lease, "_is_dead", lambda _: True)
    run = Run.objects.get()
    assert (run.status, run.added) == ("running", 2)
    lease.expire()
    monkeypatch.undo()
    return run


def test_a_dead_import_that_can_be_finished_stays_running(dead: Run) -> None:
    dead.refresh_from_db()
    assert (dead.status, import_progress.can_be_finished(dead.pk)) == ("running", True)


def test_a_dead_import_is_finished(dead: Run, alice: User) -> None:
    dead_imports.finish_all()
    dead.refresh_from_db()
    assert (dead.status, dead.added, Record.objects.count()) == ("ok", CALLS, CALLS)
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)
    assert not import_progress.unfinished()


def test_a_dead_import_of_a_full_account_ends(dead: Run, alice: User) -> None:
    archive(alice, call("large", prompt="x" * 1_000_000), max_prompt=1_000_000)
    config.write({"max_account_megabytes": "1"}, archive_id=INSTANCE, may_edit_instance=True)
    dead_imports.finish_all()
    dead.refresh_from_db()
    assert (dead.status, dead.cause, Record.objects.count()) == ("failed", "account_full", 3)


def test_the_tick_finishes_it(dead: Run) -> None:
    tick()
    dead.refresh_from_db()
    assert dead.status == "ok"


def test_the_housekeeping_spares_its_file(dead: Run) -> None:
    housekeeping()
    assert import_progress.unfinished()


def test_a_dead_import_waits_while_the_account_is_busy(dead: Run, alice: User) -> None:
    lease.take(archive_id=alice.pk)
    dead_imports.finish_all()
    dead.refresh_from_db()
    assert dead.status == "running"


def test_a_dead_import_of_a_deleted_account_is_interrupted(dead: Run, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(status="disabled")
    dead_imports.finish_all()
    dead.refresh_from_db()
    assert (dead.status, Record.objects.count()) == ("interrupted", 2)
    assert dead.message.startswith("Interrupted: the account was disabled or deleted. 2 of its calls are stored;")


def test_a_staged_file_that_is_damaged_interrupts_its_run(dead: Run, settings: Any) -> None:
    folder = settings.DATA_FOLDER.imports / ImportProgress.objects.get().folder
    (folder / "calls.sqlite3").write_bytes(b"broken" * 1000)
    dead_imports.finish_all()
    dead.refresh_from_db()
    assert (dead.status, folder.exists()) == ("interrupted", False)
    assert dead.message.startswith("Interrupted: its process died or stood still. 2 of its calls are stored;")


def test_a_file_that_kills_each_process_is_given_up(dead: Run) -> None:
    ImportProgress.objects.update(tries=3)
    lease.expire()
    dead.refresh_from_db()
    assert dead.status == "interrupted"


def test_a_dead_import_without_its_file_is_interrupted(dead: Run) -> None:
    ImportProgress.objects.update(folder="elsewhere")
    lease.expire()
    dead.refresh_from_db()
    assert (dead.status, dead.cause) == ("interrupted", "import_process_died")


def test_a_dead_import_waits_for_its_node_until_that_was_silent_for_three_minutes(time: SetClock, dead: Run) -> None:
    ImportProgress.objects.update(folder="elsewhere", node="another")
    time.pass_by(minutes=2, seconds=59)
    lease.expire()
    dead.refresh_from_db()
    assert dead.status == "running"
    time.pass_by(seconds=1)
    lease.expire()
    dead.refresh_from_db()
    assert dead.status == "interrupted"


@pytest.mark.postgres_only
def test_a_dead_import_waits_for_its_node_while_that_lives(time: SetClock, dead: Run) -> None:
    ImportProgress.objects.update(folder="elsewhere", node="another")
    time.pass_by(minutes=30)
    Heartbeat.objects.create(name="workers of another", at=time.now)
    lease.expire()
    dead.refresh_from_db()
    assert dead.status == "running"
    time.pass_by(minutes=3)
    lease.expire()
    dead.refresh_from_db()
    assert dead.status == "interrupted"
