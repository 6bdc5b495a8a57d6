"""The filter of lists by hour: the calls of exactly that hour, their sums, and their export (docs/api.md#filters)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from audit.models import Entry
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.filters import ORDERS

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
DAY = {"from": "2026-09-02", "to": "2026-09-02"}


@pytest.fixture
def visitor(alice: User, bob: User, api_of: ApiOf) -> ApiClient:
    """Calls at both ends of the hours around nine, and at nine on the days around; the other account has the same."""
    for owner in (alice, bob):
        archive(
            owner,
            call("a", ts="2026-09-01 09:59:59", credits=1),
            call("b", ts="2026-09-02 00:00:00", credits=2, prompt="bread"),
            call("c", ts="2026-09-02 08:59:59", credits=4, prompt="bread"),
            call("d", ts="2026-09-02 09:00:00", credits=8, model="kimi", agent_purpose="chat", prompt="bread"),
            call("e", ts="2026-09-02 09:30:00", credits=0, client="cli", prompt="butter"),
            call("f", ts="2026-09-02 09:59:59", credits=16, prompt="Bread and butter"),
            call("g", ts="2026-09-02 10:00:00", credits=32, prompt="bread"),
            call("h", ts="2026-09-02 23:59:59", credits=64),
            call("i", ts="2026-09-03 09:00:00", credits=128, model="kimi", prompt="bread"),
        )
    return api_of(alice)


def ids(answer: dict[str, Any]) -> str:
    return "".join(item["request_id"] for item in answer["items"])


@pytest.mark.engine
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({**DAY, "hour": "9"}, "fed"),
        ({**DAY, "hour": "09"}, "fed"),
        ({**DAY, "hour": " 9 "}, "fed"),
        ({**DAY, "hour": "0"}, "b"),
        ({**DAY, "hour": "23"}, "h"),
        ({**DAY, "hour": "12"}, ""),
        ({**DAY, "hour": ""}, "hgfedcb"),
        ({"hour": "9"}, "ifeda"),
        ({"hour": "9", "from": "2026-09-02"}, "ifed"),
        ({"hour": "9", "to": "2026-09-02", "order": "ts_asc"}, "adef"),
        ({**DAY, "hour": "9", "model": "kimi"}, "d"),
        ({**DAY, "hour": "9", "model": ["kimi", "glm"], "client": "ide", "order": "credits_asc"}, "df"),
        ({"hour": "9", "model": "kimi", "order": "ts_asc"}, "di"),
        ({"hour": "9", "purpose": "chat"}, "d"),
        ({"hour": "9", "no_purpose": "1"}, "ifea"),
        ({"hour": "9", "free": "1"}, "e"),
        ({"hour": "9", "free": "0"}, "ifda"),
        ({"hour": "9", "with_prompt": "1"}, "ifed"),
        ({"hour": "9", "with_prompt": "0"}, "a"),
        ({"hour": "9", "credits_above": "8"}, "if"),
        ({**DAY, "hour": "9", "credits_above": "8", "with_prompt": "1"}, "f"),
        ({"hour": "9", "order": "model_asc"}, "aefdi"),
        ({**DAY, "hour": "9", "order": "client_asc"}, "edf"),
        ({**DAY, "hour": "9", "q": "bread"}, "fd"),
        ({"hour": "9", "q": "bread"}, "ifd"),
        ({"hour": "9", "q": "bread", "model": "kimi", "order": "credits_asc"}, "di"),
        ({"hour": "10", "q": "butter"}, ""),
    ],
)
def test_a_list_of_an_hour_has_its_calls_and_their_sums(
    visitor: ApiClient, params: dict[str, Any], expected: str
) -> None:
    answer = visitor.get("/api/records", **params, sums=1).json()
    assert (ids(answer), answer["total"]) == (expected, len(expected))
    assert answer["sums"]["credits"] == sum(item["credits"] for item in answer["items"])
    assert answer["sums"]["free"] == expected.count("e")


def test_pages_of_an_hour_follow_each_other_in_every_order(visitor: ApiClient) -> None:
    for order in ORDERS:
        whole = ids(visitor.get("/api/records", hour=9, order=order).json())
        pages = [visitor.get("/api/records", hour=9, order=order, size=2, page=page).json() for page in (1, 2, 3)]
        assert "".join(map(ids, pages)) == whole
        assert {page["pages"] for page in pages} == {3}


def test_lists_of_two_hours_have_two_tags(visitor: ApiClient) -> None:
    tags = {visitor.get("/api/records", hour=hour).headers["ETag"] for hour in (9, 10)}
    assert len(tags) == 2


@pytest.mark.parametrize("order", sorted(ORDERS))
def test_the_export_of_an_hour_has_its_calls(visitor: ApiClient, order: str) -> None:
    lines = b"".join(visitor.get("/records/export", **DAY, hour=9, order=order)).decode().splitlines()[1:]
    listed = ids(visitor.get("/api/records", **DAY, hour=9, order=order).json())
    assert [line.split(",")[0] for line in lines] == [f'"{request_id}"' for request_id in listed]
    assert sorted(listed) == ["d", "e", "f"]


def test_the_export_of_an_hour_is_audited_as_filtered_by_hour(visitor: ApiClient) -> None:
    b"".join(visitor.get("/records/export", hour=9))
    [entry] = Entry.objects.filter(action="export")
    assert entry.detail == "the first day to the last, newest first, by hour"


def test_an_hour_that_is_none_is_refused_by_the_export(visitor: ApiClient) -> None:
    response = visitor.get("/records/export", hour=24)
    assert (response.status_code, response.json()["message"]) == (400, "'hour' is not an hour from 0 to 23.")


def test_a_saved_view_holds_an_hour(visitor: ApiClient) -> None:
    visitor.post("/api/views", {"name": "At nine", "query": "hour=9"})
    assert [view["query"] for view in visitor.get("/api/views").json()["items"]] == ["hour=9"]
