"""Calls whose purpose is not known: neither their prompt nor their purpose is in the archive."""

import random
from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage.filters import RecordFilters
from usage.reads import unknown_purposes
from usage.reads.dimensions import MOST_NAMES, dims
from usage.sum_types import DimItem

PATH = "/api/dims"
Ask = Callable[..., dict[str, Any]]
ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
BARE, MIXED, FULL = "2026-09-01", "2026-09-02", "2026-09-03"
UNKNOWN = {"name": None, "credits": 5, "calls": 3, "avg": 1.666667, "free": 1}


@pytest.fixture
def archived(alice: User) -> User:
    """A day without any prompt, one with some, and one with all."""
    archive(
        alice,
        call("a", ts=f"{BARE} 09:00:00", credits=1),
        call("b", ts=f"{BARE} 10:00:00", credits=2, agent_purpose="chat"),
        call("c", ts=f"{MIXED} 09:00:00", credits=0),
        call("d", ts=f"{MIXED} 10:00:00", credits=4, model="kimi"),
        call("e", ts=f"{MIXED} 11:00:00", credits=8, agent_purpose="chat"),
        call("f", ts=f"{MIXED} 12:00:00", credits=16, prompt="why"),
        call("g", ts=f"{FULL} 09:00:00", credits=32, prompt="why", agent_purpose="plan"),
        call("h", ts=f"{FULL} 10:00:00", credits=64, prompt="why"),
    )
    return alice


def purposes(ask: Ask, **params: str) -> dict[str | None, tuple[float, int]]:
    return {item["name"]: (item["credits"], item["calls"]) for item in ask(dim="purpose", **params)["purpose"]}


@pytest.mark.usefixtures("archived")
def test_they_are_the_last_item_and_no_longer_without_a_purpose(ask: Ask) -> None:
    items = ask(dim="purpose")["purpose"]
    assert [item["name"] for item in items] == ["", "plan", "chat", None]
    assert items[-1] == UNKNOWN
    assert items[0] == {"name": "", "credits": 80, "calls": 2, "avg": 40, "free": 0}


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"to": BARE}, {"chat": (2, 1), None: (1, 1)}),
        ({"from": MIXED, "to": MIXED}, {"": (16, 1), "chat": (8, 1), None: (4, 2)}),
        ({"from": FULL}, {"": (64, 1), "plan": (32, 1)}),
        ({"model": "kimi"}, {None: (4, 1)}),
        ({"client": "ide", "model": "glm", "from": MIXED, "to": MIXED}, {"": (16, 1), "chat": (8, 1), None: (0, 1)}),
        ({"client": "cli"}, {}),
        ({"purpose": "chat"}, {"chat": (10, 2)}),
        ({"no_purpose": "1"}, {"": (80, 2), None: (5, 3)}),
        ({"no_purpose": "1", "model": "kimi"}, {None: (4, 1)}),
    ],
)
def test_filters_and_days_narrow_them(
    ask: Ask, params: dict[str, str], expected: dict[str | None, tuple[float, int]]
) -> None:
    assert purposes(ask, **params) == expected


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(("name", "with_prompt"), [("", 1), (None, 0)])
def test_the_list_that_a_row_leads_to_has_the_calls_that_it_counts(
    ask: Ask, api_of: ApiOf, alice: User, name: str | None, with_prompt: int
) -> None:
    listed = api_of(alice).get("/api/records", no_purpose=1, with_prompt=with_prompt, sums=1).json()
    assert (listed["sums"]["credits"], listed["total"]) == purposes(ask)[name]


@pytest.mark.usefixtures("archived")
def test_other_dims_have_no_such_item(ask: Ask) -> None:
    answer = ask(dim="purpose")
    assert not [item for dim in ("model", "client", "hour") for item in answer[dim] if item["name"] is None]


def test_a_prompt_that_comes_late_makes_the_purpose_known(archived: User, ask: Ask) -> None:
    archive(archived, call("c", ts=f"{MIXED} 09:00:00", credits=0, prompt="late", agent_purpose="chat"))
    assert purposes(ask)[None] == (5, 2)
    archive(archived, call("a", ts=f"{BARE} 09:00:00", credits=1, prompt="late"))
    assert (purposes(ask)[None], purposes(ask)[""]) == ((4, 1), (81, 3))


def test_those_of_another_account_do_not_count(archived: User, bob: User) -> None:
    archive(bob, call("a", ts=f"{BARE} 09:00:00", credits=1, prompt="why"))
    found = dims(bob.pk, RecordFilters(), "purpose")
    assert (found.lists["purpose"], found.unknown) == ([DimItem("", 1, 1, 1, 0)], None)


