"""Checks the store of a backup before anything trusts it (docs/decisions/backups.md#an-archive-is-not-trusted)."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext

from accounts.models import Store
from backups import offline_migration
from backups.backup_manifest import InvalidArchive
from backups.offline_migration import Migration
from backups.restore import value_check, work_folder
from usage.models import Record

# Type, name, table and statement of each object in a store's schema.
Parts = frozenset[tuple[str, str, str, str | None]]

_MAGIC = b"SQLite format 3\0"
# SQLite's tables for id counters and for the statistics of its planner.
_ITS_OWN: Parts = frozenset(
    {
        ("table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"),
        ("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        ("table", "sqlite_stat4", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    }
)


def check(path: Path) -> None:
    """Compare a store's schema, to the letter, with that of its migrations, and look for damage. Raises InvalidArchive.

    Nothing in the store is executed: no view, trigger or function that a foreign schema may contain.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise InvalidArchive(gettext("Its store is not an SQLite file."))
    try:
        with closing(opened(path)) as store:
            parts = _parts(store)
            _require_parts(parts, _migrations(store, parts))
            _require_encoding(store)
        _run_checks(path, (partial(_require_sound, parts), value_check.check))
        with closing(opened(path)) as store:
            _require_zone(store)
    except sqlite3.DatabaseError:
        raise InvalidArchive(gettext("Its store is damaged.")) from None


def is_newest(path: Path) -> bool:
    """Whether a checked store has all migrations of this version."""
    with closing(opened(path)) as store:
        return _migrations(store, _parts(store)) == _known_migrations()


def missing_table(store: sqlite3.Connection) -> str | None:
    """A table that a store lacks, though its migrations make it. Raises InvalidArchive and DatabaseError."""
    parts = _parts(store)
    expected = _expected_parts(_migrations(store, parts))
    return min(_tables(expected) - _tables(parts), default=None)


def opened(path: Path) -> sqlite3.Connection:
    """A read-only connection to a store of unknown origin."""
    store = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    store.execute("PRAGMA trusted_schema=OFF")
    store.execute("PRAGMA cell_size_check=ON")
    return store


def _parts(store: sqlite3.Connection) -> Parts:
    return frozenset(store.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall())


def _migrations(store: sqlite3.Connection, parts: Parts) -> frozenset[Migration]:
    if not any(kind == "table" and name == "django_migrations" for kind, name, _, _ in parts):
        raise InvalidArchive(gettext("Its store is the SQLite file of another program."))
    return frozenset(store.execute("SELECT app, name FROM django_migrations").fetchall())


def _require_parts(parts: Parts, migrations: frozenset[Migration]) -> None:
    if not migrations <= _known_migrations():
        raise InvalidArchive(gettext("It was created by a newer version of this service."))
    expected = _expected_parts(migrations)
    surplus, missing = parts - _ITS_OWN - expected, expected - parts
    if surplus:
        words = gettext("Its store contains something that its version does not have: %(name)s.")
        raise InvalidArchive(words % {"name": _named(surplus)})
    if missing:
        words = gettext("Its store lacks something that its version needs: %(name)s.")
        raise InvalidArchive(words % {"name": _named(missing)})


def _tables(parts: Parts) -> set[str]:
    return {name for kind, name, _, _ in parts if kind == "table"}


def _named(parts: Parts) -> str:
    kind, name = min(parts, key=repr)[:2]
    return f"{ascii(str(kind)[:20])} {ascii(str(name)[:80])}"


@cache
def _known_migrations() -> frozenset[Migration]:
    return frozenset(MigrationLoader(None).graph.nodes)


@lru_cache(maxsize=4)
def _expected_parts(migrations: frozenset[Migration]) -> Parts:
    """The schema of a new store with exactly these migrations. Raises InvalidArchive."""
    graph = MigrationLoader(None).graph
    if {key for one in offline_migration.last_of(migrations) for key in graph.forwards_plan(one)} != migrations:
        raise InvalidArchive(gettext("Its store lacks migrations that its later migrations need."))
    with work_folder.folder() as folder:
        fresh = folder / "fresh.sqlite3"
        offline_migration.make(fresh, migrations)
        with closing(opened(fresh)) as store:
            return _parts(store) - _ITS_OWN


def _run_checks(path: Path, checks: Sequence[Callable[[sqlite3.Connection], None]]) -> None:
    """Run these checks of a whole store in parallel, which takes half as long. Raises what the first to fail raises."""

    def run_alone(check: Callable[[sqlite3.Connection], None]) -> None:
        # A SQLite connection belongs to one thread.
        with closing(opened(path)) as store:
            check(store)

    with ThreadPoolExecutor(max_workers=len(checks)) as threads:
        # In the caller's context, because their messages are in its language.
        found = [threads.submit(copy_context().run, run_alone, check) for check in checks]
        for one in found:
            one.result()


def _require_sound(parts: Parts, store: sqlite3.Connection) -> None:
    for query in _integrity(parts):
        if store.execute(query).fetchone() not in (("ok",), None):
            raise InvalidArchive(gettext("Its store is damaged."))


def _integrity(parts: Parts) -> Iterator[str]:
    """Queries that an undamaged store answers with `ok` or with no row."""
    records = Record._meta.db_table
    indexes = {str(name): (str(table), statement or "") for kind, name, table, statement in parts if kind == "index"}
    yield "PRAGMA quick_check(1)"
    yield "PRAGMA foreign_key_check"
    in_key_order = {str(name) for kind, name, _, sql in parts if kind == "table" and str(sql).endswith("WITHOUT ROWID")}
    for table in sorted(({table for table, _ in indexes.values()} | in_key_order) - {records}):
        yield f"PRAGMA integrity_check({table})"
    # The index entries of records are only counted: comparing each of millions with its row takes longer than the rest
    # of a restore. TOTAL, because for COUNT SQLite chooses the shortest index.
    for name, (_, statement) in sorted(item for item in indexes.items() if item[1][0] == records):
        _, where, condition = statement.partition(" WHERE ")
        partly = where + condition
        entries, rows = (
            f"SELECT TOTAL(1) FROM {records} {how}{partly}"  # noqa: S608 - names of the schema that was compared
            for how in (f"INDEXED BY {name}", "NOT INDEXED")
        )
        yield f"SELECT 1 WHERE ({entries}) <> ({rows})"


def _require_encoding(store: sqlite3.Connection) -> None:
    """SQLite cannot attach a store with another text encoding."""
    if store.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
        raise InvalidArchive(gettext("Its store is not in UTF-8."))


def _require_zone(store: sqlite3.Connection) -> None:
    """Days and hours of records are in the server's zone and would be wrong in another."""
    rows: list[tuple[Any]] = store.execute(f"SELECT time_zone FROM {Store._meta.db_table}").fetchall()  # noqa: S608 - a name of the models
    for (zone,) in rows:
        if zone != settings.TIME_ZONE:
            words = gettext(
                "It was created in the time zone %(theirs)s, not %(ours)s. Set up a new data folder in that time zone "
                "(TZ), and restore the backup there."
            )
            raise InvalidArchive(words % {"theirs": ascii(zone), "ours": settings.TIME_ZONE})
