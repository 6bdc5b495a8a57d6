"""GET /api/dims: sums by model, client, hour and purpose (docs/api.md#dims)."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage.filters import RecordFilters
from usage.reads.dimensions import DIMS, dims

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, list[dict[str, Any]]]]
pytestmark = pytest.mark.django_db
PATH = "/api/dims"
NOTHING = {"credits": 0, "calls": 0, "avg": 0, "free": 0}
WITHOUT_PROMPT = "SEARCH usage_record USING INDEX record_without_prompt (user_id=? AND day=?)"


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        call("a", ts="2026-09-01 00:00:00", credits=1, model="glm", client="ide"),
        call("b", ts="2026-09-02 09:10:00", credits=0, model="glm", client="cli"),
        call("c", ts="2026-09-03 09:59:59", credits=2.000002, model="kimi", client="cli"),
        call("d", ts="2026-09-04 23:00:00", credits=1, model="auto", client="cli"),
    )
    return alice


@pytest.fixture
def of_purposes(alice: User) -> None:
    archive(
        alice,
        call("a", ts="2026-09-01 09:00:00", credits=1, agent_purpose="chat"),
        call("b", ts="2026-09-02 10:00:00", credits=2, agent_purpose="chat", model="kimi"),
        call("c", ts="2026-09-02 11:00:00", credits=4, prompt="why"),
        call("d", ts="2026-09-02 12:00:00", credits=0, agent_purpose="plan"),
    )


def names(items: list[dict[str, Any]]) -> list[str]:
    return [item["name"] for item in items]


def test_an_empty_archive_has_24_hours_of_nothing(ask: Ask) -> None:
    hours = [{"name": f"{hour:02}", **NOTHING} for hour in range(24)]
    assert ask() == {"model": [], "client": [], "hour": hours}


@pytest.mark.usefixtures("archived")
def test_models_and_clients_go_by_credits_downwards_then_name(ask: Ask) -> None:
    answer = ask()
    assert answer["model"] == [
        {"name": "kimi", "credits": 2.000002, "calls": 1, "avg": 2.000002, "free": 0},
        {"name": "auto", "credits": 1, "calls": 1, "avg": 1, "free": 0},
        {"name": "glm", "credits": 1, "calls": 2, "avg": 0.5, "free": 1},
    ]
    assert answer["client"] == [
        {"name": "cli", "credits": 3.000002, "calls": 3, "avg": 1.000001, "free": 1},
        {"name": "ide", "credits": 1, "calls": 1, "avg": 1, "free": 0},
    ]


@pytest.mark.usefixtures("archived")
def test_hours_are_all_24_in_their_order(ask: Ask) -> None:
    hours = ask()["hour"]
    assert names(hours) == [f"{hour:02}" for hour in range(24)]
    assert hours[9] == {"name": "09", "credits": 2.000002, "calls": 2, "avg": 1.000001, "free": 1}
    assert hours[10] == {"name": "10", **NOTHING}
    assert (hours[0]["calls"], hours[23]["calls"]) == (1, 1)


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize("dim", DIMS)
def test_with_a_dim_the_other_keys_are_absent(ask: Ask, dim: str) -> None:
    assert ask(dim=dim) == {dim: ask()[dim]}


@pytest.mark.usefixtures("of_purposes")
def test_with_the_dim_purpose_the_purposes_are_added_to_all_others(ask: Ask) -> None:
    answer = ask(dim="purpose")
    assert {dim: items for dim, items in answer.items() if dim != "purpose"} == ask()
    assert answer["purpose"] == [
        {"name": "", "credits": 4, "calls": 1, "avg": 4, "free": 0},
        {"name": "chat", "credits": 3, "calls": 2, "avg": 1.5, "free": 0},
        {"name": "plan", "credits": 0, "calls": 1, "avg": 0, "free": 1},
    ]


@pytest.mark.usefixtures("of_purposes")
@pytest.mark.parametrize(
    ("params", "purposes", "models", "calls_by_hour"),
    [
        ({"purpose": "chat"}, ["chat"], ["kimi", "glm"], {"09": 1, "10": 1}),
        ({"no_purpose": "1", "purpose": "chat"}, [""], ["glm"], {"11": 1}),
        ({"purpose": "chat", "model": "glm"}, ["chat"], ["glm"], {"09": 1}),
        ({"model": "glm"}, ["", "chat", "plan"], ["glm"], {"09": 1, "11": 1, "12": 1}),
        ({"purpose": "chat", "from": "2026-09-02"}, ["chat"], ["kimi"], {"10": 1}),
        ({"purpose": "CHAT"}, [], [], {}),
    ],
)
def test_a_purpose_filters_every_dim(
    ask: Ask, params: dict[str, str], purposes: list[str], models: list[str], calls_by_hour: dict[str, int]
) -> None:
    answer = ask(dim="purpose", **params)
    assert (names(answer["purpose"]), names(answer["model"])) == (purposes, models)
    assert {hour["name"]: hour["calls"] for hour in answer["hour"] if hour["calls"]} == calls_by_hour


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize("dim", ["", "day", "MODEL", "model,client", "agent_purpose"])
def test_an_unknown_dim_is_all_of_them(ask: Ask, dim: str) -> None:
    assert list(ask(dim=dim)) == ["model", "client", "hour"]


@pytest.mark.usefixtures("archived")
def test_a_span_holds_both_its_ends(ask: Ask) -> None:
    answer = ask(**{"from": "2026-09-02", "to": "2026-09-03"})
    assert names(answer["model"]) == ["kimi", "glm"]
    assert [hour["name"] for hour in answer["hour"] if hour["calls"]] == ["09"]


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("params", "models", "clients", "calls_by_hour"),
    [
        ({"model": "glm"}, ["glm"], ["ide", "cli"], {"00": 1, "09": 1}),
        ({"client": "cli"}, ["kimi", "auto", "glm"], ["cli"], {"09": 2, "23": 1}),
        ({"model": "glm", "client": "cli"}, ["glm"], ["cli"], {"09": 1}),
        ({"client": "cli", "to": "2026-09-02"}, ["glm"], ["cli"], {"09": 1}),
        ({"model": "none"}, [], [], {}),
    ],
)
def test_under_a_filter_every_dim_is_the_filters_own(
    ask: Ask, params: dict[str, str], models: list[str], clients: list[str], calls_by_hour: dict[str, int]
) -> None:
    answer = ask(**params)
    assert (names(answer["model"]), names(answer["client"])) == (models, clients)
    assert {hour["name"]: hour["calls"] for hour in answer["hour"] if hour["calls"]} == calls_by_hour


def test_hours_of_a_filter_that_all_records_pass_are_those_of_the_rollup(archived: User) -> None:
    archive(archived, *(call(f"x{hour}", ts=f"2026-08-01 {hour:02}:00:00", credits=hour % 3) for hour in range(24)))
    split = [dims(archived.pk, RecordFilters(client=client), "hour").lists["hour"] for client in ("ide", "cli")]
    for hour, *parts in zip(dims(archived.pk, RecordFilters(), "hour").lists["hour"], *split, strict=True):
        assert (hour.calls, hour.free) == (sum(part.calls for part in parts), sum(part.free for part in parts))
        assert hour.credits == pytest.approx(sum(part.credits for part in parts), abs=1e-9)


def test_each_item_without_a_name_is_found_by_its_filter(alice: User, ask: Ask) -> None:
    """The item with the name "" has the calls that `no_model` or `no_client` selects."""
    archive(
        alice,
        call("a", ts="2026-09-01 09:00:00", model="", client="ide", credits=1),
        call("b", ts="2026-09-01 10:00:00", model="glm", client="", credits=2),
        call("c", ts="2026-09-01 11:00:00", model="glm", client="ide", credits=4),
    )
    for dim in ("model", "client"):
        [item] = [item for item in ask()[dim] if not item["name"]]
        answer = ask(**{f"no_{dim}": "1"})
        assert answer[dim] == [item]
        assert sum(hour["calls"] for hour in answer["hour"]) == item["calls"] == 1


def test_averages_have_six_decimals(alice: User, ask: Ask) -> None:
    archive(alice, *(call(str(number), credits=0.1 if number else 0) for number in range(3)))
    assert (ask()["model"][0]["credits"], ask()["model"][0]["avg"]) == (0.2, 0.066667)


@pytest.mark.usefixtures("archived")
def test_another_account_has_its_own(bob: User, alice: User, api_of: ApiOf) -> None:
    assert api_of(bob).get("/api/dims", user_id=alice.pk, dim="model").json() == {"model": []}


def test_a_bad_date_is_400(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get("/api/dims", to="soon").status_code == 400


# Its cost.


@pytest.mark.parametrize(("only", "number"), [("", 3), ("model", 1), ("client", 1), ("hour", 1), ("purpose", 4)])
@pytest.mark.parametrize(
    "filters", [RecordFilters(), RecordFilters(model="glm", client="ide"), RecordFilters(purpose="chat")]
)
def test_it_makes_one_query_for_each_dim(
    archived: User, django_assert_num_queries: DjangoAssertNumQueries, filters: RecordFilters, only: str, number: int
) -> None:
    # One more finds the calls whose purpose is not known.
    number += only == "purpose" and not filters.purpose
    # Except for a model or client the sums of whole months may do: the bounds of the archive say which months.
    with django_assert_num_queries(number if filters.model else number + 1):
        dims(archived.pk, filters, only)


@pytest.mark.sqlite_only
def test_it_reads_the_rollups_and_never_the_records(archived: User) -> None:
    plans = plans_of(lambda: dims(archived.pk, RecordFilters(), "purpose"))
    # Except those without a prompt, on days that have some.
    assert not [plan for plan in plans if "SCAN usage" in plan or "usage_record" in plan.replace(WITHOUT_PROMPT, "")]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("filters", "table"),
    [
        (RecordFilters(), "usage_daypurpose"),
        (RecordFilters(model="glm"), "usage_daypurposegroup"),
        (RecordFilters(purpose="chat"), "usage_daypurpose"),
    ],
)
def test_purposes_come_from_the_coarsest_rollup_that_has_them(
    archived: User, filters: RecordFilters, table: str
) -> None:
    *_, plan = plans_of(lambda: dims(archived.pk, filters, "purpose"))
    assert f"SEARCH {table} USING PRIMARY KEY (user_id=? AND day>? AND day<?)" in plan


@pytest.mark.sqlite_only
def test_hours_of_a_purpose_come_from_their_rollup(archived: User) -> None:
    *_, plan = plans_of(lambda: dims(archived.pk, RecordFilters(purpose="chat"), "hour"))
    assert "SEARCH usage_daypurposehour USING PRIMARY KEY" in plan


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("filters", "key"),
    [
        (RecordFilters(model="glm"), "(user_id=? AND day=? AND model=?)"),
        (RecordFilters(client="ide"), "(user_id=? AND day=? AND model=? AND client=?)"),
        (
            RecordFilters(client="ide", purpose="chat"),
            "(user_id=? AND day=? AND model=? AND client=? AND agent_purpose=?)",
        ),
    ],
)
def test_hours_of_a_filter_come_from_an_index_of_its_records_alone(
    archived: User, filters: RecordFilters, key: str
) -> None:
    # The one grouping of records that needs a temporary B-tree: no index is in the order of the hour.
    *_, plan = plans_of(lambda: dims(archived.pk, filters, "hour"))
    assert f"SEARCH r USING COVERING INDEX record_by_group {key}" in plan
