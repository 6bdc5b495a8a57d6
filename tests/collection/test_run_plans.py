"""Old runs cost nothing: what looks for runs that have not ended, or for those of an account, reads these alone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from collection import queued_runs
from collection.runs import lease, runs
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite_only]
BY_STATUS = "SEARCH collection_run USING INDEX run_by_status (status=?"


def plans_of_runs(ask: Callable[[], object]) -> list[str]:
    """How SQLite reads the runs, with values bound as the service binds them: it plans without them."""
    statements: list[tuple[str, Any]] = []

    def listen(execute: Callable[..., object], sql: str, params: Any, many: bool, context: object) -> object:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(listen):
        ask()
    plans = []
    with connection.cursor() as cursor:
        for sql, params in statements:
            if '"collection_run"' in sql and sql.startswith(("SELECT", "UPDATE")):
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
                plans += [str(step[-1]) for step in cursor.fetchall() if "collection_run" in str(step[-1])]
    return plans


@pytest.mark.parametrize(
    "ask",
    [
        lease.expire,
        queued_runs.waiting,
        lease.startable,
        lambda: runs.is_waiting(1),
    ],
)
def test_a_tick_reads_the_runs_that_have_not_ended(ask: Callable[[], object]) -> None:
    plans = plans_of_runs(ask)
    assert plans
    assert all(plan.startswith(BY_STATUS) or "INTEGER PRIMARY KEY" in plan for plan in plans), plans


def test_the_status_looks_up_the_running_ones(alice: User, api_of: Callable[[User], ApiClient]) -> None:
    api = api_of(alice)
    api.get("/api/status")
    plans = plans_of_runs(lambda: api.get("/api/status"))
    assert any("(status=? AND user_id=?)" in plan for plan in plans)
    assert not [plan for plan in plans if plan.startswith("SCAN")]
