"""When the simulated upstream fails: how often, from which moment, and for which account."""

import math
from collections.abc import Iterator

import pytest

from collection.sources.codebuddy.simulator.faults import QUIRK_SWITCHES, WHOLE_ANSWERS
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.simulator_client import Client, simulator_at
from tests.sources.codebuddy.player import SWITCHES


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with simulator_at(accounts=2) as running:
        yield running


@pytest.fixture
def client(simulator: Simulator) -> Client:
    return Client(simulator)


def test_a_failure_strikes_as_often_as_said(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("bad_gateway", times=2)
    assert [client.ask().status_code for _ in range(3)] == [502, 502, 200]


def test_a_failure_waits_for_good_pages(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("bad_gateway", after_pages=2)
    assert [client.ask().status_code for _ in range(4)] == [200, 200, 502, 502]


def test_a_refused_page_is_not_a_good_one(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("bad_gateway", after_pages=1)
    assert [client.ask(page=99).status_code, client.ask().status_code, client.ask().status_code] == [400, 200, 502]


def test_a_failure_strikes_at_its_rate_and_repeatably() -> None:
    runs = []
    for _ in range(2):
        with simulator_at() as simulator:
            simulator.faults.fail("bad_gateway", rate=0.3)
            client = Client(simulator)
            runs.append([client.ask(size=1).status_code for _ in range(100)])
    assert runs[0] == runs[1]
    assert 15 < runs[0].count(502) < 45


def test_a_failure_can_strike_one_account_only(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("bad_gateway", account=1)
    assert (client.ask().status_code, Client(simulator, 1).ask().status_code) == (200, 502)


def test_failures_follow_each_other(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("overload_429", times=1)
    simulator.faults.fail("expired_401_html", times=1)
    assert [client.ask().status_code for _ in range(3)] == [429, 401, 200]


def test_failures_can_be_cleared(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("bad_gateway")
    simulator.faults.clear()
    assert client.ask().status_code == 200


def test_an_unknown_failure_is_refused_by_name(simulator: Simulator) -> None:
    with pytest.raises(ValueError, match="unknown fault 'bad_gatway'"):
        simulator.faults.fail("bad_gatway")


@pytest.mark.parametrize("rate", [-0.1, 1.5, math.nan])
def test_a_rate_outside_0_to_1_is_refused(simulator: Simulator, rate: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        simulator.faults.fail("hang", rate=rate)


@pytest.mark.parametrize("name", WHOLE_ANSWERS)
def test_a_request_can_ask_for_its_own_failure(simulator: Simulator, client: Client, name: str) -> None:
    asked = client.ask(headers={"X-Simulate-Fault": name})
    assert client.ask().json()["data"]["total"]
    simulator.faults.fail(name)
    assert (asked.status_code, asked.text[:20]) == (client.ask().status_code, client.ask().text[:20])


def test_a_request_can_ask_for_its_own_quirk(client: Client) -> None:
    answer = client.ask(headers={"X-Simulate-Fault": "window_cap:7"})
    assert answer.json()["data"]["total"] == 7
    assert client.ask().json()["data"]["total"] > 7


def test_a_request_for_an_unknown_failure_is_refused(client: Client) -> None:
    answer = client.ask(headers={"X-Simulate-Fault": "nonsense"})
    assert (answer.status_code, answer.json()["msg"]) == (400, "unknown fault 'nonsense'")


def test_a_text_switches_on_a_failure_at_a_rate(simulator: Simulator, client: Client) -> None:
    simulator.faults.switch_on("bad_gateway:0.5")
    assert {client.ask(size=1).status_code for _ in range(30)} == {200, 502}


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("window_cap", "window_cap", 3000),
        ("growing:4", "growing", 4),
        ("numeric_times:milliseconds", "numeric_times", "milliseconds"),
        ('code:"0"', "code", "0"),
        ("truncated_only", "truncated_only", True),
    ],
)
def test_a_text_switches_on_a_quirk(simulator: Simulator, text: str, name: str, value: object) -> None:
    simulator.faults.switch_on(text)
    assert getattr(simulator.faults, name) == value


@pytest.mark.parametrize("text", ["nonsense", "hang:often", "hang:2", "growing:much", "truncated_only:3", ""])
def test_a_text_that_names_nothing_is_refused(simulator: Simulator, text: str) -> None:
    with pytest.raises(ValueError, match="unknown fault|rate of hang|takes a value"):
        simulator.faults.switch_on(text)


def test_the_kit_of_sources_plays_every_switch() -> None:
    assert {name for name, _ in SWITCHES.values()} == QUIRK_SWITCHES.keys()
