"""A gateway whose server is upgraded, and what it says of its unit (docs/sources/new-api.md)."""

from datetime import timedelta

import pytest

from archive_site.lib import clock
from collection.models import Run
from collection.runs.run_outcomes import OK
from tests.collection.collector_run import collected_by
from tests.sources.new_api.player import PlayedNewApi
from tests.sources.new_api.test_room import gateway_of
from tests.sources.player import Played
from tests.sources.whole_calls import calls_of
from usage.models import Record

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> str:
    return "new-api"


def read_all(played: Played) -> Run:
    result = collected_by(played.archive_id, "alice", clock.today() - timedelta(days=9))
    assert result.outcome == OK
    return result.run


@pytest.mark.engine
@pytest.mark.parametrize("before", ["G1", "D"])
def test_calls_that_get_a_request_id_later_stay_one_call_each(played: Played, before: str) -> None:
    quirks = gateway_of(played).quirks
    quirks.generation, quirks.has_ids = before, False  # type: ignore[assignment]
    read_all(played)
    rows = dict(Record.objects.filter(archive_id=played.archive_id).values_list("pk", "ts"))
    assert calls_of(played.archive_id) == played.truth()
    quirks.generation, quirks.has_ids = "G2", True
    run = read_all(played)
    assert (run.added, run.conflicts) == (0, 0)
    assert calls_of(played.archive_id) == played.truth()
    assert dict(Record.objects.filter(archive_id=played.archive_id).values_list("pk", "ts")) == rows
    assert read_all(played).dup == len(rows)


def test_equal_calls_with_ids_and_without_stay_two(played: Played) -> None:
    assert isinstance(played, PlayedNewApi)
    gateway = gateway_of(played)
    gateway.quirks.has_ids = False
    read_all(played)
    before = len(calls_of(played.archive_id))
    # Rows from before the upgrade never get an id; one that is equal comes in the same second.
    shown = gateway._row
    gateway._row = lambda row, place: {**shown(row, place), "request_id": "new" if row.request_id == "new" else ""}  # type: ignore[method-assign]
    old = next(row for row in gateway.rows if row.kind == 2)
    gateway.rows.append(type(old)(**{**vars(old), "request_id": "new"}))
    read_all(played)
    found = calls_of(played.archive_id)
    assert len(found) == before + 1
    assert "new" in found


@pytest.mark.parametrize(
    ("said", "kept"), [(500_000, "500,000"), ("1000", "1,000"), (0, ""), (-5, ""), ("many", ""), (None, ""), (1.5, "")]
)
def test_each_run_notes_what_quota_is_one_unit_of_money(played: Played, said: object, kept: str) -> None:
    gateway_of(played).quirks.per_unit = said
    words = f"The gateway counts {kept} quota as one unit of its money."
    assert (words in read_all(played).detail) is bool(kept)
    assert read_all(played).detail.count("as one unit of its money") == bool(kept)


def test_without_an_answer_about_the_unit_nothing_is_lost(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = gateway_of(played)
    answer = gateway.answer
    broken = gateway.own_answers["database_error"]
    monkeypatch.setattr(
        gateway, "answer", lambda asked, fault: broken if asked.path == "/api/status" else answer(asked, fault)
    )
    assert "unit of its money" not in read_all(played).detail
    assert calls_of(played.archive_id) == played.truth()
