"""What storing a page of calls costs: each sum is computed once, and no statement reads the whole archive."""

from collections.abc import Iterable
from types import ModuleType

import pytest

from accounts.models import User
from tests.usage.record_factories import archive, call, plans_of, rows_of
from usage.coverage import ledger_writes
from usage.rollups import day_totals, purpose_totals
from usage.rollups import recompute as rollup
from usage.row_writes import sqlite as row_writes

pytestmark = pytest.mark.django_db


def test_each_touched_group_is_computed_once_a_page(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[int] = []
    monkeypatch.setattr(rollup, "compute_again", lambda user_id, groups, *rest, **options: touched.append(len(groups)))
    archive(alice, *(call(f"r{number}") for number in range(50)))
    assert touched == [1]


# Query plans: no page may read the whole archive.


def of_keys(statement: str, columns: Iterable[str]) -> str:
    """A statement with the condition of one key."""
    return statement.replace("{keys}", " AND ".join(f"{column} = %s" for column in columns))


@pytest.mark.sqlite_only
def test_known_calls_are_looked_up_by_their_ids(alice: User) -> None:
    # After the horizon.
    plan = plans_of(lambda: archive(alice, call("a"), call("b")))[1]
    assert "(user_id=? AND request_id=?)" in plan
    assert "SCAN" not in plan


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("module", "name"),
    [(row_writes, "_UPDATE"), (rollup, "_CLEAR_PURPOSES"), (rollup, "_FILL_PURPOSES"), (rollup, "_CLEAR_GROUP"),
     (rollup, "_FILL_GROUP"), (rollup, "_CLEAR_PURPOSE_HOURS"), (rollup, "_CLEAR_HOUR"), (rollup, "_FILL_HOUR"),
     (purpose_totals, "_CLEAR"), (day_totals, "_WITHOUT_PROMPT"), (ledger_writes, "_NOTE_CHANGES")],
)  # fmt: skip
def test_no_statement_of_a_page_reads_the_whole_archive(db: None, module: ModuleType, name: str) -> None:
    of_days = module in (purpose_totals, day_totals)
    columns = rollup._DAY if of_days else rollup._HOUR if "HOUR" in name else rollup._GROUP
    statement = of_keys(getattr(module, name), columns)
    plan = " ".join(row[3] for row in rows_of(f"EXPLAIN QUERY PLAN {statement}", *["1"] * statement.count("%s")))
    assert "SEARCH" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    "statement",
    [
        rollup._FILL_PURPOSES,
        rollup._FILL_GROUP,
        purpose_totals._FILL,
        day_totals._MODELS,
        day_totals._HOURS,
    ]
    + [fill for _, fill in day_totals._BY_NAME],
)
def test_sums_of_a_day_are_computed_from_that_day_alone(db: None, statement: str) -> None:
    statement = of_keys(statement, rollup._DAY)
    [step, *_] = rows_of(f"EXPLAIN QUERY PLAN {statement}", *["1"] * statement.count("%s"))
    assert "(user_id=? AND day=?)" in step[3]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("name", "index"), [("_FILL_PURPOSES", "record_by_group"), ("_FILL_PURPOSE_HOURS", "record_by_time")]
)
def test_a_rollup_is_computed_from_an_index_alone(db: None, name: str, index: str) -> None:
    statement = of_keys(getattr(rollup, name), rollup._GROUP)
    plan, *_ = rows_of(f"EXPLAIN QUERY PLAN {statement}", *["1"] * statement.count("%s"))
    assert plan[3].startswith(f"SEARCH usage_record USING COVERING INDEX {index}")
