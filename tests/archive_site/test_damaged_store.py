"""A store, or a data folder, that goes wrong while requests come: 503 `unavailable` everywhere (docs/api.md#errors)."""

import logging
import os
import shutil
import sqlite3
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, connection
from django.test import override_settings

from accounts.models import User
from archive_site.lib import seldom_log
from archive_site.lib.http import store_refusals
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.storage import disk_space, store_damage
from archive_site.lib.storage.data_folder import DataFolder, made
from archive_site.lib.storage.shortened_damage import ShortenedDamage
from archive_site.lib.storage.sql import execute
from archive_site.lib.storage.sqlite_backend.base import DatabaseWrapper
from tests.accounts.page_forms import sign_in
from tests.archive_site.api_answers import refusal
from tests.archive_site.commands import manage, signed_in, up
from tests.collection.import_endpoint import send
from tests.factories import ApiClient, make_user
from tests.usage.record_factories import archive, call
from usage.export import kept_files

pytestmark = pytest.mark.usefixtures("fresh_lines")
SAID = "The store of this instance is damaged or missing. Ask its administrator."


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_damage._Process, "serves", True)


def of_sqlite(code: int, words: str = "text") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


def wrapped(cause: Exception) -> DatabaseError:
    error = DatabaseError("text")
    error.__cause__ = cause
    return error


def opened(store: Path) -> DatabaseWrapper:
    made = DatabaseWrapper({**connection.settings_dict, "NAME": str(store)})
    made.connect()
    return made


def rows_of(wrapper: DatabaseWrapper, query: str) -> list[Any]:
    with wrapper.cursor() as cursor:
        return list(cursor.execute(query).fetchall())


@pytest.mark.parametrize(
    "error",
    [
        of_sqlite(sqlite3.SQLITE_CORRUPT),
        of_sqlite(sqlite3.SQLITE_CORRUPT_VTAB),
        of_sqlite(sqlite3.SQLITE_NOTADB),
        of_sqlite(sqlite3.SQLITE_ERROR, "unsupported file format"),
        of_sqlite(sqlite3.SQLITE_CANTOPEN),
        of_sqlite(sqlite3.SQLITE_IOERR_SHORT_READ),
        of_sqlite(sqlite3.SQLITE_READONLY_DBMOVED),
        psycopg.errors.DataCorrupted(),
        psycopg.errors.IndexCorrupted(),
        psycopg.errors.IoError(),
        psycopg.errors.UndefinedTable(),
        psycopg.errors.InvalidSchemaName(),
    ],
)
def test_what_makes_a_store_unusable_is_recognised(error: Exception) -> None:
    assert store_damage.is_unusable(error)
    assert store_damage.is_unusable(wrapped(error))


@pytest.mark.parametrize(
    "error",
    [
        of_sqlite(sqlite3.SQLITE_ERROR, "no such table: x"),
        of_sqlite(sqlite3.SQLITE_BUSY),
        of_sqlite(sqlite3.SQLITE_CONSTRAINT),
        psycopg.errors.UndefinedColumn(),
        DatabaseError("database disk image is malformed"),
        FileNotFoundError("a file of somebody"),
    ],
)
def test_other_failures_are_none_of_it(error: Exception) -> None:
    assert not store_damage.is_unusable(error)


