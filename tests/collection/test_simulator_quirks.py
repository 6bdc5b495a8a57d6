"""Every quirk of the simulated upstream, over real HTTP."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.simulator_client import NOW, SHANGHAI, Client, in_week, simulator_at


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with simulator_at(accounts=2) as running:
        yield running


@pytest.fixture
def client(simulator: Simulator) -> Client:
    return Client(simulator)


def age(row: dict[str, Any]) -> timedelta:
    return NOW.replace(tzinfo=None) - datetime.fromisoformat(row["requestTime"])


def ids(rows: list[Any]) -> list[str]:
    return [row["requestId"] for row in rows]


def test_a_capped_window_keeps_the_oldest_and_hides_the_true_total(simulator: Simulator, client: Client) -> None:
    simulator.faults.window_cap = 30
    assert ids(client.rows()) == [call.request_id for call in in_week(simulator)[-30:]]
    assert client.ask().json()["data"]["total"] == 30


def test_a_growing_account_slides_rows_to_later_pages(simulator: Simulator, client: Client) -> None:
    simulator.faults.growing = 2
    first = client.rows(page=1, size=10)
    second = client.rows(page=2, size=10)
    assert ids(second)[:2] == ids(first)[-2:]


def test_calls_that_grew_are_part_of_the_truth(simulator: Simulator, client: Client) -> None:
    before = len(simulator.rows())
    simulator.faults.growing = 1
    client.rows()
    assert len(simulator.rows()) == before + 1


def test_late_prompts_are_empty_for_the_youngest_calls(simulator: Simulator, client: Client) -> None:
    simulator.faults.late_prompt_minutes = 1000
    rows = client.rows()
    assert {row["input"] + row["inputTrunc"] for row in rows if age(row) < timedelta(minutes=1000)} == {""}
    assert any(row["input"] for row in rows if age(row) >= timedelta(minutes=1000))


def test_late_prompts_come_after_some_requests(simulator: Simulator, client: Client) -> None:
    simulator.faults.prompts_after_requests = 1
    assert not any(row["input"] or row["inputTrunc"] for row in client.rows())
    assert any(row["input"] for row in client.rows())


def test_truncated_prompts_come_alone(simulator: Simulator, client: Client) -> None:
    simulator.faults.truncated_only = True
    for row, call in zip(client.rows(), in_week(simulator), strict=True):
        assert "input" not in row
        assert row["inputTrunc"] == call.prompt[:100]


def test_credits_of_the_youngest_calls_are_not_settled(simulator: Simulator, client: Client) -> None:
    simulator.faults.settle_minutes = 1000
    for row, call in zip(client.rows(), in_week(simulator), strict=True):
        settled = age(row) >= timedelta(minutes=1000) or call.credits == 0
        assert (Decimal(str(row["credit"])) == call.credits) == settled


def test_credits_settle_the_second_time_they_are_asked_for(simulator: Simulator, client: Client) -> None:
    simulator.faults.settle_on_second = True
    first, second = (sum(row["credit"] for row in client.rows()) for _ in range(2))
    truth = float(sum(call.credits for call in in_week(simulator)))
    assert second == pytest.approx(truth)
    assert first == pytest.approx(truth / 2, abs=0.001)


@pytest.mark.parametrize(("unit", "factor"), [("seconds", 1), ("milliseconds", 1000)])
def test_times_can_be_numbers(simulator: Simulator, client: Client, unit: Any, factor: int) -> None:
    simulator.faults.numeric_times = unit
    newest = in_week(simulator)[0].time.replace(tzinfo=SHANGHAI)
    assert client.rows()[0]["requestTime"] == newest.timestamp() * factor


def test_credits_can_be_text(simulator: Simulator, client: Client) -> None:
    simulator.faults.string_credits = True
    assert [Decimal(row["credit"]) for row in client.rows()] == [call.credits for call in in_week(simulator)]
    assert type(client.rows()[0]["credit"]) is str


def test_the_total_can_be_text(simulator: Simulator, client: Client) -> None:
    simulator.faults.string_total = True
    assert client.ask().json()["data"]["total"] == str(len(in_week(simulator)))


@pytest.mark.parametrize("code", [200, "0"])
def test_success_can_have_another_code(simulator: Simulator, client: Client, code: int | str) -> None:
    simulator.faults.code = code
    assert client.ask().json()["code"] == code


@pytest.mark.parametrize(("null", "data"), [("data", None), ("rows", {"total": 0, "data": None})])
def test_an_empty_window_can_be_null(simulator: Simulator, client: Client, null: Any, data: Any) -> None:
    simulator.faults.null_when_empty = null
    assert client.ask(("2020-01-01 00:00:00", "2020-01-02 00:00:00")).json()["data"] == data


def test_the_youngest_calls_can_be_hidden(simulator: Simulator, client: Client) -> None:
    simulator.faults.hide_minutes = 1000
    rows = client.rows()
    assert min(map(age, rows)) >= timedelta(minutes=1000)
    assert len(rows) < len(in_week(simulator))


def test_some_of_the_youngest_calls_can_be_hidden(simulator: Simulator, client: Client) -> None:
    simulator.faults.hide_minutes, simulator.faults.hide_share = 5000, 0.5
    young = [row for row in client.rows() if age(row) < timedelta(minutes=5000)]
    truth = [c for c in in_week(simulator) if NOW.replace(tzinfo=None) - c.time < timedelta(minutes=5000)]
    assert 0 < len(young) < len(truth)


def test_a_hidden_call_shows_up_when_it_is_old_enough() -> None:
    clock = [NOW]
    with Simulator(days=10, now=lambda: clock[0]) as simulator:
        simulator.faults.hide_minutes = 5
        client, before = Client(simulator), simulator.rows()
        clock[0] += timedelta(minutes=5)
        assert client.ask().json()["data"]["total"] == len([c for c in before if c in in_week(simulator)])
