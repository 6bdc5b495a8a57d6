"""GET /api/daily: the series of days (docs/api.md#daily)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage.filters import RecordFilters
from usage.reads.daily_series import daily_pieces

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., list[dict[str, Any]]]
pytestmark = pytest.mark.django_db


def hours(**credits: float) -> list[float]:
    """24 hours, zero but for those given: `h09=1.5`."""
    return [credits.get(f"h{hour:02}", 0) for hour in range(24)]


@pytest.fixture
def ask(alice: User, api_of: ApiOf) -> Ask:
    def days(**params: str) -> list[dict[str, Any]]:
        response = api_of(alice).get("/api/daily", **params)
        assert (response.status_code, list(response.json())) == (200, ["days"])
        found: list[dict[str, Any]] = response.json()["days"]
        return found

    return days


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        call("e", ts="2026-09-04 23:59:59", credits=0.2, model="kimi", client="cli"),
        call("a", ts="2026-09-01 00:00:00", credits=1, model="glm", client="ide"),
        call("b", ts="2026-09-01 09:10:00", credits=0, model="glm", client="cli"),
        call("c", ts="2026-09-01 09:59:59", credits=2.000001, model="kimi", client="cli"),
        call("d", ts="2026-09-04 23:00:00", credits=0.1, model="kimi", client="cli"),
    )
    return alice


def test_an_empty_archive_has_no_days(ask: Ask) -> None:
    assert ask() == []


@pytest.mark.usefixtures("archived")
def test_the_days_that_have_records_ascend_with_their_figures(ask: Ask) -> None:
    assert ask() == [
        {
            "d": "2026-09-01", "c": 3.000001, "k": 3, "fc": 1, "bc": 2, "m": {"glm": 1, "kimi": 2.000001},
            "h": hours(h00=1, h09=2.000001),
        },
        {"d": "2026-09-04", "c": 0.3, "k": 2, "fc": 0, "bc": 2, "m": {"kimi": 0.3}, "h": hours(h23=0.3)},
    ]  # fmt: skip


@pytest.mark.usefixtures("archived")
def test_both_ends_of_the_span_are_within(ask: Ask) -> None:
    assert [day["d"] for day in ask(**{"from": "2026-09-01", "to": "2026-09-04"})] == ["2026-09-01", "2026-09-04"]
    assert [day["d"] for day in ask(**{"from": "2026-09-02", "to": "2026-09-03"})] == []
    assert [day["d"] for day in ask(**{"from": "2026-09-04", "to": "2026/09/02"})] == ["2026-09-04"]


def test_days_of_the_calls_without_a_client(alice: User, ask: Ask) -> None:
    """`no_client` limits every sum of the days to calls without a client."""
    archive(
        alice,
        call("a", ts="2026-09-01 09:00:00", model="", client="", credits=1),
        call("b", ts="2026-09-01 10:00:00", model="glm", client="ide", credits=2),
        call("c", ts="2026-09-02 11:00:00", model="", client="ide", credits=4),
    )
    [day] = ask(no_client="1")
    assert (day["d"], day["c"], day["k"], day["m"], day["h"]) == ("2026-09-01", 1, 1, {"": 1}, hours(h09=1))
    assert [(day["d"], day["c"]) for day in ask(no_model="1")] == [("2026-09-01", 1), ("2026-09-02", 4)]


def test_days_of_a_purpose(alice: User, ask: Ask) -> None:
    archive(
        alice,
        call("a", ts="2026-09-01 09:00:00", credits=1, agent_purpose="chat"),
        call("b", ts="2026-09-01 10:00:00", credits=2, agent_purpose="chat", model="kimi"),
        call("c", ts="2026-09-01 10:00:00", credits=4),
        call("d", ts="2026-09-02 11:00:00", credits=0),
    )
    [day] = ask(purpose="chat")
    assert (day["d"], day["c"], day["k"], day["m"]) == ("2026-09-01", 3, 2, {"glm": 1, "kimi": 2})
    assert day["h"] == hours(h09=1, h10=2)
    without = [(day["d"], day["c"], day["fc"]) for day in ask(no_purpose="1")]
    assert without == [("2026-09-01", 4, 0), ("2026-09-02", 0, 1)]
    assert ask(purpose="chat", model="kimi")[0]["h"] == hours(h10=2)


@pytest.mark.usefixtures("archived")
def test_under_a_filter_models_and_hours_are_the_filters_own(ask: Ask) -> None:
    assert ask(client="cli", to="2026-09-01") == [
        {
            "d": "2026-09-01", "c": 2.000001, "k": 2, "fc": 1, "bc": 1, "m": {"glm": 0, "kimi": 2.000001},
            "h": hours(h09=2.000001),
        }
    ]  # fmt: skip
    assert ask(model="glm", client="ide") == [
        {"d": "2026-09-01", "c": 1, "k": 1, "fc": 0, "bc": 1, "m": {"glm": 1}, "h": hours(h00=1)}
    ]
    assert ask(model="GLM") == []


def test_a_day_of_free_calls_alone_is_there(alice: User, ask: Ask) -> None:
    archive(alice, call("a", credits=0))
    [day] = ask()
    assert (day["c"], day["k"], day["fc"], day["bc"], day["m"]) == (0, 1, 1, 0, {"glm": 0})


@pytest.mark.parametrize("name", ['"', "\\", "a'b", "模型", "", "0", "\n", "x" * 200])
def test_a_model_may_have_any_name(alice: User, ask: Ask, name: str) -> None:
    archive(alice, call("a", model=name))
    assert ask()[0]["m"] == {name: 1.5}
    assert ask(client="ide")[0]["m"] == {name: 1.5}


def test_sums_have_six_decimals_and_no_noise(alice: User, api_of: ApiOf) -> None:
    archive(alice, *(call(str(number), credits=0.1) for number in range(3)), call("x", credits=999_999_999.000001))
    text = api_of(alice).get("/api/daily").content.decode()
    assert text.count("999999999.300001") == 3


def test_the_days_of_the_rollup_are_those_of_the_records(alice: User) -> None:
    calls = [
        call(f"{day}-{hour}-{model}{client}", ts=f"2026-09-{day:02} {hour:02}:30:00", model=model, client=client)
        for day in (1, 2, 30)
        for hour in range(0, 24, 5)
        for model, client in (("a", "x"), ("b", "x"), ("a", "y"))
    ]
    archive(alice, *calls)
    whole, parts = (
        json.loads(b"".join(daily_pieces(alice.pk, RecordFilters()))),
        [json.loads(b"".join(daily_pieces(alice.pk, RecordFilters(client=client)))) for client in ("x", "y")],
    )
    assert len(whole) == 3
    for day, *halves in zip(whole, *parts, strict=True):
        assert day["k"] == sum(half["k"] for half in halves)
        for hour in range(24):
            assert day["h"][hour] == sum(half["h"][hour] for half in halves)


@pytest.mark.parametrize("name", ["from", "to"])
def test_an_unknown_date_is_400_and_named(alice: User, api_of: ApiOf, name: str) -> None:
    response = api_of(alice).get("/api/daily", **{name: "2026-02-30"})
    assert response.status_code == 400
    assert f"'{name}'" in response.json()["message"]


@pytest.mark.usefixtures("archived")
def test_another_account_has_its_own(bob: User, alice: User, api_of: ApiOf) -> None:
    assert api_of(bob).get("/api/daily", user_id=alice.pk).json() == {"days": []}


def test_anonymous_is_401(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/daily").status_code == 401


# Its cost.

FILTERS = [
    RecordFilters(),
    RecordFilters(Days()),
    RecordFilters(model="glm"),
    RecordFilters(client="cli"),
    RecordFilters(model="glm", client="cli"),
    RecordFilters(model="glm", purpose=""),
]


@pytest.mark.parametrize("filters", [*FILTERS, RecordFilters(purpose="chat")])
def test_it_makes_few_queries(
    archived: User, django_assert_num_queries: DjangoAssertNumQueries, filters: RecordFilters
) -> None:
    # One more looks for the hours of past months, which are kept for models alone and for clients alone.
    more = 1 if set(filters.names) in ({"model"}, {"client"}) else 0
    with django_assert_num_queries(3 + more if filters.names else 1):
        [*daily_pieces(archived.pk, filters)]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("filters", [RecordFilters(), RecordFilters(purpose="chat"), RecordFilters(purpose="")])
def test_it_reads_the_rollups_and_never_the_records(archived: User, filters: RecordFilters) -> None:
    plans = plans_of(lambda: [*daily_pieces(archived.pk, filters)])
    assert not [plan for plan in plans if "SCAN usage" in plan or "usage_record" in plan]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("filters", FILTERS[2:])
def test_hours_of_a_filter_come_from_its_records_alone(archived: User, filters: RecordFilters) -> None:
    plans = plans_of(lambda: [*daily_pieces(archived.pk, filters)])
    assert not [plan for plan in plans if "SCAN usage" in plan]
    [of_records] = [plan for plan in plans if "record_by_group" in plan]
    assert "SEARCH r USING COVERING INDEX record_by_group (user_id=? AND day=? AND model=?" in of_records
