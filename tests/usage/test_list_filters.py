"""Several names at once, the filters of lists, and the sums of a list (docs/api.md#filters, docs/api.md#records)."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage.filters import RecordFilters
from usage.reads import queries

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
READS = ["summary", "daily", "dims", "top", "records"]


@pytest.fixture
def archived(alice: User, bob: User) -> User:
    """Calls of three models and two clients; the other account has the same."""
    for owner in (alice, bob):
        archive(
            owner,
            call("a", ts="2026-09-01 10:00:00", credits=2, model="kimi", client="ide", prompt="first bread"),
            call("b", ts="2026-09-02 10:00:00", credits=0, model="glm", client="cli", prompt="second"),
            call("c", ts="2026-09-03 10:00:00", credits=0.5, model="glm", client="ide"),
            call("d", ts="2026-09-04 10:00:00", credits=4, model="", client="ide", prompt="bread"),
            call("e", ts="2026-09-05 10:00:00", credits=0, model="qwen", client="", agent_purpose="chat"),
        )
    return alice


@pytest.fixture
def ask(archived: User, api_of: ApiOf) -> Ask:
    visitor = api_of(archived)

    def answer(read: str = "records", **params: Any) -> dict[str, Any]:
        response = visitor.get(f"/api/{read}", **params)
        assert response.status_code == 200, response.content
        body: dict[str, Any] = response.json()
        return body

    return answer


def ids(answer: dict[str, Any]) -> str:
    return "".join(item["request_id"] for item in answer["items"])


# Several names.


@pytest.mark.engine
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"model": ["glm", "kimi"]}, "cba"),
        ({"model": ["kimi", "glm", "kimi"]}, "cba"),
        ({"model": ["glm", ""]}, "cb"),
        ({"model": ["", ""]}, "edcba"),
        ({"model": ["glm", "nowhere"]}, "cb"),
        ({"model": ["glm", "kimi"], "client": ["ide", "cli"]}, "cba"),
        ({"model": ["glm", "kimi"], "client": "ide"}, "ca"),
        ({"model": ["glm", "kimi"], "no_model": "1"}, "d"),
        ({"purpose": ["chat", "plan"]}, "e"),
        ({"model": ["glm", "kimi"], "q": "bread"}, "a"),
        ({"model": ["glm", "kimi", "qwen"], "order": "model_asc"}, "bcae"),
        ({"model": ["glm", "kimi"], "order": "credits_desc"}, "acb"),
        ({"client": ["ide", "cli"], "order": "client_asc"}, "bacd"),
    ],
)
def test_several_names_select_the_records_of_each(ask: Ask, params: dict[str, Any], expected: str) -> None:
    answer = ask(**params)
    assert (ids(answer), answer["total"]) == (expected, len(expected))


def test_sums_of_several_names_are_those_of_each_together(ask: Ask) -> None:
    one, other = (ask("summary", model=name) for name in ("glm", "kimi"))
    both = ask("summary", model=["glm", "kimi"])
    for name in ("credits", "calls", "free", "paid"):
        assert both[name] == one[name] + other[name]
    assert (both["models"], both["clients"], both["firstDay"], both["lastDay"]) == (2, 2, "2026-09-01", "2026-09-03")


def test_the_days_of_several_names_have_the_credits_of_each(ask: Ask) -> None:
    days = ask("daily", model=["glm", "kimi"], client=["ide", "cli"])["days"]
    assert [(day["d"], day["m"], sum(day["h"])) for day in days] == [
        ("2026-09-01", {"kimi": 2.0}, 2.0), ("2026-09-02", {"glm": 0.0}, 0.0), ("2026-09-03", {"glm": 0.5}, 0.5),
    ]  # fmt: skip


def test_dims_of_several_names_have_each(ask: Ask) -> None:
    found = ask("dims", client=["ide", "cli"], dim="purpose")
    assert [item["name"] for item in found["client"]] == ["ide", "cli"]
    assert [item["name"] for item in found["model"]] == ["", "kimi", "glm"]
    assert sum(item["calls"] for item in found["hour"]) == sum(item["calls"] for item in found["purpose"]) == 4


def test_the_export_has_the_records_of_several_names(archived: User, api_of: ApiOf) -> None:
    response = api_of(archived).get("/records/export", model=["glm", "kimi"], free="0")
    lines = b"".join(response).decode().splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == ['"c"', '"a"']


@pytest.mark.parametrize("read", READS)
def test_one_name_given_twice_is_one_name(archived: User, api_of: ApiOf, read: str) -> None:
    once, twice = (api_of(archived).get(f"/api/{read}", model=names) for names in ("glm", ["glm", "glm"]))
    assert (once.content, once.headers["ETag"]) == (twice.content, twice.headers["ETag"])


def test_the_order_of_names_changes_no_tag(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    tags = {visitor.get("/api/summary", model=names).headers["ETag"] for names in (["a", "b"], ["b", "a"])}
    assert len(tags) == 1


@pytest.mark.parametrize("read", READS)
def test_too_many_names_are_refused(archived: User, api_of: ApiOf, read: str) -> None:
    many = [f"m{number}" for number in range(101)]
    assert api_of(archived).get(f"/api/{read}", client=many[:100]).status_code == 200
    response = api_of(archived).get(f"/api/{read}", client=many)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert response.json()["message"] == "'client' may have at most 100 values."


# The filters of lists.


@pytest.mark.engine
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"free": "1"}, "eb"),
        ({"free": "true"}, "eb"),
        ({"free": "0"}, "dca"),
        ({"free": ""}, "edcba"),
        ({"with_prompt": "1"}, "dba"),
        ({"with_prompt": "0"}, "ec"),
        ({"with_prompt": "1", "q": "bread"}, "da"),
        ({"with_prompt": "0", "q": "bread"}, ""),
        ({"credits_above": "0.5"}, "da"),
        ({"credits_above": "0.4999999"}, "dca"),
        ({"credits_above": "0"}, "dca"),
        ({"credits_above": " 2 "}, "d"),
        ({"credits_above": "999999999999"}, ""),
        ({"free": "1", "credits_above": "1"}, ""),
        ({"free": "0", "with_prompt": "1", "credits_above": "1", "model": ["kimi", "glm"]}, "a"),
        ({"free": "1", "order": "credits_asc"}, "be"),
        ({"free": "0", "order": "model_asc"}, "dca"),
        ({"free": "1", "client": "cli"}, "b"),
        ({"credits_above": "0.4", "client": "ide", "order": "ts_asc"}, "acd"),
        ({"with_prompt": "1", "order": "client_asc", "to": "2026-09-03"}, "ba"),
        ({"free": "0", "q": "bread", "order": "credits_desc"}, "da"),
    ],
)
def test_lists_are_filtered_by_what_only_records_have(ask: Ask, params: dict[str, Any], expected: str) -> None:
    answer = ask(**params, sums=1)
    assert (ids(answer), answer["total"]) == (expected, len(expected))
    assert answer["sums"]["credits"] == sum(item["credits"] for item in answer["items"])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("free", "yes", "'free' can only be 1 or 0."),
        ("with_prompt", "2", "'with_prompt' can only be 1 or 0."),
        ("sums", "all", "'sums' can only be 1 or 0."),
        *(
            ("credits_above", value, "'credits_above' is not a number from 0 on.")
            for value in ("-1", "1e3", "nan", "many", "1,5", "9" * 13, "٣")
        ),
        *(
            ("hour", value, "'hour' is not an hour from 0 to 23.")
            for value in ("24", "-1", "+1", "9.0", "009", "9:00", "noon", "٣", "9" * 5000)
        ),
    ],
)
def test_a_value_that_is_none_is_refused(archived: User, api_of: ApiOf, name: str, value: str, message: str) -> None:
    response = api_of(archived).get("/api/records", **{name: value})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert response.json()["message"] == message


@pytest.mark.parametrize("read", ["summary", "daily", "dims", "top"])
def test_sums_and_the_top_do_not_take_the_filters_of_lists(ask: Ask, read: str) -> None:
    assert ask(read, free="1", with_prompt="never", credits_above="x", hour="24") == ask(read)


# The sums of a list.


def test_the_sums_are_those_of_all_pages(ask: Ask) -> None:
    for page in (1, 2, 9):
        assert ask(size=2, page=page, sums=1)["sums"] == {"credits": 6.5, "avg": 1.3, "free": 2, "freeShare": 40.0}


def test_the_sums_of_a_search_are_those_of_its_matches(ask: Ask) -> None:
    assert ask(q="BREAD", sums=1)["sums"] == {"credits": 6.0, "avg": 3.0, "free": 0, "freeShare": 0.0}


def test_a_list_without_records_has_no_share(ask: Ask) -> None:
    for params in ({"model": "nowhere"}, {"q": "nowhere"}, {"credits_above": "9"}):
        assert ask(**params, sums=1)["sums"] == {"credits": 0.0, "avg": 0, "free": 0, "freeShare": None}


@pytest.mark.parametrize("params", [{}, {"sums": "0"}, {"sums": ""}])
def test_sums_are_there_only_where_they_are_asked_for(ask: Ask, params: dict[str, str]) -> None:
    assert set(ask(**params)) == {"items", "total", "page", "size", "pages", "window", "next"}


DAY = Days(date(2026, 9, 1), date(2026, 9, 1))
OF_DAY = "(user_id=? AND day>? AND day<?"
WITHOUT_PROMPT = f"INDEX record_without_prompt {OF_DAY}"
BY_HOUR = f"PRIMARY KEY {OF_DAY}"
BY_GROUP = f"COVERING INDEX record_by_group {OF_DAY}"
FILTERS = [
    RecordFilters(),
    RecordFilters(model=("glm", "kimi")),
    RecordFilters(is_free=True),
    RecordFilters(has_prompt=True, credits_above=1),
    RecordFilters(text="bread"),
]


@pytest.mark.parametrize("filters", FILTERS)
def test_sums_cost_a_query_or_two(
    archived: User, filters: RecordFilters, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    # The horizon is looked up. A search counts its candidates first; records with a prompt are all but those without.
    with django_assert_max_num_queries(5 if filters.text else 3 if filters.has_prompt else 2):
        queries.sums_of_records(archived.pk, filters)


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("filters", "plan"),
    [
        (RecordFilters(), "SEARCH usage_daytotal USING "),
        (RecordFilters(is_free=True), "SEARCH usage_daytotal USING "),
        (RecordFilters(is_free=False, model=("glm", "kimi")), "SEARCH usage_daymodel USING "),
        (RecordFilters(client=("ide", "cli"), model="glm"), "SEARCH usage_daygroup USING "),
        (RecordFilters(purpose=("chat", "plan")), "SEARCH usage_daypurpose USING "),
        (RecordFilters(has_prompt=False), "SEARCH usage_record USING INDEX record_without_prompt"),
        (RecordFilters(credits_above=5), "SEARCH usage_record USING COVERING INDEX"),
        (RecordFilters(credits_above=5, client=("ide", "cli")), "SEARCH usage_record USING COVERING INDEX"),
        (RecordFilters(DAY, hour=9), f"SEARCH usage_dayhour USING {BY_HOUR}"),
        (
            RecordFilters(DAY, hour=9, is_free=True, purpose="chat"),
            f"SEARCH usage_daypurposehour USING {BY_HOUR}",
        ),
        (RecordFilters(DAY, hour=9, model="glm"), f"SEARCH usage_record USING {BY_GROUP}"),
        (RecordFilters(DAY, hour=9, credits_above=5), f"SEARCH usage_record USING {BY_GROUP}"),
        (
            RecordFilters(DAY, hour=9, has_prompt=False),
            f"SEARCH usage_record USING {WITHOUT_PROMPT}",
        ),
    ],
)
def test_sums_come_from_rollups_or_a_covering_index(archived: User, filters: RecordFilters, plan: str) -> None:
    _, found = plans_of(lambda: queries.sums_of_records(archived.pk, filters))
    assert found.startswith(plan)
    assert "TEMP B-TREE" not in found
