"""`compare` of /api/summary, /api/daily and /api/dims (docs/api.md#comparison). It is 2026-09-08 12:00:30."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage import api

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
NOW = datetime(2026, 9, 8, 10, 0, 30, tzinfo=UTC)
READS = ["summary", "daily", "dims"]
TODAY = {"from": "2026-09-08", "to": "2026-09-08"}
THREE_DAYS = {"from": "2026-09-06", "to": "2026-09-08"}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def now(at: Callable[[datetime], None]) -> None:
    at(NOW)


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        call("today", ts="2026-09-08 09:00:00", credits=3, model="kimi", client="cli", prompt="why"),
        call("in this minute", ts="2026-09-07 12:00:59", credits=1, agent_purpose="chat"),
        call("later", ts="2026-09-07 12:01:00", credits=50, prompt="why"),
        call("free", ts="2026-09-07 09:10:00", credits=0, model="kimi", client="cli", prompt="why"),
        call("whole day", ts="2026-09-05 23:00:00", credits=4),
        call("cut day", ts="2026-09-05 11:00:00", credits=2),
        call("long ago", ts="2025-09-08 11:00:00", credits=7),
        call("month ago", ts="2026-08-08 13:00:00", credits=8),
        call("month ago, in time", ts="2026-08-08 12:00:00", credits=9),
    )
    return alice


@pytest.fixture
def ask(archived: User, api_of: ApiOf) -> Ask:
    def answer(path: str, **params: str) -> dict[str, Any]:
        response = api_of(archived).get(f"/api/{path}", **params)
        assert response.status_code == 200, response.content
        body: dict[str, Any] = response.json()
        return body

    return answer


# What is compared.


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("params", [{}, {"compare": ""}, {"compare": "none"}])
def test_an_answer_has_no_comparison_unless_it_is_asked_for(ask: Ask, path: str, params: dict[str, str]) -> None:
    assert "comparison" not in ask(path, **TODAY, **params)


@pytest.mark.parametrize("path", READS)
def test_the_rest_of_an_answer_stays_as_it_is(archived: User, api_of: ApiOf, path: str) -> None:
    bare = api_of(archived).get(f"/api/{path}", **THREE_DAYS).content
    compared = api_of(archived).get(f"/api/{path}", compare="previous", **THREE_DAYS).content
    assert compared.startswith(bare[:-1])


@pytest.mark.parametrize("path", READS)
def test_today_is_compared_with_yesterday_until_the_same_minute(ask: Ask, path: str) -> None:
    found = ask(path, compare="previous", **TODAY)["comparison"]
    assert found["window"] == {"from": "2026-09-07", "to": "2026-09-07", "days": 1}
    assert found["until"] == "12:00"
    assert found["totals"] == {
        "credits": 1, "calls": 2, "free": 1, "paid": 1, "models": 2, "clients": 2, "avgPerCall": 0.5,
    }  # fmt: skip
    assert found["change"] == {"credits": 200, "calls": -50, "avgPerCall": 500}


def test_whole_days_count_whole_and_only_the_last_one_ends_early(ask: Ask) -> None:
    found = ask("summary", compare="previous", **THREE_DAYS)["comparison"]
    assert found["window"] == {"from": "2026-09-03", "to": "2026-09-05", "days": 3}
    assert found["totals"]["credits"] == 2
    found = ask("summary", compare="2026-09-04..2026-09-07", **THREE_DAYS)["comparison"]
    assert found["totals"]["credits"] == 7


def test_a_span_that_ended_before_today_is_compared_with_whole_days(ask: Ask) -> None:
    found = ask("summary", compare="previous", **{"from": "2026-09-06", "to": "2026-09-07"})["comparison"]
    assert (found["until"], found["totals"]["credits"]) == (None, 6)
    assert found["change"] == {"credits": 750, "calls": 50, "avgPerCall": 466.67}


def test_days_to_come_are_not_compared(ask: Ask) -> None:
    found = ask("summary", compare="previous", **{"from": "2026-09-07", "to": "2026-09-30"})["comparison"]
    assert (found["window"]["from"], found["window"]["to"], found["until"]) == ("2026-09-05", "2026-09-06", "12:00")


@pytest.mark.parametrize(
    ("compare", "window", "credits"),
    [
        ("month", ("2026-08-08", "2026-08-08"), 9),
        ("year", ("2025-09-08", "2025-09-08"), 7),
        ("2026-09-05..2026-09-05", ("2026-09-05", "2026-09-05"), 2),
        (" 2026/9/7..2026-09-04 ", ("2026-09-04", "2026-09-07"), 7),
        ("2026-08-08T00:00..2026-08-08T23:59", ("2026-08-08", "2026-08-08"), 9),
    ],
)
def test_other_days_can_be_compared_with(ask: Ask, compare: str, window: tuple[str, str], credits: float) -> None:
    found = ask("summary", compare=compare, **TODAY)["comparison"]
    assert (found["window"]["from"], found["window"]["to"]) == window
    assert found["totals"]["credits"] == credits


@pytest.mark.thorough
@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(
    "compare",
    ["yesterday", "2026-09-01", "2026-09-01..", "..", "2026-02-30..2026-03-01", "a..b", "2026-09-01..."],
)
def test_another_value_is_400_and_named(archived: User, api_of: ApiOf, path: str, compare: str) -> None:
    response = api_of(archived).get(f"/api/{path}", compare=compare)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert "'compare'" in response.json()["message"]


@pytest.mark.engine
def test_the_same_filters_hold_for_the_earlier_span(ask: Ask) -> None:
    for names, credits, calls in [
        ({"model": "kimi"}, 0, 1), ({"client": "ide"}, 1, 1), ({"purpose": "chat"}, 1, 1), ({"no_purpose": "1"}, 0, 1),
        ({"model": "kimi", "client": "cli", "no_purpose": "1"}, 0, 1), ({"model": "none"}, 0, 0),
        ({"model": "glm", "client": "ide"}, 1, 1),
    ]:  # fmt: skip
        for path in READS:
            totals = ask(path, compare="previous", **TODAY, **names)["comparison"]["totals"]
            assert (totals["credits"], totals["calls"]) == (credits, calls), (path, names)


def test_without_a_call_before_there_is_no_change(ask: Ask) -> None:
    found = ask("summary", compare="2020-01-01..2020-01-02", **TODAY)["comparison"]
    assert found["change"] == {"credits": None, "calls": None, "avgPerCall": None}
    assert found["totals"]["calls"] == 0


@pytest.mark.parametrize("path", READS)
def test_before_the_calendar_begins_there_is_no_window(ask: Ask, path: str) -> None:
    found = ask(path, compare="previous", **{"from": "0001-01-01", "to": "2026-09-08"})["comparison"]
    assert found["window"] == {"from": None, "to": None, "days": None}
    assert ask(path, compare="0001-01-01..0001-01-01", **TODAY)["comparison"]["totals"]["calls"] == 0


@pytest.mark.parametrize("path", READS)
def test_an_empty_archive_has_nothing_to_compare(bob: User, api_of: ApiOf, path: str) -> None:
    found = api_of(bob).get(f"/api/{path}", compare="previous").json()["comparison"]
    assert (found["window"]["from"], found["totals"]["calls"]) == (None, 0)


@pytest.mark.usefixtures("archived")
def test_another_account_compares_its_own(bob: User, api_of: ApiOf, alice: User) -> None:
    for path in READS:
        found = api_of(bob).get(f"/api/{path}", compare="previous", user_id=alice.pk, **TODAY).json()["comparison"]
        assert found["totals"]["calls"] == 0


# Days, and items by name.


@pytest.mark.engine
def test_the_earlier_days_are_listed_and_the_last_ends_early(ask: Ask) -> None:
    found = ask("daily", compare="2026-09-04..2026-09-07", **THREE_DAYS)["comparison"]
    assert found["days"] == [{"d": "2026-09-05", "c": 6, "k": 2, "fc": 0}, {"d": "2026-09-07", "c": 1, "k": 2, "fc": 1}]


@pytest.mark.engine
def test_the_earlier_items_are_shown_by_name_with_their_change(ask: Ask) -> None:
    items = ask("dims", compare="previous", dim="purpose", **TODAY)["comparison"]["items"]
    assert items["model"] == {
        "glm": {"credits": 1, "calls": 1, "avg": 1, "free": 0, "change": {"credits": -100, "calls": -100}},
        "kimi": {"credits": 0, "calls": 1, "avg": 0, "free": 1, "change": {"credits": None, "calls": 0}},
    }
    assert {dim: [*names] for dim, names in items.items() if dim != "hour"} == {
        "model": ["glm", "kimi"], "client": ["ide", "cli"], "purpose": ["chat", ""],
    }  # fmt: skip
    assert [hour for hour, item in items["hour"].items() if item["calls"]] == ["09", "12"]


def test_only_the_dimension_that_is_asked_for_is_compared(ask: Ask) -> None:
    assert [*ask("dims", compare="previous", dim="client", **TODAY)["comparison"]["items"]] == ["client"]


@pytest.mark.engine
@pytest.mark.parametrize("names", [{}, {"purpose": "chat"}, {"model": "glm"}, {"model": "glm", "purpose": "chat"}])
def test_the_hours_of_the_last_day_end_early_under_any_filter(ask: Ask, names: dict[str, str]) -> None:
    hours = ask("dims", compare="2026-09-05..2026-09-07", dim="hour", **TODAY, **names)["comparison"]["items"]["hour"]
    whole = 0 if "purpose" in names else 4
    assert (hours["12"]["credits"], hours["23"]["credits"]) == (1, whole)


# Its cost.


def request_of(user: User, path: str, **params: str) -> Any:
    request = RequestFactory().get(f"/api/{path}", params)
    request.user = user
    return request


VIEWS: dict[str, Any] = {"summary": api.summary, "daily": api.daily, "dims": api.dims}


@pytest.mark.parametrize(
    ("path", "params", "number"),
    [("summary", TODAY, 5), ("daily", TODAY, 5), ("dims", TODAY, 9), ("summary", {}, 7), ("dims", {"dim": "model"}, 8)],
)
def test_it_makes_a_fixed_number_of_queries(
    archived: User, django_assert_num_queries: DjangoAssertNumQueries, path: str, params: dict[str, str], number: int
) -> None:
    with django_assert_num_queries(number):
        VIEWS[path](request_of(archived, path, compare="previous", **params))


@pytest.mark.sqlite_only
@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("names", [{}, {"model": "glm"}, {"client": "ide"}, {"purpose": "chat"}])
def test_the_day_that_ends_early_is_found_by_time(archived: User, path: str, names: dict[str, str]) -> None:
    _, *plans = plans_of(lambda: VIEWS[path](request_of(archived, path, compare="previous", **THREE_DAYS, **names)))
    of_calls = [plan for plan in plans if "record_by_time" in plan]
    assert of_calls
    assert all("record_by_time (user_id=? AND ts>? AND ts<?)" in plan for plan in of_calls)
    assert not [plan for plan in plans if "SCAN usage" in plan]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("path", READS)
def test_whole_days_are_read_from_the_rollups_alone(archived: User, path: str) -> None:
    span = {"from": "2026-09-06", "to": "2026-09-07"}
    _, *plans = plans_of(lambda: VIEWS[path](request_of(archived, path, compare="previous", **span)))
    assert all("usage_record" not in plan and "SCAN usage" not in plan for plan in plans)


# Conditional answers.


def tag_of(visitor: ApiClient, path: str, **params: str) -> str:
    tag: str = visitor.get(f"/api/{path}", **params).headers["ETag"]
    return tag


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("span", [TODAY, {}, {"from": "2026-09-01"}])
def test_a_comparison_that_ends_now_is_another_answer_each_minute(
    archived: User, api_of: ApiOf, at: Callable[[datetime], None], path: str, span: dict[str, str]
) -> None:
    visitor = api_of(archived)
    tag = tag_of(visitor, path, compare="previous", **span)
    at(NOW.replace(second=59))
    assert tag_of(visitor, path, compare="previous", **span) == tag
    at(NOW.replace(minute=1, second=0))
    assert tag_of(visitor, path, compare="previous", **span) != tag


@pytest.mark.parametrize("path", READS)
def test_a_comparison_of_whole_days_stays_the_same_answer(
    archived: User, api_of: ApiOf, at: Callable[[datetime], None], path: str
) -> None:
    visitor, span = api_of(archived), {"from": "2026-09-01", "to": "2026-09-07"}
    tag = tag_of(visitor, path, compare="previous", **span)
    at(NOW.replace(minute=5))
    assert tag_of(visitor, path, compare="previous", **span) == tag
    assert len({tag, *(tag_of(visitor, path, compare=other, **span) for other in ("none", "month"))}) == 3


# Trends.


def test_each_name_has_its_credits_over_time(ask: Ask) -> None:
    trend = ask("dims", trend="1", dim="purpose", **{"from": "2026-09-05", "to": "2026-09-08"})["trend"]
    assert trend["days"] == 1
    assert trend["model"] == {"glm": [6, 0, 51, 0], "kimi": [0, 0, 0, 3]}
    assert (trend["client"]["cli"], trend["purpose"]["chat"]) == ([0, 0, 0, 3], [0, 0, 1, 0])


def test_many_days_share_a_point_and_the_last_one_ends_with_the_window(ask: Ask) -> None:
    trend = ask("dims", trend="1", dim="model")["trend"]
    assert trend["days"] == 7
    points = trend["model"]["glm"]
    # 366 days are 53 points; today's begins on 2026-09-02.
    assert (len(points), points[0], points[-1]) == (53, 7, 57)


@pytest.mark.engine
@pytest.mark.parametrize(
    ("names", "trend"),
    [
        ({"model": "kimi"}, {"model": {"kimi": [0, 0, 3]}, "client": {"cli": [0, 0, 3]}, "purpose": {"": [0, 0, 3]}}),
        (
            {"client": "ide"},
            {"model": {"glm": [0, 51, 0]}, "client": {"ide": [0, 51, 0]},
             "purpose": {"": [0, 50, 0], "chat": [0, 1, 0]}},
        ),
        (
            {"purpose": "chat"},
            {"model": {"glm": [0, 1, 0]}, "client": {"ide": [0, 1, 0]}, "purpose": {"chat": [0, 1, 0]}},
        ),
    ],
)  # fmt: skip
def test_a_trend_has_the_filters(ask: Ask, names: dict[str, str], trend: dict[str, dict[str, list[float]]]) -> None:
    assert ask("dims", trend="1", dim="purpose", **THREE_DAYS, **names)["trend"] == {"days": 1, **trend}


def test_a_trend_is_only_where_it_is_asked_for(ask: Ask) -> None:
    assert "trend" not in ask("dims", trend="0", **TODAY)


def test_an_empty_archive_has_no_trend(bob: User, api_of: ApiOf) -> None:
    assert api_of(bob).get("/api/dims", trend="1").json()["trend"] == {"days": 0, "model": {}, "client": {}}
