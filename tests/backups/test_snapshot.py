"""A consistent copy of the store during reads and writes: docs/decisions/backups.md#the-snapshot."""

import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from backups import snapshot
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.usage.record_factories import archive, call
from usage.filters import RecordFilters
from usage.models import Record
from usage.reads import queries

# Of a store that is an SQLite file; `test_snapshot_of_postgres.py` has the others.
pytestmark = pytest.mark.sqlite_only
TAKES = 50


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small separate store in place of the live one."""
    path = tmp_path / "live store #1?.sqlite3"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE number AS SELECT 7 AS value")
    monkeypatch.setitem(settings.DATABASES["default"], "NAME", path)
    return path


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as copy:
        return copy.execute(query).fetchall()


def refused(action: Callable[..., object], *arguments: object) -> tuple[int, str | None, str]:
    with pytest.raises(ApiError) as error:
        action(*arguments)
    return error.value.status, error.value.error, error.value.message


@pytest.mark.django_db(transaction=True)
def test_it_needs_no_journal_beside_it(alice: User, tmp_path: Path) -> None:
    archive(alice, call("a"))
    target = tmp_path / "copy"
    snapshot.take(target)
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes()[18:20] == b"\1\1", "journal mode of the file: not WAL"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert rows(target, "SELECT request_id FROM usage_record") == [("a",)]
    assert target.stat().st_size == snapshot.expected_bytes()


@pytest.mark.django_db(transaction=True)
def test_what_is_not_committed_is_not_in_it(alice: User, tmp_path: Path) -> None:
    archive(alice, call("a"))
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM usage_record")
        snapshot.take(tmp_path / "copy")
        writer.execute("ROLLBACK")
    assert snapshot.counts(tmp_path / "copy") == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_what_still_is_in_the_log_is_in_it(alice: User, tmp_path: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    archive(alice, call("a"))
    store = Path(settings.DATABASES["default"]["NAME"])
    assert store.with_name(f"{store.name}-wal").stat().st_size > 0
    snapshot.take(tmp_path / "copy")
    assert snapshot.counts(tmp_path / "copy") == (1, 1)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_fifty_are_consistent_while_a_collection_writes_and_readers_read(
    alice: User, bob: User, tmp_path: Path
) -> None:
    pages = count()

    def write() -> None:
        number = next(pages)
        owner = (alice, bob)[number % 2]
        archive(owner, *(call(f"{number}-{each}", credits=each, prompt="x" * 400) for each in range(20)))
        # Some calls come again with other values, so rows change and groups shrink and grow.
        archive(owner, *(call(f"{number}-{each}", credits=each + 1, model="other") for each in range(0, 20, 3)))

    with meanwhile(write, lambda: queries.count_records(alice.pk, RecordFilters())) as failures:
        sizes = []
        for number in range(TAKES):
            copy = tmp_path / str(number)
            snapshot.take(copy)
            assert [rows(copy, query) for query in ROLLUP_ERRORS] == [[]] * len(ROLLUP_ERRORS)
            assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
            sizes.append(snapshot.counts(copy)[1])
            copy.unlink()
    assert failures == []
    assert (sizes, len(set(sizes)) > 5) == (sorted(sizes), True), "it was written meanwhile"
    assert Record.objects.count() >= sizes[-1]


@contextmanager
def meanwhile(*functions: Callable[[], object]) -> Iterator[list[Exception]]:
    """Call each function repeatedly in a separate thread until the block ends; return their exceptions."""
    done, failures = threading.Event(), list[Exception]()

    def repeat(function: Callable[[], object]) -> None:
        try:
            while not done.is_set():
                function()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=repeat, args=[function]) for function in functions]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        done.set()
        for thread in threads:
            thread.join(60)


# Refusals


@pytest.fixture
def locked(store: Path) -> Iterator[Path]:
    with closing(sqlite3.connect(store, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield store


def test_a_locked_store_is_not_waited_for_without_end(locked: Path, tmp_path: Path) -> None:
    with pytest.raises(ApiError) as error:
        snapshot.take(tmp_path / "copy", patience=0.1)
    assert (error.value.status, error.value.error) == (400, "backup")
    assert error.value.message == "The store is locked by another program; no backup was created."


@pytest.mark.thorough
def test_a_store_that_is_locked_for_a_moment_is_waited_for(store: Path, tmp_path: Path) -> None:
    holder = sqlite3.connect(store, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    threading.Timer(1.5, holder.close).start()
    snapshot.take(tmp_path / "copy")
    assert rows(tmp_path / "copy", "SELECT value FROM number") == [(7,)]


def test_a_store_that_is_gone_is_not_made_anew(store: Path, tmp_path: Path) -> None:
    store.unlink()
    with pytest.raises(sqlite3.OperationalError):
        snapshot.take(tmp_path / "copy")
    assert not store.exists()


def test_a_damaged_store_is_reported(store: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store)) as filled, filled:
        filled.execute("CREATE TABLE more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)"
                       " SELECT i, hex(randomblob(20)) AS text FROM n")  # fmt: skip
        filled.execute("CREATE INDEX by_text ON more (text)")
    snapshot.take(tmp_path / "copy")
    snapshot.require_sound(tmp_path / "copy")
    damaged = bytearray((tmp_path / "copy").read_bytes())
    damaged[20 * 4096 : 21 * 4096] = bytes(4096)
    (tmp_path / "copy").write_bytes(damaged)
    status, code, message = refused(snapshot.require_sound, tmp_path / "copy")
    assert (status, code, message.startswith("The store is damaged, so no backup is created: ")) == (
        400, "backup", True
    )  # fmt: skip
