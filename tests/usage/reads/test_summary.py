"""GET /api/summary: the sums of a period beside those of the period before (docs/api.md#summary)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, on, plans_of
from usage import api

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
PATH = "/api/summary"
EMPTY = {
    "credits": 0, "calls": 0, "free": 0, "paid": 0, "models": 0, "clients": 0, "firstDay": None, "lastDay": None,
    "days": 0, "avgPerCall": 0,
}  # fmt: skip
NO_WINDOW = {"from": None, "to": None, "days": None}


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        on("2026-09-01", "a", credits=1, model="glm", client="ide"),
        on("2026-09-02", "b", credits=0, model="glm", client="cli"),
        on("2026-09-04", "c", credits=2.000001, model="kimi", client="cli"),
        on("2026-09-04", "d", credits=0.1, model="kimi", client="cli"),
        on("2026-09-04", "e", credits=0.2, model="kimi", client="cli"),
    )
    return alice


def test_an_empty_archive_has_nothing_and_no_window(ask: Ask) -> None:
    assert ask() == {
        **EMPTY,
        "window": NO_WINDOW,
        "prev": {**EMPTY, "window": NO_WINDOW},
        "delta": {"credits": None, "calls": None, "window": NO_WINDOW},
    }


@pytest.mark.usefixtures("archived")
def test_without_bounds_the_whole_archive_is_summed(ask: Ask) -> None:
    answer = ask()
    assert {name: answer[name] for name in EMPTY} == {
        "credits": 3.300001, "calls": 5, "free": 1, "paid": 4, "models": 2, "clients": 2,
        "firstDay": "2026-09-01", "lastDay": "2026-09-04", "days": 3, "avgPerCall": 0.66,
    }  # fmt: skip
    assert answer["window"] == {"from": "2026-09-01", "to": "2026-09-04", "days": 4}


@pytest.mark.usefixtures("archived")
def test_first_and_last_day_are_those_with_records_inside_the_window(ask: Ask) -> None:
    answer = ask(**{"from": "2026-09-02", "to": "2026-09-03"})
    assert (answer["firstDay"], answer["lastDay"], answer["days"]) == ("2026-09-02", "2026-09-02", 1)
    assert answer["window"] == {"from": "2026-09-02", "to": "2026-09-03", "days": 2}


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("params", "window"),
    [
        ({"from": "2026-09-02"}, ("2026-09-02", "2026-09-04", 3)),
        ({"to": "2026-09-02"}, ("2026-09-01", "2026-09-02", 2)),
        ({"from": "2026-08-01", "to": "2026-10-01"}, ("2026-08-01", "2026-10-01", 62)),
        ({"from": "2027-01-01"}, ("2027-01-01", "2027-01-01", 1)),
        ({"to": "2020-01-01"}, ("2020-01-01", "2020-01-01", 1)),
        ({"from": "2026-09-04", "to": "2026-09-02"}, ("2026-09-02", "2026-09-04", 3)),
    ],
)
def test_the_window_is_what_was_asked_for_and_the_archives_own_beyond(
    ask: Ask, params: dict[str, str], window: tuple[str, str, int]
) -> None:
    assert tuple(ask(**params)["window"].values()) == window


@pytest.mark.usefixtures("archived")
def test_both_ends_of_the_window_count(ask: Ask) -> None:
    assert ask(**{"from": "2026-09-01", "to": "2026-09-04"})["calls"] == 5
    assert ask(**{"from": "2026-09-02", "to": "2026-09-02"})["calls"] == 1


@pytest.mark.usefixtures("archived")
def test_prev_is_the_equally_long_span_just_before(ask: Ask) -> None:
    prev = ask(**{"from": "2026-09-03", "to": "2026-09-04"})["prev"]
    assert prev == {
        "credits": 1, "calls": 2, "free": 1, "paid": 1, "models": 1, "clients": 2, "firstDay": "2026-09-01",
        "lastDay": "2026-09-02", "days": 2, "avgPerCall": 0.5,
        "window": {"from": "2026-09-01", "to": "2026-09-02", "days": 2},
    }  # fmt: skip


@pytest.mark.usefixtures("archived")
def test_delta_is_the_change_in_percent_and_the_window_of_prev(ask: Ask) -> None:
    assert ask(**{"from": "2026-09-03", "to": "2026-09-04"})["delta"] == {
        "credits": 130.0, "calls": 50.0, "window": {"from": "2026-09-01", "to": "2026-09-02", "days": 2},
    }  # fmt: skip


@pytest.mark.usefixtures("archived")
def test_where_nothing_is_archived_before_prev_is_zero_and_delta_null(ask: Ask) -> None:
    answer = ask()
    window = {"from": "2026-08-28", "to": "2026-08-31", "days": 4}
    assert answer["prev"] == {**EMPTY, "window": window}
    assert answer["delta"] == {"credits": None, "calls": None, "window": window}


@pytest.mark.usefixtures("archived")
def test_before_the_first_days_of_the_calendar_there_is_no_prev(ask: Ask) -> None:
    answer = ask(**{"from": "0001-01-01", "to": "9999-12-31"})
    assert (answer["calls"], answer["prev"]["window"]) == (5, NO_WINDOW)


# The end of the figures.


@pytest.fixture
def now(time: SetClock) -> None:
    # 00:30 on the fourth in Berlin.
    time.now = datetime(2026, 9, 3, 22, 30, 59, tzinfo=UTC)


@pytest.mark.usefixtures("archived", "now")
@pytest.mark.parametrize("params", [{}, {"to": "2026-09-04"}, {"from": "2026-09-04"}])
def test_partial_has_the_time_where_the_last_day_is_today(ask: Ask, params: dict[str, str]) -> None:
    assert ask(**params)["partial"] == {"date": "2026-09-04", "hhmm": "00:30"}


@pytest.mark.usefixtures("archived", "now")
@pytest.mark.parametrize("params", [{"to": "2026-09-05"}, {"from": "2026-09-01", "to": "2026-09-30"}])
def test_partial_is_present_where_the_window_reaches_beyond_today(ask: Ask, params: dict[str, str]) -> None:
    """Of a period that ends after today, the last day that has begun is today."""
    assert ask(**params)["partial"] == {"date": "2026-09-04", "hhmm": "00:30"}


@pytest.mark.usefixtures("archived", "now")
@pytest.mark.parametrize(
    "params", [{"to": "2026-09-03"}, {"from": "2026-09-05", "to": "2026-09-30"}, {"from": "2026-09-05"}]
)
def test_partial_is_absent_where_the_window_is_past_or_to_come(ask: Ask, params: dict[str, str]) -> None:
    assert "partial" not in ask(**params)


@pytest.mark.usefixtures("archived", "now")
def test_partial_is_absent_where_the_archive_ends_before_today(ask: Ask, time: SetClock) -> None:
    time.now = datetime(2026, 9, 5, 10, 0, tzinfo=UTC)
    assert "partial" not in ask()


@pytest.mark.usefixtures("now")
@pytest.mark.parametrize("params", [{"to": "2026-09-04"}, {"to": "2026-09-30"}])
def test_an_empty_archive_is_partial_where_its_days_hold_today(ask: Ask, params: dict[str, str]) -> None:
    assert ask(**params)["partial"]["date"] == "2026-09-04"


# Filters, parameters, accounts.


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("params", "calls"),
    [({"model": "glm"}, 2), ({"client": "cli"}, 4), ({"model": "glm", "client": "cli"}, 1), ({"model": "GLM"}, 0),
     ({"model": ""}, 5), ({"model": "gl%"}, 0)],
)  # fmt: skip
def test_a_model_and_a_client_are_exact(ask: Ask, params: dict[str, str], calls: int) -> None:
    assert ask(**params)["calls"] == calls


@pytest.mark.engine
def test_calls_without_a_model_or_client_are_summed_alone(alice: User, ask: Ask) -> None:
    """Totals and `prev` of the calls that `/api/dims` has under the empty name."""
    archive(
        alice,
        on("2026-09-01", "a", client=""),
        on("2026-09-02", "b", client="", credits=2),
        on("2026-09-02", "c", model=""),
        on("2026-09-02", "d"),
    )
    answer = ask(no_client="1", **{"from": "2026-09-02", "to": "2026-09-02"})
    assert (answer["calls"], answer["credits"], answer["prev"]["calls"]) == (1, 2, 1)
    assert ask(no_model="1")["calls"] == 1
    assert ask(no_model="1", no_client="1")["calls"] == 0


def test_calls_of_a_purpose_are_summed_alone(alice: User, ask: Ask) -> None:
    archive(
        alice,
        on("2026-09-01", "a", agent_purpose="chat"),
        on("2026-09-02", "b", agent_purpose="chat", credits=2, model="kimi"),
        on("2026-09-02", "c"),
        on("2026-09-02", "d", agent_purpose="plan"),
    )
    answer = ask(purpose="chat", **{"from": "2026-09-02", "to": "2026-09-02"})
    assert (answer["calls"], answer["credits"], answer["models"], answer["prev"]["calls"]) == (1, 2, 1, 1)
    assert (ask(no_purpose="1")["calls"], ask(purpose="Chat")["calls"], ask(purpose="")["calls"]) == (1, 0, 4)
    assert ask(purpose="chat", model="kimi")["calls"] == 1
    assert ask(purpose="chat", model="kimi", client="none")["calls"] == 0


@pytest.mark.usefixtures("archived")
def test_prev_has_the_same_filter(ask: Ask) -> None:
    assert ask(**{"from": "2026-09-03", "to": "2026-09-04", "client": "cli"})["prev"]["calls"] == 1


@pytest.mark.usefixtures("archived")
def test_a_text_is_no_parameter_of_the_summary(ask: Ask) -> None:
    assert ask(q="nothing has it")["calls"] == 5


@pytest.mark.parametrize("name", ["from", "to"])
def test_an_unknown_date_is_400_and_named(alice: User, api_of: ApiOf, name: str) -> None:
    response = api_of(alice).get("/api/summary", **{name: "yesterday"})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert f"'{name}'" in response.json()["message"]


@pytest.mark.usefixtures("archived")
def test_another_account_has_its_own(bob: User, api_of: ApiOf, alice: User) -> None:
    assert api_of(bob).get("/api/summary", user_id=alice.pk).json()["calls"] == 0


def test_anonymous_is_401(anonymous: ApiClient, db: None) -> None:
    assert anonymous.get("/api/summary").status_code == 401


# Its cost.


def request_of(user: User, **params: str) -> Any:
    request = RequestFactory().get("/api/summary", params)
    request.user = user
    return request


# The view, which gets its parameters from the request.
SUMMARY: Any = api.summary


@pytest.mark.parametrize(
    ("params", "number"),
    [({}, 4), ({"from": "2026-09-03"}, 4), ({"from": "2026-09-03", "to": "2026-09-04"}, 3), ({"purpose": "chat"}, 5)],
)
def test_it_makes_a_fixed_number_of_queries(
    archived: User, django_assert_num_queries: DjangoAssertNumQueries, params: dict[str, str], number: int
) -> None:
    with django_assert_num_queries(number):
        SUMMARY(request_of(archived, **params))


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    "params",
    [{}, {"from": "2026-09-03"}, {"model": "glm", "client": "ide"}, {"purpose": "chat"},
     {"no_purpose": "1", "model": "glm"}],
)  # fmt: skip
def test_it_never_reads_records_and_no_more_of_the_rollup_than_the_accounts(
    archived: User, params: dict[str, str]
) -> None:
    _, *plans = plans_of(lambda: SUMMARY(request_of(archived, **params)))
    assert all("SEARCH usage_day" in plan and "SCAN usage" not in plan for plan in plans)
    assert all("usage_record" not in plan for plan in plans)
