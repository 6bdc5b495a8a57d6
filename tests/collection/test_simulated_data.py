"""The simulator's data is repeatable, and as varied as real data."""

import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.simulator_client import NOW, SHANGHAI, simulator_at

PROJECT = Path(__file__).parents[2]


def test_the_same_seed_gives_the_same_data() -> None:
    assert simulator_at(seed=7).rows() == simulator_at(seed=7).rows()


def test_another_seed_gives_other_data() -> None:
    assert simulator_at(seed=7).rows() != simulator_at(seed=8).rows()


def test_the_data_does_not_depend_on_the_hash_seed() -> None:
    code = "from tests.collection.simulator_client import simulator_at; print(simulator_at().rows())"
    outputs = {
        subprocess.check_output([sys.executable, "-c", code], cwd=PROJECT, env={"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_later_start_shows_the_same_past() -> None:
    later = simulator_at(NOW + timedelta(days=3), days=13).rows()
    assert later[: len(simulator_at().rows())] == simulator_at().rows()


def test_accounts_have_different_data() -> None:
    simulator = simulator_at(accounts=2)
    ids = [{call.request_id for call in simulator.rows(account)} for account in (0, 1)]
    assert not ids[0] & ids[1]


def test_the_data_covers_the_days_asked_for() -> None:
    times = [call.time for call in simulator_at(days=30).rows()]
    assert timedelta(days=28) < times[-1] - times[0] < timedelta(days=30)


def test_there_are_about_as_many_calls_a_day_as_asked_for() -> None:
    assert 80 < len(simulator_at(days=70, per_day=100).rows()) / 70 < 120


def test_days_are_busier_than_nights_and_weekends() -> None:
    calls = simulator_at(days=70).rows()
    weekend = sum(call.time.weekday() >= 5 for call in calls)
    night = sum(call.time.hour < 6 for call in calls)
    assert weekend < len(calls) * 0.25
    assert night < len(calls) * 0.1


def test_rows_are_as_varied_as_the_real_ones() -> None:
    calls = simulator_at(days=70).rows()
    assert len({call.model for call in calls}) == 8
    assert "" in {call.client for call in calls}
    assert any(call.request_id.startswith("crb-") for call in calls)
    assert any(call.credits == 0 for call in calls)
    assert any(call.amount % 100 for call in calls)
    assert {"conversation:compact", "subagent:explore", ""} < {call.agent_purpose for call in calls}


def test_prompts_are_as_varied_as_the_real_ones() -> None:
    prompts = [call.prompt for call in simulator_at(days=70).rows()]
    assert "" in prompts
    assert any("\n" in prompt for prompt in prompts)
    assert any("。" in prompt for prompt in prompts)
    assert max(len(prompt.encode()) for prompt in prompts) > 4000


def test_most_times_are_whole_minutes() -> None:
    seconds = [call.time.second for call in simulator_at(days=70).rows()]
    assert 0.75 < seconds.count(0) / len(seconds) < 1


def test_no_call_falls_into_an_hour_the_clock_skips() -> None:
    spring = datetime(2026, 3, 30, tzinfo=SHANGHAI)
    calls = simulator_at(spring, zone="Europe/Berlin", per_day=5000, days=2).rows()
    assert not [call for call in calls if datetime(2026, 3, 29, 2) <= call.time < datetime(2026, 3, 29, 3)]


def test_an_account_in_use_grows_with_the_clock() -> None:
    clock = [NOW]
    simulator = Simulator(days=10, per_day=20, now=lambda: clock[0], until=NOW + timedelta(days=5))
    before = len(simulator.rows())
    clock[0] += timedelta(days=2)
    assert len(simulator.rows()) > before
