"""A consistent copy of a PostgreSQL store as an SQLite file: docs/decisions/backups.md#the-snapshot-on-postgresql."""

import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import disk_space
from audit.models import Entry
from backups import postgres_store, snapshot, store_file
from backups.restore import schema_check
from backups.snapshot import postgres
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import Record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]
PROMPTS = ["", "数据库", 'a\tb\nc\\N "q"', "🙂", "x" * 20_000]


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as copy:
        return copy.execute(query).fetchall()


@pytest.fixture
def copy(alice: User, tmp_path: Path) -> Path:
    archive(alice, *(call(f"r{number}", prompt=prompt, credits=number) for number, prompt in enumerate(PROMPTS)))
    snapshot.take(tmp_path / "copy")
    return tmp_path / "copy"


def test_it_is_one_sound_file_of_the_owner(copy: Path) -> None:
    assert list(copy.parent.iterdir()) == [copy]
    assert copy.read_bytes()[18:20] == b"\1\1", "journal mode of the file: not WAL"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
    schema_check.check(copy)
    assert copy.stat().st_size <= snapshot.expected_bytes()


def test_texts_come_as_they_are(copy: Path) -> None:
    found = rows(copy, "SELECT p.text FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id ORDER BY r.id")
    assert [text or "" for (text,) in found] == PROMPTS


def test_every_table_of_the_models_is_copied(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as store:
        names = {table.name for table in store_file.tables(store)}
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True) if not model._meta.proxy}
    assert names == tables | {"django_migrations"}


def test_every_type_of_a_column_has_a_form(db: None) -> None:
    with postgres_store.connected() as live:
        found = postgres_store.fetch(
            live,
            "SELECT DISTINCT data_type FROM information_schema.columns WHERE table_schema = current_schema()",
        )
    assert {kind.replace("varchar", "character varying") for (kind,) in found} <= set(postgres._FORMS)


def test_times_have_the_form_of_django_on_sqlite(alice: User, tmp_path: Path) -> None:
    times = [datetime(2026, 9, 8, 10, 0, 7, fraction, tzinfo=UTC) for fraction in (0, 120_000, 1)]
    for at in times:
        Entry.objects.create(at=at, actor="x", action="y")
    snapshot.take(tmp_path / "copy")
    assert [at for (at,) in rows(tmp_path / "copy", "SELECT at FROM audit_entry ORDER BY id")] == [
        "2026-09-08 10:00:07", "2026-09-08 10:00:07.120000", "2026-09-08 10:00:07.000001",
    ]  # fmt: skip


def test_ids_that_were_given_are_counted(alice: User, tmp_path: Path) -> None:
    gone = make_user("gone").pk
    User.objects.get(pk=gone).delete()
    snapshot.take(tmp_path / "copy")
    assert [(gone,)] == rows(tmp_path / "copy", "SELECT seq FROM sqlite_sequence WHERE name = 'accounts_user'")


def test_what_is_written_meanwhile_is_not_in_it(alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(alice, call("a"))
    copy_rows, later = postgres._copy_rows, iter(range(100))

    def copy_and_write(*arguments: Any) -> None:
        copy_rows(*arguments)
        archive(alice, call(f"later {next(later)}", prompt="new"))

    monkeypatch.setattr(postgres, "_copy_rows", copy_and_write)
    snapshot.take(tmp_path / "copy")
    assert (snapshot.counts(tmp_path / "copy"), Record.objects.count() > 20) == ((1, 1), True)
    assert [rows(tmp_path / "copy", query) for query in ROLLUP_ERRORS] == [[]] * len(ROLLUP_ERRORS)


def test_a_disk_without_room_is_recognised(alice: User, small_disk: Path) -> None:
    archive(alice, *(call(f"r{number}", prompt="x" * 20_000) for number in range(200)))
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - 2 * 2**20))
    with pytest.raises(sqlite3.OperationalError) as failed:
        snapshot.take(small_disk / "copy")
    assert disk_space.is_full(failed.value)


def test_a_locked_store_is_not_waited_for_without_end(alice: User, tmp_path: Path) -> None:
    with postgres_store.connected() as other:
        postgres_store.execute(other, "BEGIN")
        postgres_store.execute(other, "LOCK TABLE usage_record")
        with pytest.raises(ApiError) as refused:
            snapshot.take(tmp_path / "copy", patience=0.1)
    assert (refused.value.status, refused.value.error) == (400, "backup")
    assert refused.value.message == "The store is locked by another program; no backup was created."
