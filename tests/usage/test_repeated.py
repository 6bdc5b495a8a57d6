"""GET /api/repeated: groups of calls with the same or nearly the same prompt (docs/api.md#repeated)."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, on, plans_of
from usage.adoption import move_records
from usage.erasure import erase_archive
from usage.filters import RecordFilters
from usage.models import Record
from usage.repeated.api_types import LEAST_CALLS, MOST_MODELS, RepeatedPrompt
from usage.repeated.groups import repeated
from usage.rollups.recompute import recount

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(alice: User, api_of: ApiOf) -> Ask:
    """The answer for alice."""

    def answer(**params: object) -> dict[str, Any]:
        response = api_of(alice).get("/api/repeated", **params)
        assert response.status_code == 200
        return dict(response.json())

    return answer


@pytest.fixture
def groups(ask: Ask) -> Callable[..., list[tuple[str, int, float]]]:
    """Prompt, calls and credits of each group in the answer for alice."""
    return lambda **params: [(item["prompt"], item["calls"], item["credits"]) for item in ask(**params)["items"]]


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        on("2026-09-01", "a", prompt="Continue", credits=1, model="kimi"),
        on("2026-09-02", "b", prompt="continue.", credits=2, client="cli"),
        on("2026-09-03", "c", prompt="CONTINUE!", credits=0.5, agent_purpose="chat"),
        on("2026-09-01", "d", prompt="Fix issue #12", credits=4, agent_purpose="chat"),
        on("2026-09-03", "e", prompt="fix  issue #7", credits=0.3, agent_purpose="chat"),
        on("2026-09-03", "f", prompt="Once only", credits=100),
        on("2026-09-03", "g", prompt="", credits=100),
        on("2026-09-03", "h", prompt="", credits=100),
    )
    return alice


@pytest.mark.usefixtures("archived")
def test_groups_of_at_least_two_calls_the_dearest_first(ask: Ask) -> None:
    assert ask() == {
        "items": [
            {
                "prompt": "Fix issue #12",
                "calls": 2,
                "credits": 4.3,
                "models": [{"model": "glm", "calls": 2, "credits": 4.3}],
                "cheapest": None,
            },
            {
                "prompt": "continue.",
                "calls": 3,
                "credits": 3.5,
                "models": [
                    {"model": "glm", "calls": 2, "credits": 2.5},
                    {"model": "kimi", "calls": 1, "credits": 1.0},
                ],
                "cheapest": None,
            },
        ],
        "window": {"from": "2026-09-01", "to": "2026-09-03", "days": 3},
    }


def test_an_empty_archive_has_no_groups(ask: Ask) -> None:
    assert ask() == {"items": [], "window": {"from": None, "to": None, "days": None}}


@pytest.mark.engine
@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"from": "2026-09-02"}, [("continue.", 2, 2.5)]),
        ({"to": "2026-09-02"}, [("continue.", 2, 3.0)]),
        ({"from": "2026-09-03", "to": "2026-09-01", "n": 1}, [("Fix issue #12", 2, 4.3)]),
        ({"model": "glm"}, [("Fix issue #12", 2, 4.3), ("continue.", 2, 2.5)]),
        ({"model": ["glm", "kimi"], "client": "ide"}, [("Fix issue #12", 2, 4.3), ("Continue", 2, 1.5)]),
        ({"client": "cli"}, []),
        ({"purpose": "chat"}, [("Fix issue #12", 2, 4.3)]),
        ({"no_purpose": 1}, [("continue.", 2, 3.0)]),
        ({"no_model": 1}, []),
    ],
)
def test_filters_choose_the_calls_of_the_groups(
    groups: Callable[..., Any], params: dict[str, object], found: list[tuple[str, int, float]]
) -> None:
    assert groups(**params) == found


def test_the_cheapest_model_has_the_lowest_average_of_a_few_calls(alice: User, ask: Ask) -> None:
    archive(
        alice,
        *(call(f"dear{number}", prompt="go", credits=3, model="dear") for number in range(4)),
        *(
            call(f"fair{number}", prompt="go", credits=credits, model="fair")
            for number, credits in enumerate((1, 1, 2))
        ),
        *(call(f"free{number}", prompt="go", credits=0, model="tried twice") for number in range(2)),
    )
    [item] = ask()["items"]
    # Nine calls at the third of four credits.
    assert (item["credits"], item["cheapest"]) == (16.0, {"model": "fair", "credits": 12.0})


def test_amounts_are_exact_to_the_last_digit(alice: User, ask: Ask) -> None:
    thirds = [("x", 0.1), ("x", 0.1), ("x", 0.1 + 1e-6), ("y", 900_000), ("y", 900_000), ("y", 900_000)]
    archive(
        alice,
        *(
            call(f"{number}", prompt="go", credits=credits, model=model)
            for number, (model, credits) in enumerate(thirds)
        ),
    )
    [item] = ask()["items"]
    assert (item["credits"], item["cheapest"]) == (2_700_000.300001, {"model": "x", "credits": 0.600002})


@pytest.mark.parametrize(("calls", "name"), [(LEAST_CALLS - 1, None), (LEAST_CALLS, "0")])
def test_a_model_is_compared_from_as_many_calls_on_as_the_description_says(
    calls: int, name: str | None, alice: User, ask: Ask
) -> None:
    archive(alice, *(call(f"{number}", prompt="go", model=f"{number % 2}") for number in range(2 * calls)))
    cheapest = ask()["items"][0]["cheapest"]
    assert (cheapest and cheapest["model"]) == name
    [_, components] = msgspec.json.schema_components([RepeatedPrompt])
    said = components["RepeatedPrompt"]["properties"]["cheapest"]["description"]
    assert f"without models of fewer than {LEAST_CALLS} calls" in said


def test_of_many_models_the_dearest_are_listed_and_the_cheapest_is_found(alice: User, ask: Ask) -> None:
    names = [f"m{number:02}" for number in range(MOST_MODELS + 5)]
    calls = [(name, place + 1, again) for place, name in enumerate(names) for again in range(3)]
    archive(alice, *(call(f"{name}/{n}", prompt="go", model=name, credits=spent) for name, spent, n in calls))
    [item] = ask()["items"]
    assert [one["model"] for one in item["models"]] == names[: -MOST_MODELS - 1 : -1]
    assert item["cheapest"] == {"model": "m00", "credits": 75.0}


def test_the_prompt_is_cut_as_in_other_lists(alice: User, groups: Callable[..., Any]) -> None:
    archive(alice, call("a", prompt="Why? " * 100), call("b", prompt="Why? " * 100))
    assert groups() == [(("Why? " * 100)[:120], 2, 3.0)]


@pytest.mark.parametrize(("n", "length"), [("", 50), ("2", 2), ("0", 1), ("many", 50), ("1001", 60)])
def test_n_is_clamped(alice: User, groups: Callable[..., Any], n: str, length: int) -> None:
    names = [f"{'abcdefghij'[number % 10]} {'klmnop'[number // 10]}" for number in range(60)]
    archive(alice, *(call(f"{name}/{again}", prompt=name) for name in names for again in range(2)))
    assert len(groups(n=n)) == length


def test_another_account_has_its_own(archived: User, bob: User, api_of: ApiOf) -> None:
    archive(bob, call("x", prompt="Continue"))
    assert api_of(bob).get("/api/repeated", user_id=archived.pk).json()["items"] == []


def test_anonymous_is_401_and_a_bad_date_400(anonymous: ApiClient, alice: User, api_of: ApiOf) -> None:
    assert anonymous.get("/api/repeated").status_code == 401
    assert api_of(alice).get("/api/repeated", **{"from": "soon"}).status_code == 400


# Changes of the records.


def test_a_prompt_that_comes_late_or_changes_moves_to_its_group(alice: User, groups: Callable[..., Any]) -> None:
    archive(alice, call("a", prompt="go on"), call("b"), call("c", prompt="go", prompt_truncated=True))
    assert groups() == []
    archive(alice, call("b", prompt="Go on."), call("c", prompt="go on!"))
    assert groups() == [("go on!", 3, 4.5)]


def test_other_values_of_a_call_keep_its_group(alice: User, groups: Callable[..., Any]) -> None:
    archive(alice, call("a", prompt="go on"), call("b", prompt="go on"))
    archive(alice, call("b", credits=7))
    assert groups() == [("go on", 2, 8.5)]


def test_no_prompt_is_stored_where_none_is_kept(alice: User, groups: Callable[..., Any]) -> None:
    archive(alice, call("a", prompt="go on"), call("b", prompt="go on"), max_prompt=0)
    assert groups() == []
    assert set(Record.objects.values_list("prompt_key", flat=True)) == {0}


def test_an_erased_archive_has_no_groups(archived: User, bob: User, ask: Ask, api_of: ApiOf) -> None:
    archive(bob, call("x", prompt="Continue"), call("y", prompt="Continue"))
    assert erase_archive(archived.pk)
    assert ask()["items"] == []
    assert [item["calls"] for item in api_of(bob).get("/api/repeated").json()["items"]] == [2]


@pytest.mark.django_db(transaction=True)
def test_an_adopted_archive_joins_the_groups_of_its_heir(archived: User, bob: User, api_of: ApiOf) -> None:
    archive(
        bob, on("2026-09-09", "x", prompt="Continue", credits=9), on("2026-09-01", "a", prompt="Continue", credits=1)
    )
    move_records(archived.pk, bob.pk, lambda moved: None)
    found = api_of(bob).get("/api/repeated").json()["items"]
    assert [(item["prompt"], item["calls"], item["credits"]) for item in found] == [
        ("Continue", 4, 12.5),
        ("Fix issue #12", 2, 4.3),
    ]


def test_a_recount_changes_no_group(archived: User, ask: Ask) -> None:
    before = ask()
    assert recount(archived.pk).repaired == 0
    assert ask() == before


# Its cost.


@pytest.mark.parametrize("n", [1, 1000])
def test_three_queries_whatever_n(archived: User, n: int, django_assert_num_queries: Callable[[int], Any]) -> None:
    with django_assert_num_queries(3):
        repeated(archived.pk, RecordFilters(), n)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("filters", [RecordFilters(), RecordFilters(client="ide", purpose="chat")])
def test_it_walks_one_index_and_looks_up_what_it_returns(archived: User, filters: RecordFilters) -> None:
    _, grouped, excerpts = plans_of(lambda: repeated(archived.pk, filters, 3))
    assert "SEARCH r USING COVERING INDEX record_by_prompt_key (user_id=? AND prompt_key>?)" in grouped
    assert (
        "SEARCH r USING COVERING INDEX record_by_prompt_key (user_id=? AND prompt_key=? AND day>? AND day<?)" in grouped
    )
    assert (
        "SEARCH r USING COVERING INDEX record_by_prompt_key (user_id=? AND prompt_key=? AND day>? AND day<?)"
        in excerpts
    )
    assert "SCAN r " not in grouped + excerpts
