"""Restoring over a store that cannot be used (docs/decisions/backups.md#a-store-that-cannot-be-used)."""

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db.migrations.loader import MigrationLoader

from backups import offline_migration
from backups.restore import unusable_store
from tests import process_stores
from tests.archive_site.commands import is_one_line, up
from tests.archive_site.test_foreign_store import put_in_place
from tests.archive_site.test_newer_store import make_newer
from tests.collection.import_endpoint import FILE
from tests.collection.running_instance import Instance

pytestmark = pytest.mark.sqlite_only
OTHER_KINDS = pytest.mark.thorough
Unusable = Callable[[Instance], None]
ASIDE = re.compile(r"^It is set aside as (/\S+/set-aside-\d{8}-\d{6}-[0-9a-f]{4}\.sqlite3);", re.MULTILINE)


@pytest.fixture
def kept(made_once: Path, tmp_path: Path) -> Iterator[Instance]:
    """An instance with one backup, and an account that was created after it."""
    with Instance.copied(made_once, tmp_path / "home") as instance:
        assert instance.run("backup", "create").returncode == 0
        instance.sql("UPDATE accounts_user SET display_name = 'of later' WHERE username = 'alice'")
        instance.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        yield instance


def backup_of(instance: Instance) -> Path:
    (path,) = (instance.home / "backups").glob("*-manual.zip")
    return path


def rubbish(instance: Instance) -> None:
    instance.store.write_bytes(b"no database, and more of it than a header has bytes " * 99)


def half(instance: Instance) -> None:
    with instance.store.open("r+b") as file:
        file.truncate(instance.store.stat().st_size // 2)


def header_only(instance: Instance) -> None:
    with instance.store.open("r+b") as file:
        file.truncate(100)


def page_of(table: str, instance: Instance) -> None:
    [(page,)] = instance.sql("SELECT rootpage FROM sqlite_master WHERE name = ?", table)
    [(size,)] = instance.sql("PRAGMA page_size")
    with instance.store.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def page_of_the_audit(instance: Instance) -> None:
    page_of("audit_entry", instance)


def page_of_the_migrations(instance: Instance) -> None:
    page_of("django_migrations", instance)


def of_a_newer_version(instance: Instance) -> None:
    make_newer(instance.home)


def without_its_migrations(instance: Instance) -> None:
    instance.sql("DROP TABLE django_migrations")


def of_another_program(instance: Instance) -> None:
    put_in_place(instance.home, "CREATE TABLE x (a)")


def empty(instance: Instance) -> None:
    instance.store.write_bytes(b"")


def header_byte(place: int, value: int) -> Unusable:
    """A header that is damaged at one place. Nothing is in the log, which holds the first page, too."""

    def damage(instance: Instance) -> None:
        with instance.store.open("r+b") as file:
            file.seek(place)
            file.write(bytes([value]))

    damage.__name__ = f"byte_{place}"
    return damage


def folder_for_log(name: str) -> Unusable:
    def damage(instance: Instance) -> None:
        path = instance.store.with_name(f"archive.sqlite3-{name}")
        path.unlink(missing_ok=True)
        path.mkdir()

    damage.__name__ = f"folder_for_{name}"
    return damage


def linked_rubbish(instance: Instance) -> None:
    file = instance.home / f"store-{'0' * 32}.sqlite3"
    instance.store.rename(file)
    instance.store.symlink_to(file.name)
    rubbish(instance)


def restored(instance: Instance) -> str:
    done = instance.run("backup", "restore", backup_of(instance).name, "--yes")
    assert done.returncode == 0, done.stderr
    assert instance.sql("SELECT display_name FROM accounts_user WHERE username = 'alice'") != [("of later",)]
    assert instance.run("list_users").returncode == 0
    return done.stdout


@pytest.mark.landing
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "unusable",
    [
        *(rubbish, without_its_migrations, of_a_newer_version, of_another_program, empty, half, header_only),
        *(page_of_the_audit, page_of_the_migrations, linked_rubbish),
        *(header_byte(18, 9), header_byte(47, 9), header_byte(19, 9), header_byte(59, 2)),
        *(folder_for_log("wal"), folder_for_log("shm")),
    ],
)
def test_the_file_is_set_aside_and_the_backup_restored(unusable: Unusable, kept: Instance) -> None:
    unusable(kept)
    size = kept.store.stat().st_size
    said = restored(kept)
    aside = ASIDE.search(said)
    assert aside, said
    assert said.startswith("The store cannot be used: ")
    assert f"The previous store is set aside as {Path(aside[1]).name}, and there is no backup of it." in said
    assert list((kept.home / "backups").glob("*.zip")) == [backup_of(kept)]
    assert Path(aside[1]).stat().st_size == size


@pytest.mark.thorough
@pytest.mark.parametrize(
    "table",
    [
        *("accounts_user", "collection_lease", "usage_record", "collection_run", "accounts_setting"),
        *("accounts_archive", "accounts_store", "usage_prompt", "usage_search_narrow"),
    ],
)
def test_a_store_that_lost_a_table_is_set_aside(table: str, kept: Instance) -> None:
    kept.sql(f"DROP TABLE {table}")
    said = restored(kept)
    assert said.startswith(f"The store cannot be used: it lacks the table {table}.\n")
    aside = ASIDE.search(said)
    assert aside, said
    assert Path(aside[1]).is_file()
    assert list((kept.home / "backups").glob("*.zip")) == [backup_of(kept)]


