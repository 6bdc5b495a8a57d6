"""Saved views: /api/views (docs/api.md#saved-views)."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from audit.models import Entry
from tests.concurrency import together
from tests.factories import ApiClient
from usage.models import SavedView
from usage.saved_views import stored_views

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(alice: User, api_of: ApiOf) -> ApiClient:
    return api_of(alice)


def listed(visitor: ApiClient) -> list[tuple[str, str]]:
    return [(view["name"], view["query"]) for view in visitor.get("/api/views").json()["items"]]


def refusal(response: Any) -> str:
    body = response.json()
    assert (response.status_code, body["ok"], body["error"]) == (400, False, "bad_request")
    return str(body["message"])


def test_a_view_is_listed_by_its_name(visitor: ApiClient) -> None:
    assert listed(visitor) == []
    visitor.post("/api/views", {"name": "zebra", "query": "free=1"})
    response = visitor.post("/api/views", {"name": "  Apples \n and pears ", "query": "?model=glm&model=kimi"})
    view = SavedView.objects.get(name="Apples and pears")
    assert (response.status_code, response.json()) == (
        200,
        {
            "ok": True,
            "message": "The view “Apples and pears” is saved.",
            "view": {"id": view.pk, "name": "Apples and pears", "query": "model=glm&model=kimi"},
        },
    )
    assert listed(visitor) == [("Apples and pears", "model=glm&model=kimi"), ("zebra", "free=1")]


def test_a_view_without_filters_is_one_too(visitor: ApiClient) -> None:
    visitor.post("/api/views", {"name": "all"})
    assert listed(visitor) == [("all", "")]


def test_any_text_that_is_searched_can_be_saved(visitor: ApiClient) -> None:
    query = "q=%E4%B8%AD%26%3D%23+%3C%2Fscript%3E&order=credits_desc"
    visitor.post("/api/views", {"name": "中文", "query": query})
    assert listed(visitor) == [("中文", query)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "A view needs a name of at most 60 characters."),
        (" \t ", "A view needs a name of at most 60 characters."),
        ("x" * 61, "A view needs a name of at most 60 characters."),
        ("a\0b", "The name of a view cannot have control characters."),
        ("a\u202eb", "The name of a view cannot have control characters."),
    ],
)
def test_a_name_that_is_none_is_refused(visitor: ApiClient, name: str, message: str) -> None:
    assert refusal(visitor.post("/api/views", {"name": name})) == message
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("user_id=1", "A view cannot hold 'user_id'."),
        ("free=1&page=2&record=r1", "A view cannot hold 'page'."),
        ("q=" + "x" * 10_000, "The filters of a view are too long."),
        ("q=%ff", "The filters of a view are the parameters of an address."),
        ("&".join(["model=a"] * 1001), "The filters of a view are the parameters of an address."),
    ],
)
def test_filters_that_the_records_page_does_not_have_are_refused(visitor: ApiClient, query: str, message: str) -> None:
    assert refusal(visitor.post("/api/views", {"name": "mine", "query": query})) == message
    assert not SavedView.objects.exists()


def test_a_name_is_given_once_in_an_account(visitor: ApiClient, bob: User, api_of: ApiOf) -> None:
    visitor.post("/api/views", {"name": "mine", "query": "free=1"})
    assert refusal(visitor.post("/api/views", {"name": " mine "})) == "There is a view “mine” already."
    assert api_of(bob).post("/api/views", {"name": "mine"}).status_code == 200
    assert listed(visitor) == [("mine", "free=1")]


def test_an_account_has_at_most_50_views(visitor: ApiClient) -> None:
    for number in range(50):
        assert visitor.post("/api/views", {"name": f"view {number}"}).status_code == 200
    assert refusal(visitor.post("/api/views", {"name": "one more"})) == "An account can have at most 50 views."


@pytest.mark.django_db(transaction=True)
def test_of_two_views_of_one_name_at_once_one_is_stored(alice: User) -> None:
    outcomes = together(*(lambda: stored_views.create(alice.pk, "mine", "") for _ in range(4)))
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["SavedView", *["ValidationError"] * 3]


@pytest.mark.engine
def test_a_view_gets_another_name_or_other_filters(visitor: ApiClient, alice: User) -> None:
    view = stored_views.create(alice.pk, "mine", "free=1")
    stored_views.create(alice.pk, "other", "")
    assert visitor.post(f"/api/views/{view.pk}", {"query": "free=0"}).json()["view"]["query"] == "free=0"
    assert visitor.post(f"/api/views/{view.pk}", {"name": "yours"}).json()["view"]["name"] == "yours"
    assert visitor.post(f"/api/views/{view.pk}", {"name": "yours"}).status_code == 200
    assert refusal(visitor.post(f"/api/views/{view.pk}", {"name": "other"})) == "There is a view “other” already."
    assert refusal(visitor.post(f"/api/views/{view.pk}", {})) == "There is nothing to change."
    assert listed(visitor) == [("other", ""), ("yours", "free=0")]


@pytest.mark.engine
def test_a_view_is_deleted(visitor: ApiClient, alice: User) -> None:
    view = stored_views.create(alice.pk, "mine", "")
    response = visitor.post(f"/api/views/{view.pk}/delete")
    assert (response.status_code, response.json()) == (200, {"ok": True, "message": "The view “mine” is deleted."})
    assert visitor.post(f"/api/views/{view.pk}/delete").status_code == 404
    assert listed(visitor) == []


@pytest.mark.parametrize("view_id", ["0", "-1", "x", "99999999999999999999"])
@pytest.mark.parametrize("way", ["", "/delete"])
def test_an_id_that_is_none_is_404(visitor: ApiClient, view_id: str, way: str) -> None:
    response = visitor.post(f"/api/views/{view_id}{way}", {"name": "x"})
    assert (response.status_code, response.json()) == (404, {"ok": False, "message": "There is no such view."})


def test_views_are_not_audited(visitor: ApiClient) -> None:
    visitor.post("/api/views", {"name": "mine"})
    assert not Entry.objects.exists()


def test_the_list_costs_one_query_however_many_there_are(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        stored_views.create(alice.pk, f"view {number}", "")
    with django_assert_num_queries(1):
        assert len(stored_views.views_of(alice.pk)) == 20


@pytest.mark.parametrize("name", [["q"], {"a": 1}, 5, True])
def test_what_is_no_text_is_no_name(visitor: ApiClient, name: object) -> None:
    assert refusal(visitor.post("/api/views", {"name": name})) == "Name and query of a view are texts."


@pytest.mark.parametrize("query", ["garbage", "free=1&garbage", ["free=1"], {"free": "1"}, 5])
def test_what_is_no_query_is_no_view_of_everything(visitor: ApiClient, query: object) -> None:
    refusal(visitor.post("/api/views", {"name": "one", "query": query}))
    assert listed(visitor) == []
