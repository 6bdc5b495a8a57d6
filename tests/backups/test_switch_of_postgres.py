"""Restores on PostgreSQL: the new store moves from a schema of its own.

The rules: docs/decisions/backups.md#the-restore-moves-tables.
"""

import os
import signal
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.credentials import credential
from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage.sql import execute, fetch
from backups import creation, postgres_store
from backups.backup_manifest import KEY, STORE
from backups.restore import backup_reader, new_store, recovery, schema_load, store_switch
from backups.restore.backup_reader import InvalidArchive
from backups.restore.store_switch import follow_up, postgres
from collection.models import Run
from tests.archive_site.commands import wait_until
from tests.backups.backup_files import alter, pack_store
from tests.backups.filled_instance import everything, restored, schemas, start_afresh, user
from tests.factories import ApiClient, make_user
from usage.models import Record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]
Parts = list[list[tuple[Any, ...]]]
# What a restore changes before its switch: it takes the lease, and creates a backup of the store before.
PRESENT = ("collection_lease", "usage_nodefile")


def parts() -> Parts:
    """The schema of the live store."""
    return [
        fetch(query)
        for query in (
            "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
            "SELECT table_name, column_name, data_type, character_maximum_length, collation_name, column_default,"
            " is_nullable, is_identity, pg_get_serial_sequence(table_schema || '.' || table_name, column_name)"
            " FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position",
            "SELECT oid::regprocedure::text, prosrc, provolatile FROM pg_proc"
            " WHERE pronamespace = 'public'::regnamespace AND proname ~ '^usage'",
            "SELECT attrelid::regclass::text, attname, attstattarget FROM pg_attribute"
            " WHERE attrelid::regclass::text ~ '^usage_prompt' AND attnum > 0 AND attstattarget >= 0",
        )
    ]


def test_the_schema_is_that_of_the_migrations_afterwards(backup: Path) -> None:
    before = parts()
    restored(backup)
    after = parts()
    assert [set(old) ^ set(new) for old, new in zip(before, after, strict=True)] == [set()] * len(before)
    assert all(before)


def test_of_the_schema_of_its_own_nothing_stays(backup: Path) -> None:
    restored(backup)
    restored(backup)
    assert schemas() == []


def test_the_search_uses_the_indexes_of_the_new_store(backup: Path) -> None:
    restored(backup)
    execute("SET enable_seqscan = off")
    plan = str(fetch("EXPLAIN SELECT 1 FROM usage_prompt p WHERE usage_search_characters(p.text) @> '{数}'"))
    execute("RESET enable_seqscan")
    assert "usage_prompt_characters" in plan
    found = ApiClient.signed_in(user("alice")).get("/api/records", q="does it").json()
    assert [item["request_id"] for item in found["items"]] == ["a"]


# Deaths