@pytest.mark.landing
@pytest.mark.django_db
def test_any_of_its_tables_may_be_the_one(made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "archive.sqlite3"
    monkeypatch.setattr(unusable_store, "live_store", lambda: file)
    # SQLite drops the others of a search index with it.
    ours = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT GLOB 'sqlite_*'"
    tables = [name for (name,) in process_stores.sql(made_once, ours)]
    assert len(tables) > 50
    for table in tables:
        shutil.copy(made_once / file.name, file)
        with closing(sqlite3.connect(file)) as store:
            store.execute(f"DROP TABLE {table}")
        said = f"it lacks the table {table}"
        assert unusable_store.reason() == (said if table != "django_migrations" else None)


@pytest.mark.django_db
def test_a_store_of_an_earlier_version_lacks_nothing_but_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "archive.sqlite3"
    monkeypatch.setattr(unusable_store, "live_store", lambda: file)
    graph = MigrationLoader(None).graph
    offline_migration.make(file, frozenset(graph.forwards_plan(("collection", "0010_runs_by_status"))))
    assert unusable_store.reason() is None
    with closing(sqlite3.connect(file)) as store:
        store.execute("DROP TABLE collection_run")
    assert unusable_store.reason() == "it lacks the table collection_run"


@OTHER_KINDS
def test_its_log_stays_beside_it(kept: Instance) -> None:
    with closing(sqlite3.connect(kept.store)) as store:
        store.execute("PRAGMA wal_autocheckpoint=0")
        store.execute("UPDATE accounts_user SET display_name = 'in the log' WHERE username = 'root'")
        store.commit()
        log = kept.store.with_name("archive.sqlite3-wal").read_bytes()
        make_newer(kept.home)
        said = restored(kept)
    aside = ASIDE.search(said)
    assert aside, said
    with closing(sqlite3.connect(aside[1])) as store:
        assert store.execute("SELECT 1 FROM accounts_user WHERE display_name = 'in the log'").fetchall() == [(1,)]
    assert log


@pytest.mark.thorough
def test_a_backup_that_cannot_be_restored_leaves_it_in_its_place(kept: Instance) -> None:
    rubbish(kept)
    before, backup = kept.store.read_bytes(), backup_of(kept)
    backup.write_bytes(backup.read_bytes()[:-100])
    assert is_one_line(kept.run("backup", "restore", backup.name, "--yes"), "damaged")
    assert kept.store.read_bytes() == before
    assert not list(kept.home.glob("set-aside-*"))


@pytest.mark.thorough
def test_without_yes_it_stays_in_its_place(kept: Instance) -> None:
    rubbish(kept)
    before = kept.store.read_bytes()
    assert is_one_line(kept.run("backup", "restore", backup_of(kept).name), "Nothing was changed: add --yes")
    assert kept.store.read_bytes() == before


@OTHER_KINDS
def test_a_death_after_it_was_set_aside_leaves_a_store_that_can_be_restored_over(kept: Instance) -> None:
    rubbish(kept)
    kept.python("import django; django.setup()\nfrom backups.restore import unusable_store\nunusable_store.set_aside()")
    assert kept.run("list_users").stdout == ""
    assert "set aside" not in restored(kept)


@OTHER_KINDS
def test_what_is_no_file_stays_in_its_place(kept: Instance) -> None:
    kept.store.unlink()
    kept.store.mkdir()
    said = f"{kept.store} is a directory, not a file: move it away"
    assert is_one_line(kept.run("backup", "restore", backup_of(kept).name, "--yes"), said)
    assert kept.store.is_dir()


@OTHER_KINDS
def test_other_commands_name_the_paragraph_of_the_readme(kept: Instance) -> None:
    rubbish(kept)
    assert is_one_line(kept.run("list_users"), "file is not a database (docs/running.md#the-store-is-damaged)")


@OTHER_KINDS
@pytest.mark.parametrize(
    "damage", [header_byte(18, 9), header_byte(47, 9), folder_for_log("wal"), folder_for_log("shm")]
)
def test_a_command_that_writes_names_the_paragraph_for_each_header(damage: Unusable, kept: Instance) -> None:
    damage(kept)
    assert is_one_line(kept.run("config", "set", "timeout", "32"), "(docs/running.md#the-store-is-damaged)")


@OTHER_KINDS
def test_an_import_and_a_backup_of_damaged_records_are_one_line(kept: Instance, tmp_path: Path) -> None:
    page_of("usage_record", kept)
    file = tmp_path / "calls.csv"
    file.write_bytes(FILE)
    assert is_one_line(kept.run("import", "alice", str(file)), "(docs/running.md#the-store-is-damaged)")
    assert is_one_line(kept.run("backup", "create"), "The store is damaged, so no backup is created: ")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command",
    [
        ("list_users",),
        *(pytest.param(one, marks=OTHER_KINDS) for one in [("up", "--bind", "127.0.0.1:0"), ("backup", "create")]),
    ],
)
def test_an_empty_store_is_not_begun_anew(kept: Instance, command: tuple[str, ...]) -> None:
    empty(kept)
    said = "archive.sqlite3 is empty: replace it by a backup with 'manage.py backup restore'"
    assert is_one_line(kept.run(*command), said)
    assert kept.store.stat().st_size == 0


@OTHER_KINDS
def test_a_running_instance_goes_on_with_the_restored_store(kept: Instance) -> None:
    backup = backup_of(kept)
    with up(kept.home) as running:
        rubbish(kept)
        done = kept.run("backup", "restore", backup.name, "--yes")
        assert done.returncode == 0, done.stderr
        assert running.answers()
    assert process_stores.is_sound(kept.home)
