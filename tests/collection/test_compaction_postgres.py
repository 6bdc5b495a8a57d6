"""Compacting on PostgreSQL: our tables are vacuumed and analysed."""

from collections.abc import Iterator

import pytest
from django.db import connection

from accounts.models import User
from collection import maintenance_actions
from tests.concurrency import together
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, rows_of
from usage.models import Record

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db(transaction=True)]


def counted(table: str) -> float:
    """The number of rows that the planner expects; -1 in a table that was never analysed."""
    [(rows,)] = rows_of("SELECT reltuples FROM pg_class WHERE relname = %s", table)
    return float(rows)


@pytest.fixture
def of_another() -> Iterator[None]:
    """A table of another program in the same database."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE of_another AS SELECT generate_series(1, 30) AS n")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE of_another")


def test_a_store_is_read_and_written_while_it_is_compacted(root: User) -> None:
    for number in range(3):
        archive(root, *(call(f"{number}-{each}", prompt="x" * 5000) for each in range(200)))
    Record.objects.filter(request_id__startswith="2").delete()
    other = ApiClient.signed_in(root)

    def use() -> list[int]:
        statuses = [other.get("/api/summary").status_code for _ in range(5)]
        archive(root, call("meanwhile"))
        return statuses

    message, statuses = together(lambda: maintenance_actions.run("vacuum", root, root.pk, {}), use)
    assert (message.code, statuses) == ("store_compacted", [200] * 5)
    assert Record.objects.count() == 401


def test_the_planner_learns_of_our_rows_and_other_tables_are_left_alone(root: User, of_another: None) -> None:
    archive(root, *(call(f"r{number}") for number in range(50)))
    message = maintenance_actions.run("vacuum", root, root.pk, {})
    assert message.code == "store_compacted"
    assert counted("usage_record") == 50
    assert counted("of_another") == -1