@pytest.mark.sqlite_only
@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/records", "/records/export?format=parquet", "/api/account/export"])
def test_a_damaged_prompt_is_neither_in_an_answer_nor_in_the_log(
    path: str, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    archive(alice, call("r1", prompt="why?"))
    execute("UPDATE usage_prompt SET text = CAST(%s AS TEXT)", [b"a secret \xff"])
    caplog.set_level(logging.DEBUG)
    answer = ApiClient.signed_in(alice).get(path)
    assert answer.status_code == 503
    assert "secret" not in answer.content.decode() + caplog.text
    assert "is not UTF-8" in caplog.text


@pytest.mark.postgres_only
@pytest.mark.django_db
def test_a_text_that_the_client_cannot_decode_is_damage() -> None:
    # The server takes no such text: it comes from a damaged page of a table.
    damaged = b"a secret \xff"
    words = store_damage.DAMAGED_TEXT
    with pytest.raises(DatabaseError, match=words) as failed, connection.wrap_database_errors:
        damaged.decode()
    assert store_damage.is_damage(failed.value)
    assert "secret" not in "".join(traceback.format_exception(failed.value))


@pytest.mark.sqlite_only
@pytest.mark.django_db
@pytest.mark.parametrize("read", ["fetchone", "fetchmany", "fetchall", "__iter__"])
def test_no_way_to_read_rows_repeats_it(read: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(%s AS TEXT)", [b"a secret \xff"])
        with pytest.raises(DatabaseError, match="a text of the store is damaged") as failed:
            list(getattr(cursor, read)())
    assert store_damage.is_damage(failed.value)
    assert "secret" not in "".join(traceback.format_exception(failed.value))


def test_a_missing_data_folder_is_no_full_disk(tmp_path: Path) -> None:
    with override_settings(DATA_FOLDER=DataFolder(tmp_path / "lost")):
        assert store_damage.is_unusable(FileNotFoundError())
        assert not disk_space.is_full(of_sqlite(sqlite3.SQLITE_CANTOPEN))


@pytest.mark.sqlite_only
@pytest.mark.usefixtures("served")
def test_a_store_that_is_expected_is_not_begun_anew(tmp_path: Path) -> None:
    store = tmp_path / "archive.sqlite3"
    with pytest.raises(sqlite3.DatabaseError, match="archive.sqlite3 is missing") as refused:
        opened(store)
    assert store_damage.is_unusable(refused.value)
    assert not store.exists()


@pytest.mark.django_db
@pytest.mark.sqlite_only
def test_an_open_store_that_is_removed_is_not_used_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "archive.sqlite3"
    with closing(opened(store)) as wrapper:
        assert rows_of(wrapper, "SELECT 1") == [(1,)]
        monkeypatch.setattr(store_damage._Process, "serves", True)
        store.unlink()
        wrapper.close_if_unusable_or_obsolete()
        with pytest.raises(DatabaseError, match="is missing"):
            rows_of(wrapper, "SELECT 1")


@pytest.mark.sqlite_only
@pytest.mark.parametrize("log", ["-wal", "-shm"])
def test_a_folder_in_the_place_of_a_log_is_damage(log: str, tmp_path: Path) -> None:
    (tmp_path / f"archive.sqlite3{log}").mkdir()
    with pytest.raises(sqlite3.DatabaseError, match=f"archive.sqlite3{log} is not a file") as refused:
        opened(tmp_path / "archive.sqlite3")
    assert store_damage.is_damage(refused.value)


@pytest.fixture
def damaged(db: None) -> Iterator[Callable[..., None]]:
    """Makes all statements that hold one of these words fail as on overwritten pages."""
    with ExitStack() as wrappers:

        def damage(*words: str) -> None:
            def fail(execute: Callable[..., Any], query: str, *others: Any) -> Any:
                if any(word in query for word in words):
                    raise wrapped(of_sqlite(sqlite3.SQLITE_CORRUPT))
                return execute(query, *others)

            wrappers.enter_context(connection.execute_wrapper(fail))

        yield damage


@pytest.mark.django_db
def test_a_read_is_503_without_a_time_to_come_back(alice: User, damaged: Callable[..., None]) -> None:
    api = ApiClient.signed_in(alice)
    damaged("usage_record")
    answer = api.get("/api/records")
    assert (*refusal(answer), answer.json()["message"]) == (503, "unavailable", SAID)
    assert "Retry-After" not in answer.headers


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/records", "/"])
def test_a_page_says_so(path: str, alice: User, damaged: Callable[..., None]) -> None:
    api = ApiClient.signed_in(alice)
    damaged("accounts_session", "accounts_setting", "usage_day")
    answer = api.get(path)
    assert (answer.status_code, SAID in answer.content.decode()) == (503, True)


@pytest.mark.django_db
@pytest.mark.usefixtures("no_captcha", "alice")
def test_a_sign_in_says_so(anonymous: ApiClient, damaged: Callable[..., None]) -> None:
    damaged("accounts_user")
    answer = sign_in(anonymous)
    assert (answer.status_code, SAID in answer.content.decode()) == (503, True)


@pytest.mark.django_db
def test_an_import_says_the_same(alice: User, damaged: Callable[..., None]) -> None:
    api = ApiClient.signed_in(alice)
    damaged('INTO "usage_record"', "INTO usage_record")
    assert refusal(send(api)) == (503, "unavailable")


@pytest.mark.django_db
def test_probes_are_503(anonymous: ApiClient, damaged: Callable[..., None]) -> None:
    damaged("sqlite_master", "SELECT 1", "transaction_read_only", "EXISTS")
    assert anonymous.get("/healthz").status_code == 503
    assert anonymous.get("/readyz").json() == {"ready": False, "missing": ["database"]}


@pytest.mark.django_db
@pytest.mark.sqlite_only
@pytest.mark.parametrize("table", ["usage_record", "accounts_session", "audit_entry"])
def test_readiness_reads_the_tables(table: str, anonymous: ApiClient, damaged: Callable[..., None]) -> None:
    damaged(f"FROM {table} NOT INDEXED")
    assert anonymous.get("/readyz").json()["missing"] == ["database"]


@pytest.mark.django_db
def test_the_log_says_it_once_a_minute(
    alice: User, damaged: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    api = ApiClient.signed_in(alice)
    damaged("usage_record")
    for seconds in (0, 59, 1):
        seldom_log._last = {kind: at - seconds for kind, at in seldom_log._last.items()}
        api.get("/api/records")
    lines = [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]
    assert lines == ["the store is damaged or missing, and requests fail: 'text'"] * 2
    assert not any(line.exc_info for line in caplog.records)


def record_of(error: Exception, level: int = logging.ERROR) -> logging.LogRecord:
    about = (type(error), error, None)
    return logging.LogRecord("queue", level, "file", 1, "a task of %s failed", ("the queue",), about)


def test_the_log_of_others_has_one_line_a_minute_and_no_traceback() -> None:
    first, second = (record_of(of_sqlite(sqlite3.SQLITE_CORRUPT)) for _ in range(2))
    handlers = ShortenedDamage(), ShortenedDamage()
    assert [handler.filter(first) for handler in handlers] == [True, True]
    assert (first.getMessage(), first.exc_info) == ("a task of the queue failed: 'text'", None)
    assert [handler.filter(second) for handler in handlers] == [False, False]


@pytest.mark.parametrize(
    "record", [record_of(ValueError()), record_of(of_sqlite(sqlite3.SQLITE_CORRUPT), logging.INFO)]
)
def test_other_lines_keep_their_traceback(record: logging.LogRecord) -> None:
    assert ShortenedDamage().filter(record)
    assert record.exc_info


def test_a_task_is_left_out_and_others_fail(caplog: pytest.LogCaptureFixture) -> None:
    @store_refusals.leaves_out_if_unusable
    def task(error: Exception) -> None:
        raise error

    task(wrapped(of_sqlite(sqlite3.SQLITE_CORRUPT)))
    assert "tasks are left out" in caplog.text
    with pytest.raises(DatabaseError):
        task(wrapped(of_sqlite(sqlite3.SQLITE_ERROR, "no such table: x")))


def test_a_folder_is_made_again_but_not_the_data_folder(tmp_path: Path) -> None:
    assert made(tmp_path / "imports").stat().st_mode & 0o777 == 0o700
    with pytest.raises(FileNotFoundError):
        made(tmp_path / "lost" / "imports")


@pytest.mark.django_db(transaction=True)
def test_folders_that_were_removed_are_made_again(alice: User) -> None:
    folder = settings.DATA_FOLDER
    for path in (folder.imports, folder.exports, folder.backups):
        shutil.rmtree(path)
    assert send(ApiClient.signed_in(alice)).status_code == 200
    assert ApiClient.signed_in(make_user("root", is_admin=True)).get("/backups").status_code == 200
    assert kept_files.write_export(alice, alice.pk).parent.parent == folder.exports
    with maintenance_lock():
        assert folder.backups.is_dir()


def removed(home: Path) -> None:
    for path in home.glob("archive.sqlite3*"):
        path.unlink()


def truncated(home: Path) -> None:
    os.truncate(home / "archive.sqlite3", 4096)


def lost(home: Path) -> None:
    home.rename(home.with_name("lost"))


@pytest.mark.thorough
@pytest.mark.sqlite_only
@pytest.mark.parametrize("go_wrong", [removed, truncated, lost])
def test_a_running_instance_says_so_and_stops_without_tracebacks(
    go_wrong: Callable[[Path], None], made_home: Path
) -> None:
    assert manage("config", "set", "captcha_policy", "off", home=made_home).returncode == 0
    with up(made_home) as running:
        session = signed_in(running)
        go_wrong(made_home)
        paths = ("/healthz", "/readyz", "/", "/login", "/captcha.png", "/api/summary", "/records/export")
        assert {path: session.get(f"{running.url}{path}").status_code for path in paths} == dict.fromkeys(paths, 503)
        assert "database" in session.get(f"{running.url}/readyz").json()["missing"]
        if go_wrong is lost:
            made_home.with_name("lost").rename(made_home)
            assert session.get(f"{running.url}/api/summary").status_code == 200
            lost(made_home)
        running.stop()
        assert not running.said("Traceback")
