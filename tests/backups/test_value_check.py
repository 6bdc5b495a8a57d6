"""Archives whose stores hold values of another kind than their columns: refused before anything is touched."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backups import snapshot
from backups.backup_manifest import InvalidArchive
from backups.restore import value_check
from tests.backups.filled_instance import settle_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A copy of a store with rows in each table."""
    settle_in()
    path = tmp_path / "store.sqlite3"
    snapshot.take(path)
    return path


def checked(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount
        connection.commit()
        value_check.check(connection)


def test_a_store_of_ours_holds_none(store: Path) -> None:
    checked(store)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_entry SET uuid = 'notauuid' WHERE id = (SELECT MAX(id) FROM audit_entry)",
        "UPDATE audit_entry SET at = 'garbage'",
        "UPDATE audit_entry SET at = 'now'",
        "UPDATE audit_entry SET at = '2026-13-01 10:00:00'",
        "UPDATE audit_entry SET at = '2026-02-30 10:00:00'",
        "UPDATE audit_entry SET at = '2026-09-08 10:00:00.1x'",
        "UPDATE audit_entry SET at = '9999-12-31 23:00:00'",
        "UPDATE audit_entry SET at = 20260908",
        "UPDATE audit_entry SET user_id = 'x'",
        "UPDATE accounts_user SET username = X'00FF' WHERE is_admin",
        "UPDATE accounts_user SET status = 'unheard of'",
        "UPDATE accounts_user SET is_admin = 'yes'",
        "UPDATE accounts_setting SET value = X'00'",
        "UPDATE usage_record SET credits = 0.5",
        "UPDATE usage_prompt SET text = X'00'",
        "INSERT INTO usage_recordmeasures (record_id, provenance) SELECT MIN(id), 4 FROM usage_record",
        "UPDATE collection_run SET status = 'lost'",
        "INSERT INTO sqlite_sequence VALUES (NULL, NULL)",
        "INSERT INTO sqlite_sequence VALUES ('audit_entry', 'abc')",
    ],
)
def test_a_value_of_another_kind_is_found(statement: str, store: Path) -> None:
    with pytest.raises(InvalidArchive):
        checked(store, statement)
