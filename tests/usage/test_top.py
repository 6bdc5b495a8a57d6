"""GET /api/top: the most expensive calls (docs/api.md#top)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage.filters import RecordFilters
from usage.reads.short_key_form import top

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., list[str]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(alice: User, api_of: ApiOf) -> Ask:
    """The ids in the answer for alice."""

    def ids(**params: object) -> list[str]:
        response = api_of(alice).get("/api/top", **params)
        assert response.status_code == 200
        return [record["id"] for record in response.json()]

    return ids


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        call("cheap", credits=0.5, model="glm", ts="2026-09-01 10:00:00"),
        call("dear", credits=9, model="kimi", client="cli", ts="2026-09-02 10:00:00"),
        call("b", credits=3, ts="2026-09-03 10:00:00"),
        call("a", credits=3, ts="2026-09-03 10:00:00"),
        call("earlier", credits=3, ts="2026-09-02 23:00:00", client="cli"),
        call("free", credits=0, ts="2026-09-04 10:00:00"),
    )
    return alice


def test_an_empty_archive_is_an_empty_list(ask: Ask) -> None:
    assert ask() == []


def test_the_answer_is_a_bare_list_of_the_short_form(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a", credits=0.3, prompt="Why?" * 100))
    assert api_of(alice).get("/api/top").json() == [
        {"id": "a", "c": 0.3, "m": "glm", "cl": "ide", "t": "2026-09-07 12:30:00", "px": "Why?" * 30}
    ]


@pytest.mark.usefixtures("archived")
def test_the_dearest_come_first_and_ties_newest_first(ask: Ask) -> None:
    assert ask() == ["dear", "b", "a", "earlier", "cheap", "free"]


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("params", "ids"),
    [
        ({"from": "2026-09-03"}, ["b", "a", "free"]),
        ({"from": "2026-09-02", "to": "2026-09-01"}, ["dear", "earlier", "cheap"]),
        ({"model": "kimi"}, ["dear"]),
        ({"client": "cli"}, ["dear", "earlier"]),
        ({"client": "cli", "model": "glm"}, ["earlier"]),
        ({"client": "cli", "n": 1}, ["dear"]),
        ({"q": "no parameter here"}, ["dear", "b", "a", "earlier", "cheap", "free"]),
    ],
)
def test_filters_hold(ask: Ask, params: dict[str, object], ids: list[str]) -> None:
    assert ask(**params) == ids


@pytest.mark.parametrize(
    ("n", "length"),
    [("", 50), ("2", 2), ("0", 1), ("-5", 1), ("1000", 1000), ("1001", 1000), ("many", 50), ("1.5", 50)],
)
def test_n_is_clamped_and_50_where_it_is_no_number(alice: User, ask: Ask, n: str, length: int) -> None:
    archive(alice, *(call(f"r{number}", credits=number) for number in range(1001)))
    found = ask(n=n)
    assert (len(found), found[0]) == (length, "r1000")


@pytest.mark.usefixtures("archived")
def test_another_account_has_its_own(bob: User, alice: User, api_of: ApiOf) -> None:
    assert api_of(bob).get("/api/top", user_id=alice.pk).json() == []


def test_anonymous_is_401_and_a_bad_date_400(anonymous: ApiClient, alice: User, api_of: ApiOf) -> None:
    assert anonymous.get("/api/top").status_code == 401
    assert api_of(alice).get("/api/top", **{"from": "soon"}).status_code == 400


# Its cost.


def test_the_dearest_without_a_model_or_client(alice: User, ask: Ask) -> None:
    """The short form of calls whose `m` or `cl` is empty."""
    archive(alice, call("a", credits=1, client=""), call("b", credits=2, client="", model=""), call("c", credits=3))
    assert ask(no_client=1) == ["b", "a"]
    assert ask(no_model=1) == ["b"]


def test_the_dearest_of_a_purpose(alice: User, ask: Ask) -> None:
    archive(alice, call("a", credits=1, agent_purpose="chat"), call("b", credits=2), call("c", agent_purpose="chat"))
    assert ask(purpose="chat") == ["c", "a"]
    assert ask(no_purpose=1) == ["b"]


@pytest.mark.parametrize("n", [1, 5, 1000])
def test_three_queries_without_a_filter_whatever_n(
    archived: User, n: int, django_assert_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_num_queries(3):
        top(archived.pk, RecordFilters(), n)


@pytest.mark.sqlite_only
def test_it_walks_the_order_of_credits_and_looks_up_what_it_returns(archived: User) -> None:
    _, ids, rows = plans_of(lambda: top(archived.pk, RecordFilters(), 3))
    assert "SEARCH usage_record USING COVERING INDEX record_by_credits (user_id=?)" in ids
    assert "SEARCH usage_record USING INTEGER PRIMARY KEY" in rows
    assert not [plan for plan in (ids, rows) if "TEMP" in plan or "SCAN" in plan]