@pytest.mark.engine
@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize("last", [BARE, MIXED])
def test_the_last_day_of_an_earlier_span_may_end_early(archived: User, last: str) -> None:
    filters = RecordFilters(Days(date.fromisoformat(BARE), date.fromisoformat(last)))
    found = {
        until: unknown_purposes.total(archived.pk, filters, until)[1]
        for until in ("08:59", "09:00", "10:00", "23:59", "")
    }
    before = 0 if last == BARE else 1
    after = {BARE: 1, MIXED: 2}[last]
    assert found == {
        "08:59": before, "09:00": before + 1, "10:00": before + after, "23:59": before + after, "": before + after,
    }  # fmt: skip


@pytest.mark.engine
@pytest.mark.usefixtures("archived")
def test_a_comparison_and_a_trend_leave_them_out(ask: Ask) -> None:
    answer = ask(dim="purpose", trend="1", compare=f"{BARE}..{MIXED}", **{"from": MIXED, "to": FULL})
    items = answer["comparison"]["items"]["purpose"]
    assert {name: item["credits"] for name, item in items.items()} == {"chat": 10, "": 16}
    assert answer["trend"]["purpose"] == {"": [16, 64], "plan": [0, 32], "chat": [8, 0]}


@pytest.mark.usefixtures("archived")
def test_a_purpose_of_that_name_is_another(alice: User, ask: Ask) -> None:
    archive(alice, call("n", ts=f"{FULL} 11:00:00", credits=3, prompt="why", agent_purpose="null"))
    assert (purposes(ask)["null"], purposes(ask)[None]) == ((3, 1), (5, 3))


@pytest.mark.parametrize("credits", [100, 0.5])
def test_they_are_beside_a_thousand_names_and_the_others(alice: User, ask: Ask, credits: float) -> None:
    named = [
        call(f"p{n}", ts=f"{FULL} 10:00:00", credits=1, prompt="why", agent_purpose=f"n{n}") for n in range(MOST_NAMES)
    ]
    archive(alice, *named, call("u", ts=f"{BARE} 10:00:00", credits=credits))
    answer = ask(dim="purpose")
    assert (len(answer["purpose"]), answer["purpose"][-1]["name"], answer["purpose"][-1]["credits"]) == (
        MOST_NAMES + 1, None, credits,
    )  # fmt: skip
    assert "others" not in answer
    archive(alice, call("w", ts=f"{FULL} 11:00:00", credits=2, prompt="why"))
    answer = ask(dim="purpose")
    assert answer["purpose"][0]["credits"] == 2
    assert answer["others"]["purpose"] == {"names": 1, "credits": 1, "calls": 1, "avg": 1, "free": 0}


@pytest.mark.parametrize("seed", range(5))
def test_they_are_what_a_look_at_each_record_finds(alice: User, seed: int) -> None:
    dice = random.Random(seed)
    first = date(2026, 8, 1)
    calls = []
    for day in range(12):
        prompted = dice.choice([0, 0.5, 1])
        for n in range(6):
            calls.append(
                call(
                    f"{day}-{n}",
                    ts=f"{first + timedelta(days=day)} {dice.randrange(24):02}:30:00",
                    credits=dice.choice([0, 0.25, 3]),
                    model=dice.choice(["a", "b"]),
                    prompt="why" if dice.random() < prompted else "",
                    agent_purpose=dice.choice(["", "", "chat"]),
                )
            )
    archive(alice, *calls)
    expected: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in calls:
        if not one.prompt and not one.agent_purpose and one.model == "a":
            figures = expected[one.ts[:10]]
            figures[0] += one.amount
            figures[1] += 1
            figures[2] += not one.amount
    assert unknown_purposes.by_day(alice.pk, RecordFilters(model="a")) == expected
    both = {model: unknown_purposes.by_day(alice.pk, RecordFilters(model=model)) for model in "ab"}
    every = unknown_purposes.by_day(alice.pk, RecordFilters())
    assert every == {
        day: [sum(found) for found in zip(*(of.get(day, [0, 0, 0]) for of in both.values()), strict=True)]
        for day in every
    }
    assert every.keys() == both["a"].keys() | both["b"].keys()


@pytest.mark.sqlite_only
def test_without_a_filter_the_days_have_them(archived: User) -> None:
    [plan] = plans_of(lambda: unknown_purposes.by_day(archived.pk, RecordFilters()))
    assert plan == "SEARCH usage_daytotal USING PRIMARY KEY (user_id=? AND day>? AND day<?)"


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("filters", "rollup"),
    [
        (RecordFilters(model="glm"), "usage_daypurposegroup"),
        (RecordFilters(Days(date(2026, 9, 1), date(2026, 9, 2)), client="ide"), "usage_daypurposegroup"),
    ],
)
def test_indexes_find_them(archived: User, filters: RecordFilters, rollup: str) -> None:
    [plan] = plans_of(lambda: unknown_purposes.by_day(archived.pk, filters))
    assert f"SEARCH {rollup} USING PRIMARY KEY (user_id=? AND day>? AND day<?)" in plan
    assert "SEARCH usage_record USING INDEX record_without_prompt (user_id=? AND day=? AND agent_purpose=?)" in plan
    assert "SCAN usage" not in plan
