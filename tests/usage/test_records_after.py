"""GET /api/records with `after`: long walks that stay stable while records come and go (docs/api.md#records)."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.incoming.record import IncomingRecord
from usage.reads import list_parts
from usage.record_lists.cursor import Cursor

Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
FILTERS: list[dict[str, Any]] = [
    {},
    {"from": "2026-09-02", "to": "2026-09-04"},
    {"model": "m1"},
    {"model": ["m0", "m1"], "client": "c1"},
    {"purpose": "p1"},
    {"q": "bread"},
    {"q": "bread", "model": "m1"},
    {"q": "面包"},
    {"free": "1"},
    {"with_prompt": "0"},
    {"hour": "9"},
    {"credits_above": "2"},
    {"q": "nowhere"},
]


def of(number: int) -> IncomingRecord:
    """One of many calls, several of which have the same time."""
    dice = random.Random(number)  # noqa: S311 - an archive that is the same each time
    return call(
        f"r{number:03}",
        ts=f"2026-09-{1 + dice.randrange(5):02} {dice.choice((9, 10)):02}:0{dice.randrange(3)}:00",
        credits=dice.randrange(4),
        model=f"m{dice.randrange(3)}",
        client=f"c{dice.randrange(2)}",
        agent_purpose=f"p{dice.randrange(2)}",
        prompt=dice.choice(("white bread", "烤面包", "cake", "")),
    )


@pytest.fixture
def ask(alice: User, api_of: Callable[[User], ApiClient]) -> Ask:
    """What alice is answered under some parameters."""

    def answer(status: int = 200, **params: Any) -> dict[str, Any]:
        response = api_of(alice).get("/api/records", **params)
        assert response.status_code == status
        body: dict[str, Any] = response.json()
        return body

    return answer


@pytest.fixture
def archived(alice: User, bob: User) -> User:
    archive(alice, *map(of, range(150)))
    archive(bob, *map(of, range(40)))
    return alice


def names(answer: dict[str, Any]) -> list[str]:
    return [item["request_id"] for item in answer["items"]]


def walked(ask: Ask, **params: Any) -> list[str]:
    """The ids of all answers, each after the one before."""
    found, answer = [], ask(**params)
    while True:
        found += names(answer)
        if answer["next"] is None:
            return found
        answer = ask(after=answer["next"], **params)
        assert answer["items"], "an empty answer after one that said that more follow"


@pytest.mark.thorough_after(26)
@pytest.mark.engine
@pytest.mark.parametrize("order", ["ts_desc", "ts_asc"])
@pytest.mark.parametrize("filters", FILTERS, ids=str)
@pytest.mark.parametrize("size", [7, 500])
def test_a_walk_has_the_whole_list(archived: User, ask: Ask, order: str, filters: dict[str, Any], size: int) -> None:
    whole = names(ask(order=order, size=500, **filters))
    assert walked(ask, order=order, size=size, **filters) == whole
    assert len(whole) == len(set(whole))


@pytest.mark.parametrize("order", ["credits_desc", "credits_asc", "model_asc", "client_asc"])
def test_other_orders_have_no_next(archived: User, ask: Ask, order: str) -> None:
    assert "next" not in ask(order=order, size=5)


def test_totals_are_those_of_the_whole_list(archived: User, ask: Ask) -> None:
    first = ask(size=10, sums=1)
    second = ask(size=10, sums=1, after=first["next"], page=9)
    for field in ("total", "pages", "size", "sums", "window"):
        assert second[field] == first[field]
    assert names(second) == names(ask(size=10, page=2))


def test_the_last_page_has_no_next(archived: User, ask: Ask) -> None:
    assert ask(size=50, page=2)["next"]
    assert ask(size=50, page=3)["next"] is None
    assert ask(size=50, page=4)["next"] is None


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["ts_desc", "ts_asc"])
@pytest.mark.parametrize("filters", [{}, {"model": "m1"}, {"q": "bread"}], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_what_stays_is_walked_once_whatever_comes_and_goes(
    archived: User, ask: Ask, order: str, filters: dict[str, Any], seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311 - repeatable changes
    there = set(names(ask(size=500, **filters)))
    found, answer, number = [], ask(order=order, size=6, **filters), 1000
    moved: set[str] = set()
    while True:
        found += names(answer)
        if answer["next"] is None:
            break
        archive(archived, *map(of, range(number, number + dice.randrange(4))))
        number += 10
        # Records that get another time, sometimes the one before the place.
        for name in {*dice.sample(range(150), 2), *(int(one[1:]) for one in found[-1:] if dice.randrange(2))}:
            archive(archived, replace(of(name), ts=f"2026-09-{1 + dice.randrange(5):02} 11:00:00"))
            moved.add(f"r{name:03}")
        answer = ask(after=answer["next"], size=6, **filters)
    once = [name for name in found if name not in moved]
    assert len(once) == len(set(once))
    assert there - moved <= set(once)


def test_records_that_come_or_go_while_it_reads_move_nothing(archived: User, ask: Ask) -> None:
    whole = names(ask(size=500))
    first = ask(size=20)
    count = Cursor.count_passed

    def disturbed(change: Callable[[], object]) -> list[str]:
        pending = [change]

        def count_and_change(*args: Any) -> int:
            passed = count(*args)
            for once in pending[:]:
                pending.clear()
                once()
            return passed

        with patch.object(Cursor, "count_passed", count_and_change):
            return names(ask(size=20, after=first["next"]))

    following = names(ask(size=20, page=2))
    later = {"ts": "2026-09-05 23:00:00"}
    assert disturbed(lambda: archive(archived, call("new1", **later), call("new2", **later))) == following[:19]
    assert (
        disturbed(lambda: archive(archived, *(call(name, ts="2020-01-01 00:00:00") for name in whole[:3]))) == following
    )


def test_an_archive_that_never_rests_is_503(archived: User, ask: Ask) -> None:
    following = ask(size=20)["next"]
    with patch.object(Cursor, "count_passed", return_value=100), patch.object(list_parts, "_TRIES", 2):
        assert ask(size=20, after=following, status=503)["error"] == "unavailable"


@pytest.mark.parametrize(
    "after",
    [
        *("x", "....", "é", "W10", "WyJ0c19kZXNjIl0", "A" * 5000),
        Cursor("model_asc", "2026-09-01 09:00:00", "r").as_text(),
        Cursor("ts_desc", "never", "r").as_text(),
        Cursor("ts_desc", "2026-09-01", "r").as_text(),
        Cursor("ts_asc", "2026-09-01T09:00:00", "r").as_text(),
        Cursor("ts_desc", "2026-09-01 09:00:00\ud800", "r").as_text(),
        Cursor("ts_desc", "2026-09-01 09:00:00", "\ud800").as_text(),
        Cursor("ts_asc", "2026-09-01 09:00:00", "a\0").as_text(),
    ],
)
def test_what_is_no_place_is_refused(archived: User, ask: Ask, after: str) -> None:
    assert ask(after=after, status=400)["error"] == "bad_request"


@pytest.mark.engine
def test_a_place_of_another_order_is_refused(archived: User, ask: Ask) -> None:
    following = ask(size=5, order="ts_asc")["next"]
    assert ask(after=following, order="ts_desc", status=400)["error"] == "bad_request"
    assert ask(after=following, order="credits_asc", status=400)["error"] == "bad_request"
    assert names(ask(after=following, size=5)) == names(ask(order="ts_asc", size=5, page=2))


@pytest.mark.parametrize("name", ["a/b?c&d=e", "编号", "r\ufffd", "%00", "r" * 100])
def test_any_id_is_a_place(alice: User, ask: Ask, name: str) -> None:
    archive(alice, call(name), call("\u0001 before"))
    following = ask(size=1, order="ts_desc")["next"]
    assert following.replace("-", "").replace("_", "").isalnum()
    assert len(ask(size=1, after=following)["items"]) == 1


def test_a_place_outside_the_days_begins_or_ends_the_list(archived: User, ask: Ask) -> None:
    place = Cursor("ts_desc", "2026-09-03 09:00:00", "r").as_text()
    later, earlier = {"from": "2026-09-04"}, {"to": "2026-09-02"}
    assert (ask(after=place, **later)["items"], ask(after=place, **later)["next"]) == ([], None)
    assert names(ask(after=place, size=500, **earlier)) == names(ask(size=500, **earlier))
