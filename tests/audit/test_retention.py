"""How long the audit log and the application's log are kept: docs/decisions/instance.md#environment."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from archive_site.lib.storage import deletion
from audit import retention
from audit.log import record
from audit.models import Entry
from tests.standing_clock import SetClock

NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[2]
LINE = 1100
# Each of two processes writes twice the kept size.
TALK = """
import logging, os
import django
django.setup()
for number in range(2000):
    logging.getLogger("tests").info("%s %s %s", os.getpid(), number, "x" * 1000)
"""


@pytest.fixture(autouse=True)
def noon(time: SetClock) -> None:
    time.now = NOON


@pytest.fixture
def thirty_days(settings: Any) -> None:
    settings.AUDIT_DAYS = 30


def write(*days_ago: float) -> None:
    for days in days_ago:
        record("login", actor=str(days), user_id=None)
        Entry.objects.filter(actor=str(days)).update(at=NOON - timedelta(days=days))


def kept() -> list[str]:
    return list(Entry.objects.order_by("pk").values_list("actor", flat=True))


@pytest.mark.django_db
def test_without_a_limit_all_is_kept(settings: Any) -> None:
    settings.AUDIT_DAYS = None
    write(10_000, 1)
    assert (retention.delete_old_entries(), kept()) == (0, ["10000", "1"])


@pytest.mark.django_db
def test_what_is_older_than_the_limit_goes_to_the_second(thirty_days: None) -> None:
    second = 1 / 86400
    write(31, 30 + second, 30, 30 - second, 1)
    assert retention.delete_old_entries() == 2
    assert kept() == ["30", str(30 - second), "1"]


@pytest.mark.engine
@pytest.mark.django_db
def test_an_older_entry_goes_though_it_stands_behind_a_newer_one(thirty_days: None) -> None:
    # After a restore, older entries may follow newer ones.
    write(1, 99, 2, 98)
    assert (retention.delete_old_entries(), kept()) == (2, ["1", "2"])


@pytest.mark.engine
@pytest.mark.django_db
def test_an_id_that_was_removed_is_not_used_again(thirty_days: None) -> None:
    write(31)
    old = Entry.objects.get().pk
    retention.delete_old_entries()
    record("login", actor="ada", user_id=None)
    assert Entry.objects.get().pk > old


@pytest.mark.django_db
def test_they_go_in_pieces_that_are_found_before_a_writer_has_to_wait(
    thirty_days: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "ROWS", 4)
    write(*range(31, 41), 1)
    statements: list[tuple[str, int]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql.split()[0], len(params or ())))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert retention.delete_old_entries() == 10
    # A deletion names the ids, so it needs no search.
    assert [entry for entry in statements if entry[0] == "DELETE"] == [("DELETE", 4), ("DELETE", 4), ("DELETE", 2)]
    assert [kind for kind, _ in statements if kind != "SAVEPOINT"][:2] == ["SELECT", "DELETE"]


@pytest.mark.django_db
def test_nothing_to_remove_writes_nothing(thirty_days: None, django_assert_num_queries: Any) -> None:
    write(1, 2)
    with django_assert_num_queries(1):
        assert retention.delete_old_entries() == 0


@pytest.mark.thorough
def test_the_log_stays_below_its_limit_though_several_processes_write(tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("ARCHIVE_", "DJANGO_"))}
    environment = {
        **ours,
        "ARCHIVE_HOME": str(tmp_path),
        "ARCHIVE_LOG_MEGABYTES": "1",
        "DJANGO_SETTINGS_MODULE": "archive_site.settings",
        "TZ": "Europe/Berlin",
    }
    processes = [subprocess.Popen([sys.executable, "-c", TALK], env=environment, cwd=ROOT) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    files = sorted((tmp_path / "logs").glob("app.log*"))
    sizes = [path.stat().st_size for path in files]
    # A file is rotated after the line that fills it, so each may be one line longer.
    assert 0.7 * 1024**2 < sum(sizes) <= 1024**2 + 5 * LINE
    assert max(sizes) <= 1024**2 / 5 + LINE
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
