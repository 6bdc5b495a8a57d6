"""A file of the store that is empty, which SQLite would take for a new one (docs/running.md#the-store-is-damaged)."""

import sqlite3
from pathlib import Path

import pytest
from django.db import connection

from archive_site.lib.storage import store_damage
from archive_site.lib.storage.sqlite_backend.base import DatabaseWrapper

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db]


def connected(store: Path) -> None:
    made = DatabaseWrapper({**connection.settings_dict, "NAME": str(store)})
    made.connect()
    made.close()


def test_no_connection_writes_to_it(tmp_path: Path) -> None:
    store = tmp_path / "archive.sqlite3"
    store.touch()
    with pytest.raises(sqlite3.DatabaseError, match="is empty") as refused:
        connected(store)
    assert store_damage.is_damage(refused.value)
    assert (store.stat().st_size, list(tmp_path.iterdir())) == (0, [store])


def test_a_folder_without_a_store_gets_a_new_one(tmp_path: Path) -> None:
    store = tmp_path / "archive.sqlite3"
    connected(store)
    assert store.stat().st_size > 0


def test_one_that_another_process_is_just_creating_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "archive.sqlite3"
    store.touch()
    monkeypatch.setattr("time.sleep", lambda seconds: store.write_bytes(b"the first page"))
    assert not store_damage.is_empty(store)