LOCKS_OF_OTHERS = """
    SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


def dies_at(module: Any, name: str, path: Path, *, when: Callable[..., bool] = lambda *arguments: True) -> None:
    """Restore in a process that dies once a function has done its work, if that was the meant one."""
    connection.close()
    child = os.fork()
    if child == 0:
        act = getattr(module, name)

        def deadly(*arguments: Any, **options: Any) -> Any:
            done = act(*arguments, **options)
            if when(*arguments):
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        setattr(module, name, deadly)
        try:
            restored(path)
        finally:
            # The process of a failed restore is not to go on with other tests.
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    # The server frees them when it sees that the connection is gone.
    wait_until(lambda: fetch(LOCKS_OF_OTHERS) == [(0,)])


def is_moving(store: Any, statement: str, *values: Any) -> bool:
    return statement.startswith("ALTER TABLE") and "SET SCHEMA" in statement


def is_copying(store: Any, statement: str, *values: Any) -> bool:
    return statement == "COMMIT"


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("module", "name", "when", "words"),
    [
        (postgres_store, "execute", is_copying, "before anything changed"),
        (schema_load, "load", None, "before anything changed"),
        (creation, "create_unlocked", None, "before anything changed"),
        (new_store, "merge", None, "before anything changed"),
        (store_switch, "stage_key", None, "before its switch. The old store stays"),
        (postgres_store, "execute", is_moving, "before its switch. The old store stays"),
    ],
    ids=["copying", "loaded", "kept before", "merged", "key staged", "moving"],
)
def test_a_death_before_the_switch_leaves_the_old_store(
    module: Any, name: str, when: Callable[..., bool] | None, words: str, backup: Path
) -> None:
    make_user("bob")
    before = everything(but=PRESENT)
    dies_at(module, name, backup, **({"when": when} if when else {}))
    assert everything(but=PRESENT) == before
    assert len(schemas()) == 1
    (said,) = recovery.clear_broken_restores()
    assert words in said
    assert (schemas(), settings.DATA_FOLDER.staged_key.exists(), recovery.clear_broken_restores()) == ([], False, [])
    assert everything(but=PRESENT) == before


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(("module", "name"), [(store_switch, "switch"), (follow_up, "remove_exports_of_others")])
def test_a_death_after_the_switch_leaves_the_new_store(module: Any, name: str, backup: Path) -> None:
    start_afresh()
    dies_at(module, name, backup)
    assert sorted(User.objects.values_list("username", flat=True)) == ["alice", "root"]
    assert credential.state(user("alice").pk).usable
    (said,) = recovery.clear_broken_restores()
    assert "after its switch. The backup's store is in place" in said
    assert (schemas(), settings.DATA_FOLDER.staged_key.exists()) == ([], False)
    assert credential.state(user("alice").pk).usable


def test_after_a_death_the_next_restore_succeeds(backup: Path) -> None:
    make_user("bob")
    dies_at(store_switch, "stage_key", backup)
    restored(backup)
    assert (schemas(), User.objects.filter(username="bob").exists()) == ([], False)


def test_a_schema_whose_process_lives_is_left_alone(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    load = schema_load.load

    def look_and_load(*arguments: Any) -> None:
        store_switch.remove_strays()
        seen.append(len(schemas()))
        load(*arguments)

    monkeypatch.setattr(schema_load, "load", look_and_load)
    restored(backup)
    assert seen == [1]


# Others


@contextmanager
def another_program(*statements: str) -> Iterator[None]:
    with postgres_store.connected() as other:
        for statement in ("BEGIN", *statements):
            postgres_store.execute(other, statement)
        yield


@pytest.mark.parametrize("statement", ["SELECT 1 FROM usage_record", "UPDATE audit_entry SET ip = ''"])
def test_a_transaction_of_another_program_is_not_cut_in_two(
    statement: str, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user("bob")
    monkeypatch.setattr(postgres, "PATIENCE", 0.2)
    with another_program(statement), pytest.raises(ApiError, match="locked") as refused:
        restored(backup)
    assert (refused.value.status, refused.value.error) == (409, "busy")
    assert (schemas(), User.objects.filter(username="bob").exists()) == ([], True)


def test_what_others_have_made_of_the_tables_is_not_removed(backup: Path) -> None:
    execute("CREATE VIEW of_others AS SELECT credits FROM usage_record")
    try:
        with pytest.raises(ApiError, match="view public.of_others depends on table public.usage_record. Nothing was"):
            restored(backup)
        assert fetch("SELECT COUNT(*) FROM of_others") == [(2,)]
        assert schemas() == []
    finally:
        execute("DROP VIEW of_others")


def test_tables_of_others_in_the_database_stay(backup: Path) -> None:
    execute("CREATE TABLE table_of_others AS SELECT 7 AS number")
    try:
        restored(backup)
        assert fetch("SELECT number FROM table_of_others") == [(7,)]
    finally:
        execute("DROP TABLE table_of_others")


def test_a_limit_of_the_database_for_requests_is_not_one_for_restores(backup: Path) -> None:
    # Not for the role, whose connections other tests open meanwhile.
    database = connection.settings_dict["NAME"]
    execute(f"ALTER DATABASE \"{database}\" SET statement_timeout = '1min'")
    try:
        with postgres_store.connected() as own:
            assert postgres_store.fetch(own, "SHOW statement_timeout") == [("0",)]
    finally:
        execute(f'ALTER DATABASE "{database}" RESET statement_timeout')


# Values


def with_store(backup: Path, tmp_path: Path, change: str) -> Path:
    with zipfile.ZipFile(backup) as archive:
        store, key = Path(archive.extract(STORE, tmp_path)), archive.read(KEY)
    alter(store, change)
    return pack_store(tmp_path / "changed.zip", store, key)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE usage_prompt SET text = 'a' || char(0) || 'b'", "text of usage_prompt"),
        ("UPDATE usage_record SET model = char(0) WHERE request_id = 'a'", "model of usage_record"),
        ("UPDATE usage_record SET model = printf('%.201c', 'x') WHERE request_id = 'a'", "model of usage_record"),
        ("UPDATE collection_run SET added = 3000000000", "added of collection_run"),
    ],
    ids=["NUL", "only NUL", "too long", "too large"],
)
def test_what_postgresql_cannot_hold_is_refused_and_named(
    change: str, where: str, backup: Path, tmp_path: Path
) -> None:
    before = everything(but=PRESENT)
    changed = with_store(backup, tmp_path, change)
    with pytest.raises(InvalidArchive, match=f"Its column {where} has a value that PostgreSQL cannot hold"):
        backup_reader.verify(changed)
    with pytest.raises(ApiError, match=where):
        restored(changed)
    assert everything(but=PRESENT) == before


def test_all_else_that_sqlite_holds_comes_as_it_is(backup: Path, tmp_path: Path) -> None:
    odd = "x'01' || '\t\r\n\\N\\. ' || char(127, 0x2028, 0x1F600, 0xFFFF) || '\"'"
    path = with_store(backup, tmp_path, f"UPDATE usage_prompt SET text = CAST({odd} AS TEXT)")
    with closing(sqlite3.connect(tmp_path / STORE)) as store:
        (expected,) = store.execute("SELECT text FROM usage_prompt").fetchone()
    restored(path)
    assert fetch("SELECT text FROM usage_prompt") == [(expected,)]


def test_ids_go_on_after_those_of_both_stores(backup: Path) -> None:
    runs = [Run.objects.create(archive_id=1, trigger="manual", status="ok", created_at=user("root").created_at)]
    restored(backup)
    runs.append(Run.objects.create(archive_id=1, trigger="manual", status="ok", created_at=user("root").created_at))
    assert runs[1].pk == runs[0].pk + 1
    assert Record.objects.count() == 2
