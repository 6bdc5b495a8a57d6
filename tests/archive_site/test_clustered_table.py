"""Tables in the order of their primary keys: docs/decisions/records.md#rollups-in-the-order-of-their-keys."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.state import StateApps
from django.db.models import Model

from archive_site.lib.storage.clustered_table import cluster
from archive_site.lib.storage.sql import execute, fetch
from usage.models import ROLLUPS, ROLLUPS_OF_MONTHS, BillDay, BillRead, CoverageDay, DayProof, SpentReading

pytestmark = pytest.mark.django_db


def schema_of(table: str) -> list[str]:
    rows = fetch("SELECT sql FROM sqlite_master WHERE tbl_name = %s AND sql <> '' ORDER BY type DESC", [table])
    return [sql for (sql,) in rows]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    "model", [*ROLLUPS, *ROLLUPS_OF_MONTHS, CoverageDay, BillRead, BillDay, DayProof, SpentReading]
)
def test_the_rollups_and_the_ledger_are_in_the_order_of_their_keys(model: type[Model]) -> None:
    assert schema_of(model._meta.db_table)[0].endswith(" WITHOUT ROWID")


@pytest.mark.sqlite_only
def test_rows_and_indexes_stay_also_when_it_runs_again() -> None:
    execute('CREATE TABLE "sums" ("day" text NOT NULL, "model" text NOT NULL, "calls" integer NOT NULL, '
            'PRIMARY KEY ("day", "model"))')  # fmt: skip
    execute('CREATE INDEX "sums_by_model" ON "sums" ("model", "day")')
    execute("INSERT INTO sums VALUES ('2026-09-02', 'glm', 1), ('2026-09-01', 'kimi', 2), ('2026-09-01', 'glm', 3)")
    operation, apps = cluster("sums"), StateApps([], {})
    for _ in range(2):
        operation.code(apps, connection.schema_editor())
        assert fetch("SELECT * FROM sums") == [
            ("2026-09-01", "glm", 3), ("2026-09-01", "kimi", 2), ("2026-09-02", "glm", 1)
        ]  # fmt: skip
        table, index = schema_of("sums")
        assert table.startswith('CREATE TABLE "sums" ("day" text')
        assert table.endswith('PRIMARY KEY ("day", "model")) WITHOUT ROWID')
        assert index == 'CREATE INDEX "sums_by_model" ON "sums" ("model", "day")'


def test_another_engine_is_left_as_it_is() -> None:
    # Without a cursor: the operation would fail if it asked for one.
    other: Any = SimpleNamespace(connection=SimpleNamespace(vendor="postgresql"))
    cluster("sums").code(StateApps([], {}), other)
