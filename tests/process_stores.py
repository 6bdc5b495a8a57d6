"""The environment of processes that tests start, each on a data folder with a store of its own.

The store is the SQLite file in that folder. Under `python -m tests.postgres` it is a database of the private
PostgreSQL, and the counters are in a database of the private Redis.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg.sql import SQL, Identifier

from tests.statements import OF_TESTS

_OURS = ("ARCHIVE_", "DJANGO_", "DATABASE_", "REDIS_", "TESTS_")
_POSTGRES, _REDIS = os.environ.get("TESTS_DATABASE_URL", ""), os.environ.get("TESTS_REDIS_URL", "")
# The first databases of Redis are those of the processes of tests (`tests/settings.py`).
_REDIS_FIRST, _REDIS_NUMBER = 32, 900

# A zone in which it is between one and two in the afternoon when the tests begin: days do not change meanwhile, and no
# slot of the usual schedule is due for four hours. In the names of these zones the sign is the other way round. All
# processes of a run have the zone of the first one: a store is refused under another.
_BEHIND = datetime.now(UTC).hour - 13
AFTERNOON = os.environ.setdefault("TESTS_AFTERNOON", f"Etc/GMT{_BEHIND:+}" if _BEHIND else "Etc/UTC")
# The names of databases that this process created, each with the number of its Redis database.
_created: dict[str, int] = {}


def environment(home: Path, **variables: str) -> dict[str, str]:
    """The environment of a process on this data folder. Creates the folder's database where there is none."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    servers = {} if "DATABASE_URL" in variables else _servers(home)
    return {**kept, "ARCHIVE_HOME": str(home), "TZ": "Europe/Berlin", **servers, **variables}


def copy(template: Path, home: Path) -> Path:
    """Copy a data folder with its store, while no process uses it. Return the copy."""
    if _POSTGRES:
        _create(_name_of(home), _name_of(template))
    return Path(shutil.copytree(template, home, symlinks=True))


def sql(home: Path, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Run a statement, with `?` for each value, on the store of a folder. Return its rows.

    Times that are given as text without a zone are in UTC.
    """
    if not _POSTGRES:
        with closing(sqlite3.connect(home / "archive.sqlite3", timeout=20)) as store, store:
            return store.execute(statement, values).fetchall()
    url = _url_of(_name_of(home))
    with psycopg.connect(url, options="-c timezone=UTC", application_name=OF_TESTS) as connection:
        cursor = connection.execute(statement.replace("%", "%%").replace("?", "%s").encode(), values)
        return cursor.fetchall() if cursor.description else []


def forget_counts(home: Path) -> None:
    """Empty the counters of the limits of a folder's processes."""
    if not _POSTGRES:
        with closing(sqlite3.connect(home / "cache.sqlite3", timeout=20)) as counters, counters:
            counters.execute("DELETE FROM counter")
        return
    with closing(redis.Redis.from_url(f"{_REDIS}?db={_created[_name_of(home)]}")) as server:
        # With them go copies of sessions, which are read from the store again.
        server.flushdb()


def is_sound(home: Path) -> bool:
    """Whether the file of a store is undamaged; a database has none."""
    return bool(_POSTGRES) or sql(home, "PRAGMA integrity_check") == [("ok",)]


def created() -> set[str]:
    """The names of all databases that this process has created and not dropped."""
    return {*_created}


def drop(names: set[str]) -> None:
    """Drop these databases, also under processes that still use them."""
    for name in names:
        _administer(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
        del _created[name]


def _servers(home: Path) -> dict[str, str]:
    """The variables that name the servers of a folder; none for an SQLite file."""
    if not _POSTGRES:
        return {}
    name = _name_of(home)
    if name not in _created:
        _create(name)
    return {"DATABASE_URL": _url_of(name), "REDIS_URL": f"{_REDIS}?db={_created[name]}"}


def _create(name: str, template: str = "template1") -> None:
    if not _administer(SQL("SELECT 1 FROM pg_database WHERE datname = {}").format(name)):
        _administer(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
    with closing(redis.Redis.from_url(_REDIS)) as server:
        number = _REDIS_FIRST + int(server.incr("databases")) % _REDIS_NUMBER
    with closing(redis.Redis.from_url(f"{_REDIS}?db={number}")) as server:
        server.flushdb()
    _created[name] = number


def _administer(statement: Any) -> bool:
    """Run a statement outside of a transaction. Return whether it has rows."""
    with psycopg.connect(_POSTGRES, autocommit=True, application_name=OF_TESTS) as connection:
        cursor = connection.execute(statement)
        return bool(cursor.description and cursor.fetchone())


def _name_of(home: Path) -> str:
    """The database of a folder: by its path, so that all processes of tests find it."""
    return f"home_{hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:16]}"


def _url_of(name: str) -> str:
    return f"{_POSTGRES.rpartition('/')[0]}/{name}"
