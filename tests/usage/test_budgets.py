"""Budgets: /api/budgets (docs/api.md#budgets)."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.concurrency import together
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage import adoption
from usage.budgets import stored_budgets
from usage.budgets.periods import period_of
from usage.erasure import erase_archive
from usage.models import Budget, CoverageDay

ApiOf = Callable[[User], ApiClient]
At = Callable[[datetime], None]
NO_CREDITS: tuple[object, ...] = (
    *(0, -1, "", None, True, "ten", "nan", "inf"),
    *(1e13, 0.0000001, "1" * 5000, "1e999999999", "1_000", [1], {}),
)
NO_THRESHOLDS: tuple[object, ...] = (0, "50", None, [0], [201], [50.5], ["50"], [True], [None], [[1]], [*range(1, 12)])
NO_DAYS: tuple[object, ...] = (0, 32, -1, 1.5, "1", None, True)
pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(alice: User, api_of: ApiOf, at: At) -> ApiClient:
    """On a Wednesday at noon, with calls of 4 credits on this day, 2 on Monday and 1 in the week before."""
    at(datetime(2026, 9, 16, 12, tzinfo=settings.SERVER_ZONE))
    archive(
        alice,
        call("today", ts="2026-09-16 09:30:00", credits=4, model="glm", client="ide"),
        call("monday", ts="2026-09-14 09:30:00", credits=2, model="kimi", client="ide"),
        call("before", ts="2026-09-10 09:30:00", credits=1, model="glm", client="cli"),
        call("august", ts="2026-08-31 09:30:00", credits=8, model="glm", client="cli"),
    )
    return api_of(alice)


def made(visitor: ApiClient, **given: object) -> dict[str, Any]:
    response = visitor.post("/api/budgets", {"period": "month", "credits": 10, **given})
    assert response.status_code == 200, response.content
    return dict(response.json()["budget"])


def items(visitor: ApiClient) -> list[dict[str, Any]]:
    return list(visitor.get("/api/budgets").json()["items"])


def refusal(response: Any) -> str:
    body = response.json()
    assert (response.status_code, body["ok"], body["error"]) == (400, False, "bad_request")
    return str(body["message"])


def test_a_budget_says_what_is_spent_and_left_of_it(visitor: ApiClient) -> None:
    budget = made(visitor, credits=10)
    assert budget == {
        "id": Budget.objects.get().pk,
        "period": "month",
        "credits": 10,
        "model": "",
        "client": "",
        "thresholds": [50, 80, 100],
        "spent": 7,
        "left": 3,
        "percent": 70,
        "ends_at": "2026-09-30 23:59:59",
        "runs_out_at": None,
        "first_day": 1,
        "begins_on": "2026-09-01",
        "pace": 1.35,
    }
    assert items(visitor) == [budget]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("given", "spent", "ends_at"),
    [
        ({"period": "day"}, 4, "2026-09-16 23:59:59"),
        ({"period": "week"}, 6, "2026-09-20 23:59:59"),
        ({"period": "month"}, 7, "2026-09-30 23:59:59"),
        ({"period": "month", "first_day": 31}, 15, "2026-09-29 23:59:59"),
        ({"period": "month", "first_day": 16}, 4, "2026-10-15 23:59:59"),
        ({"period": "month", "model": "glm"}, 5, "2026-09-30 23:59:59"),
        ({"period": "month", "client": "ide"}, 6, "2026-09-30 23:59:59"),
        ({"period": "month", "model": "glm", "client": "cli"}, 1, "2026-09-30 23:59:59"),
        ({"period": "week", "model": "nobody's"}, 0, "2026-09-20 23:59:59"),
    ],
)
def test_calls_of_the_period_and_of_the_names_count(
    visitor: ApiClient, given: dict[str, object], spent: float, ends_at: str
) -> None:
    budget = made(visitor, **given)
    assert (budget["spent"], budget["ends_at"]) == (spent, ends_at)


@pytest.mark.engine
def test_budgets_of_other_calls_each_have_their_own_sum(visitor: ApiClient) -> None:
    for names in ({}, {}, {"model": "glm", "client": "cli"}):
        made(visitor, period="month", **names)
    assert [budget["spent"] for budget in items(visitor)] == [7, 7, 1]


@pytest.mark.parametrize(
    ("first_day", "day", "first", "last"),
    [
        (1, "2026-02-28", "2026-02-01", "2026-02-28"),
        (31, "2026-02-27", "2026-01-31", "2026-02-27"),
        (31, "2026-02-28", "2026-02-28", "2026-03-30"),
        (30, "2024-02-29", "2024-02-29", "2024-03-29"),
        (15, "2026-01-14", "2025-12-15", "2026-01-14"),
        (15, "2026-12-15", "2026-12-15", "2027-01-14"),
    ],
)
def test_a_month_begins_on_a_day_or_on_the_last_one(first_day: int, day: str, first: str, last: str) -> None:
    budget = Budget(period="month", first_day=first_day)
    assert period_of(budget, date.fromisoformat(day)) == Days(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("first_day", [1, 15, 29, 30, 31])
def test_each_day_is_in_exactly_one_month(first_day: int) -> None:
    budget = Budget(period="month", first_day=first_day)
    for number in range(800):
        day = date(2023, 11, 1) + timedelta(days=number)
        found = period_of(budget, day)
        assert found.first
        assert found.last
        assert found.first <= day <= found.last
        assert period_of(budget, found.last + timedelta(days=1)).first == found.last + timedelta(days=1)


def test_more_than_the_budget_is_spent(visitor: ApiClient) -> None:
    budget = made(visitor, period="week", credits=4.5)
    assert (budget["spent"], budget["left"], budget["percent"]) == (6, -1.5, 133.33)
    # The calls of this morning used it up.
    assert budget["runs_out_at"] == "2026-09-16 10:00:00"


def test_what_is_nearly_used_up_is_not_said_to_be(visitor: ApiClient) -> None:
    assert made(visitor, period="week", credits=6.0001)["percent"] == 99.99


def test_when_the_usual_days_will_use_it_up(visitor: ApiClient, alice: User) -> None:
    days = [date(2026, 9, 15) - timedelta(days=back) for back in range(60)]
    archive(alice, *(call(f"u{day}", ts=f"{day} 15:10:00", credits=2, model="usual") for day in days))
    CoverageDay.objects.bulk_create(CoverageDay(archive_id=alice.pk, day=str(day)) for day in days)
    assert made(visitor, model="usual", credits=41)["runs_out_at"] == "2026-09-21 16:00:00"
    assert made(visitor, model="usual", credits=100)["runs_out_at"] is None


def test_a_budget_is_changed_and_what_is_left_out_stays(visitor: ApiClient) -> None:
    budget = made(visitor, model="glm", thresholds=[100, 90, 90])
    assert budget["thresholds"] == [90, 100]
    response = visitor.post("/api/budgets", {"id": budget["id"], "credits": "20.5"})
    assert response.json()["message"] == "The budget is saved."
    [changed] = items(visitor)
    assert changed == {**budget, "credits": 20.5, "left": 15.5, "percent": 24.39, "pace": changed["pace"]}
    visitor.post("/api/budgets", {"id": budget["id"], "model": "", "period": "week", "thresholds": []})
    [changed] = items(visitor)
    assert (changed["model"], changed["period"], changed["thresholds"]) == ("", "week", [])


def test_a_budget_is_deleted(visitor: ApiClient) -> None:
    budget = made(visitor)
    response = visitor.post(f"/api/budgets/{budget['id']}/delete")
    assert (response.status_code, response.json()) == (200, {"ok": True, "message": "The budget is deleted."})
    assert items(visitor) == []
    assert visitor.post(f"/api/budgets/{budget['id']}/delete").status_code == 404


def test_a_number_that_no_double_holds_is_no_budget(visitor: ApiClient) -> None:
    answer = visitor.post("/api/budgets", '{"period": "month", "credits": 1e999}')
    assert refusal(answer) == "The credits of a budget are a number above 0."


@pytest.mark.thorough_after(15)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"period": "year"}, "The period of a budget is"),
        ({"period": None}, "The period of a budget is"),
        ({"period": ["day"]}, "The period of a budget is"),
        *(({"credits": value}, "The credits of a budget are a number above 0.") for value in NO_CREDITS),
        *(({"thresholds": value}, "Thresholds are a list") for value in NO_THRESHOLDS),
        ({"model": 1}, "'model' of a budget is a name"),
        ({"client": "x" * 201}, "'client' of a budget is a name"),
        *(({"first_day": value}, "The first day of a month") for value in NO_DAYS),
    ],
)
def test_what_is_no_budget_is_refused_with_words(visitor: ApiClient, given: dict[str, object], said: str) -> None:
    response = visitor.post("/api/budgets", {"period": "day", "credits": 5, **given})
    assert said in refusal(response)
    assert [response.json()["field"]] == [*given]
    assert not Budget.objects.exists()
    kept = made(visitor)
    assert said in refusal(visitor.post("/api/budgets", {"id": kept["id"], **given}))
    assert items(visitor) == [kept]


def test_a_name_that_no_store_can_hold_is_stored_as_that_of_a_call_would_be(visitor: ApiClient) -> None:
    assert made(visitor, model="\0glm")["model"] == "\ufffdglm"


def test_a_budget_of_nothing_is_refused(visitor: ApiClient) -> None:
    assert "period" in refusal(visitor.post("/api/budgets", {}))


@pytest.mark.parametrize("budget_id", ["0", "-1", "x", "99999999999999999999"])
def test_an_id_that_is_none_is_404(visitor: ApiClient, budget_id: str) -> None:
    missing = {"ok": False, "message": "There is no such budget."}
    for response in (
        visitor.post(f"/api/budgets/{budget_id}/delete"),
        visitor.post("/api/budgets", {"id": budget_id, "credits": 1}),
    ):
        assert (response.status_code, response.json()) == (404, missing)


def test_another_accounts_budget_is_404_and_stays(visitor: ApiClient, bob: User, api_of: ApiOf) -> None:
    kept, stranger = made(visitor), api_of(bob)
    assert stranger.post("/api/budgets", {"id": kept["id"], "credits": 1}).status_code == 404
    assert stranger.post(f"/api/budgets/{kept['id']}/delete").status_code == 404
    assert items(stranger) == []
    assert items(visitor) == [kept]


def test_an_account_has_at_most_50_budgets(visitor: ApiClient) -> None:
    for _ in range(50):
        made(visitor)
    response = visitor.post("/api/budgets", {"period": "day", "credits": 1})
    assert refusal(response) == "An account can have at most 50 budgets."


@pytest.mark.django_db(transaction=True)
def test_the_last_room_is_given_once(alice: User) -> None:
    for _ in range(stored_budgets.MOST_BUDGETS - 1):
        stored_budgets.create(alice.pk, {"period": "day", "credits": 1})
    made = together(*(lambda: stored_budgets.create(alice.pk, {"period": "day", "credits": 1}) for _ in range(4)))
    assert sorted(type(one).__name__ for one in made) == ["Budget", *["ValidationError"] * 3]


@pytest.mark.engine
def test_the_answer_is_the_same_until_calls_or_budgets_change(visitor: ApiClient, alice: User) -> None:
    budget = made(visitor)
    tag = visitor.get("/api/budgets").headers["ETag"]
    assert visitor.client.get("/api/budgets", headers={"If-None-Match": tag}).status_code == 304
    visitor.post("/api/budgets", {"id": budget["id"], "credits": 99})
    changed = visitor.client.get("/api/budgets", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    archive(alice, call("new", ts="2026-09-16 10:30:00", credits=1))
    tag = changed.headers["ETag"]
    assert visitor.client.get("/api/budgets", headers={"If-None-Match": tag}).json()["items"][0]["spent"] == 8


def test_budgets_go_to_the_heir_of_an_archive_and_with_an_account(alice: User, bob: User) -> None:
    for user, credits in ((alice, 1), (alice, 2), (bob, 3)):
        stored_budgets.create(user.pk, {"period": "day", "credits": credits})
    adoption.finish(alice.pk, bob.pk)
    assert [budget.credits for budget in stored_budgets.budgets_of(bob.pk)] == [1_000_000, 2_000_000, 3_000_000]
    assert stored_budgets.budgets_of(alice.pk) == []
    erase_archive(bob.pk)
    assert not Budget.objects.exists()


def test_an_heir_gets_no_more_budgets_than_an_account_can_have(alice: User, bob: User) -> None:
    for user in (*[alice] * 3, *[bob] * (stored_budgets.MOST_BUDGETS - 2)):
        stored_budgets.create(user.pk, {"period": "day", "credits": 1})
    adoption.finish(alice.pk, bob.pk)
    assert Budget.objects.count() == len(stored_budgets.budgets_of(bob.pk)) == stored_budgets.MOST_BUDGETS


def queries_of(visitor: ApiClient) -> int:
    with CaptureQueriesContext(connection) as asked:
        visitor.get("/api/budgets")
    return len(asked)


@pytest.mark.engine
@pytest.mark.parametrize(("names", "more"), [({}, 7), ({"model": "glm"}, 8), ({"model": "glm", "client": "ide"}, 7)])
def test_budgets_of_the_same_calls_share_their_queries(names: dict[str, str], more: int, visitor: ApiClient) -> None:
    # What is spent, five for the ledger of days, one for hours; those of a model are also in stored months.
    none = queries_of(visitor)
    made(visitor, period="day", credits=50, **names)
    assert queries_of(visitor) == none + more
    for period, credits in (("week", 1), ("month", 9), ("month", 90)):
        made(visitor, period=period, credits=credits, **names)
    assert queries_of(visitor) == none + more
