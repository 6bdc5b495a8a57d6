"""GET /api/records: days, models, clients and purposes as filters of the list (docs/api.md#records)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, ids

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
PATH = "/api/records"


# Days, models and clients.


@pytest.mark.usefixtures("tied_calls")
@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2026-09-02", "2026-09-02", "dc"),
        ("2026-09-02", "", "edc"),
        ("", "2026-09-01", "za"),
        ("2026-09-03", "2026-09-01", "edcza"),
        ("2026/09/02", "2026/9/2", "dc"),
        ("2026-09-02 23:00:00", "2026-09-02T00:00", "dc"),
        ("2026-09-02T12:00:00Z", "2026-09-02 00:00:00", "dc"),
        (" 2026-09-02 ", " 2026-9-2", "dc"),
        ("2026-09-04", "", ""),
        ("0001-01-01", "9999-12-31", "edcza"),
    ],
)
def test_days_of_every_form_bound_the_list_with_both_ends(ask: Ask, first: str, last: str, expected: str) -> None:
    answer = ask(**{"from": first, "to": last})
    assert (ids(answer), answer["total"]) == (expected, len(expected))


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "2026-13-01", "20260902", "09-02-2026", "2026-09/02", "0"])
def test_a_date_that_is_none_is_400_and_named(alice: User, api_of: ApiOf, name: str, text: str) -> None:
    response = api_of(alice).get("/api/records", **{name: text})
    body = response.json()
    assert (response.status_code, body["ok"], body["error"]) == (400, False, "bad_request")
    assert f"'{name}'" in body["message"]


@pytest.mark.usefixtures("tied_calls")
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"model": "glm"}, "dcz"),
        ({"model": "GLM"}, ""),
        ({"model": "gl"}, ""),
        ({"model": "%"}, ""),
        ({"model": "glm\0"}, ""),
        ({"model": ""}, "edcza"),
        ({"client": "cli"}, "ez"),
        ({"client": "cl_"}, ""),
        ({"model": "glm", "client": "cli"}, "z"),
        ({"model": "glm", "from": "2026-09-02"}, "dc"),
        ({"model": "glm", "q": "second"}, "z"),
        ({"model": "kimi", "q": "second"}, ""),
        ({"from": "2026-09-02", "q": "s"}, ""),
    ],
)
def test_filters_are_exact_and_join(ask: Ask, params: dict[str, str], expected: str) -> None:
    answer = ask(**params)
    assert (ids(answer), answer["total"]) == (expected, len(expected))


# Calls without a name, and calls of a purpose.


@pytest.fixture
def unnamed(alice: User, bob: User) -> User:
    """Calls with and without a model and a client; the other account has one without either."""
    archive(
        alice,
        call("a", ts="2026-09-01 12:00:00", model="", client="", credits=3, prompt="bread"),
        call("b", ts="2026-09-02 12:00:00", model="glm", client="", credits=1, prompt="Bread"),
        call("c", ts="2026-09-03 12:00:00", model="", client="ide", credits=2),
        call("d", ts="2026-09-04 12:00:00", model="glm", client="ide", prompt="bread"),
        call("e", ts="2026-09-05 12:00:00", model="kimi", client="", credits=2),
    )
    archive(bob, call("his", model="", client="", prompt="bread"))
    return alice


@pytest.mark.engine
@pytest.mark.usefixtures("unnamed")
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"no_client": "1"}, "eba"),
        ({"no_model": "1"}, "ca"),
        ({"no_model": "1", "no_client": "1"}, "a"),
        ({"no_client": "1", "model": "glm"}, "b"),
        ({"no_client": "1", "q": "bread"}, "ba"),
        ({"no_client": "1", "from": "2026-09-02", "to": "2026-09-04"}, "b"),
        ({"no_client": "1", "order": "ts_asc"}, "abe"),
        ({"no_client": "1", "order": "credits_desc"}, "aeb"),
        ({"no_client": "1", "order": "credits_asc"}, "bea"),
        ({"no_client": "1", "order": "model_asc"}, "abe"),
        ({"no_client": "1", "order": "client_asc"}, "abe"),
        ({"no_model": "true"}, "ca"),
        ({"no_model": " ON "}, "ca"),
        ({"no_model": "0"}, "edcba"),
        ({"no_model": ""}, "edcba"),
        ({"no_model": "false", "model": "glm"}, "db"),
        ({"model": "", "client": ""}, "edcba"),
    ],
)
def test_records_without_a_model_or_client_are_listed(ask: Ask, params: dict[str, str], expected: str) -> None:
    """`model` and `client` match exactly, also the empty name that `/api/dims` sums."""
    answer = ask(**params)
    assert (ids(answer), answer["total"]) == (expected, len(expected))


@pytest.mark.engine
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"purpose": "chat"}, "ca"),
        ({"no_purpose": "1"}, "db"),
        ({"no_purpose": "true", "purpose": "chat"}, "db"),
        ({"purpose": "Chat"}, ""),
        ({"purpose": ""}, "dcba"),
        ({"purpose": "chat", "model": "kimi"}, "c"),
        ({"purpose": "chat", "q": "bread"}, "a"),
        ({"purpose": "chat", "to": "2026-09-02"}, "a"),
        ({"purpose": "chat", "order": "ts_asc"}, "ac"),
        ({"purpose": "chat", "order": "credits_desc"}, "ca"),
        ({"purpose": "chat", "order": "model_asc"}, "ac"),
        ({"no_purpose": "1", "order": "client_asc"}, "db"),
    ],
)
def test_records_of_a_purpose_are_listed(alice: User, ask: Ask, params: dict[str, str], expected: str) -> None:
    archive(
        alice,
        call("a", ts="2026-09-01 12:00:00", credits=1, agent_purpose="chat", prompt="bread"),
        call("b", ts="2026-09-02 12:00:00", client="ide", prompt="bread"),
        call("c", ts="2026-09-03 12:00:00", credits=2, agent_purpose="chat", model="kimi"),
        call("d", ts="2026-09-04 12:00:00", client="cli"),
    )
    answer = ask(**params)
    assert (ids(answer), answer["total"]) == (expected, len(expected))


@pytest.mark.usefixtures("unnamed")
def test_no_model_wins_over_a_model(ask: Ask) -> None:
    assert ids(ask(model="glm", no_model=1)) == "ca"


@pytest.mark.usefixtures("unnamed")
def test_pages_without_a_client_miss_nothing(ask: Ask) -> None:
    assert [ids(ask(no_client=1, size=1, page=page)) for page in (1, 2, 3, 4)] == ["e", "b", "a", ""]
