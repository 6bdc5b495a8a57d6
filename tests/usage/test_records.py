"""GET /api/records: lists of records, in pages (docs/api.md#records)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
ORDERS = ["ts_desc", "ts_asc", "credits_desc", "credits_asc", "model_asc", "client_asc"]


@pytest.fixture
def ask(alice: User, api_of: ApiOf) -> Ask:
    """Alice's records under some parameters."""
    visitor = api_of(alice)

    def records(**params: object) -> dict[str, Any]:
        response = visitor.get("/api/records", **params)
        assert response.status_code == 200
        body: dict[str, Any] = response.json()
        return body

    return records


def ids(answer: dict[str, Any]) -> str:
    return "".join(item["request_id"] for item in answer["items"])


@pytest.fixture
def archived(alice: User) -> User:
    """Calls with ties in every column of an order."""
    archive(
        alice,
        call("a", ts="2026-09-01 00:00:00", credits=2, model="kimi", client="ide", prompt="first"),
        call("z", ts="2026-09-01 23:59:59", credits=1, model="glm", client="cli", prompt="second"),
        call("c", ts="2026-09-02 00:00:00", credits=2, model="glm", client="ide"),
        call("d", ts="2026-09-02 00:00:00", credits=2, model="glm", client="ide"),
        call("e", ts="2026-09-03 12:00:00", credits=0, model="kimi", client="cli"),
    )
    return alice


# The contents of an answer.


def test_an_item_has_the_six_fields_in_the_readable_form(alice: User, ask: Ask) -> None:
    archive(alice, call(credits=0.1, prompt="why?", agent_purpose="chat"))
    assert ask()["items"] == [
        {
            "request_id": "r1",
            "credits": 0.1,
            "model": "glm",
            "client": "ide",
            "ts": "2026-09-07 12:30:00",
            "prompt": "why?",
        }
    ]


def test_a_record_without_prompt_has_an_empty_one(alice: User, ask: Ask) -> None:
    archive(alice, call())
    assert ask()["items"][0]["prompt"] == ""


@pytest.mark.parametrize("prompt", ["  \r\n用户 👩‍👩‍👧 \u2028</script>\x01 ", "x" * 20000])
def test_a_prompt_is_given_back_verbatim_and_whole(alice: User, ask: Ask, prompt: str) -> None:
    archive(alice, call(prompt=prompt))
    assert ask()["items"][0]["prompt"] == prompt


def test_lean_leaves_the_prompts_out(alice: User, ask: Ask) -> None:
    archive(alice, call(prompt="why?"))
    assert set(ask(lean=1)["items"][0]) == {"request_id", "credits", "model", "client", "ts"}


@pytest.mark.parametrize("lean", ["0", "", "true", "2"])
def test_only_1_is_lean(alice: User, ask: Ask, lean: str) -> None:
    archive(alice, call())
    assert "prompt" in ask(lean=lean)["items"][0]


def test_an_empty_archive_is_one_empty_page(ask: Ask) -> None:
    assert ask() == {
        "items": [], "total": 0, "page": 1, "size": 50, "pages": 1, "window": {"from": None, "to": None, "days": None},
    }  # fmt: skip


@pytest.mark.usefixtures("archived")
def test_the_window_is_the_archives_where_nothing_else_was_asked_for(ask: Ask) -> None:
    assert ask()["window"] == {"from": "2026-09-01", "to": "2026-09-03", "days": 3}
    assert ask(to="2026-09-02", model="kimi")["window"] == {"from": "2026-09-01", "to": "2026-09-02", "days": 2}


# Orders.


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ts_desc", "edcza"),
        ("ts_asc", "azcde"),
        ("credits_desc", "dcaze"),
        ("credits_asc", "ezacd"),
        ("model_asc", "zcdae"),
        ("client_asc", "zeacd"),
        ("", "edcza"),
        ("model_desc", "edcza"),
        ("TS_ASC", "edcza"),
        ("request_id; --", "edcza"),
    ],
)
def test_ties_are_broken_by_time_then_id_in_the_direction_of_the_order(ask: Ask, order: str, expected: str) -> None:
    assert ids(ask(order=order)) == expected


@pytest.mark.usefixtures("archived")
def test_without_an_order_the_newest_come_first(ask: Ask) -> None:
    assert ids(ask()) == "edcza"


@pytest.mark.parametrize("order", ORDERS)
def test_pages_never_overlap_and_miss_nothing(alice: User, ask: Ask, order: str) -> None:
    # Everything is tied but the id.
    archive(alice, *(call(chr(97 + number)) for number in range(26)))
    pages = [ids(ask(order=order, size=7, page=page)) for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [7, 7, 7, 5]
    assert "".join(pages) == ids(ask(order=order))
    assert sorted("".join(pages)) == [chr(97 + number) for number in range(26)]


# Pages.


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("size", "page", "expected"),
    [
        ("2", "1", (2, 1, 3, "ed")),
        ("2", "3", (2, 3, 3, "a")),
        ("2", "4", (2, 4, 3, "")),
        ("5", "1", (5, 1, 1, "edcza")),
        ("0", "1", (1, 1, 5, "e")),
        ("-3", "1", (1, 1, 5, "e")),
        ("501", "1", (500, 1, 1, "edcza")),
        ("2", "0", (2, 1, 3, "ed")),
        ("2", "-1", (2, 1, 3, "ed")),
        ("two", "x", (50, 1, 1, "edcza")),
        ("1.5", "1e1", (50, 1, 1, "edcza")),
        ("", "", (50, 1, 1, "edcza")),
        (" 2 ", "+2", (2, 2, 3, "cz")),
        ("500", "999999999999999999", (500, 10**9, 1, "")),
    ],
)
def test_size_and_page_are_clamped_and_fall_back(
    ask: Ask, size: str, page: str, expected: tuple[int, int, int, str]
) -> None:
    answer = ask(size=size, page=page)
    assert (answer["size"], answer["page"], answer["pages"], ids(answer)) == expected
    assert answer["total"] == 5


# Filters.


@pytest.mark.usefixtures("archived")
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


@pytest.mark.usefixtures("archived")
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


@pytest.mark.parametrize("lean", [0, 1])
def test_the_purpose_is_a_field_only_where_it_is_asked_for(alice: User, ask: Ask, lean: int) -> None:
    archive(alice, call("a", agent_purpose="chat"), call("b", ts="2026-09-06 12:00:00"))
    plain = ask(lean=lean)["items"]
    asked = ask(lean=lean, columns="purpose")["items"]
    assert asked == [{**item, "agent_purpose": purpose} for item, purpose in zip(plain, ["chat", ""], strict=True)]
    assert ask(lean=lean, columns="")["items"] == plain


def test_an_unknown_column_is_refused(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get("/api/records", columns="prompt")
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert response.json()["message"] == "'columns' can only be 'purpose'."


@pytest.mark.usefixtures("unnamed")
def test_no_model_wins_over_a_model(ask: Ask) -> None:
    assert ids(ask(model="glm", no_model=1)) == "ca"


@pytest.mark.usefixtures("unnamed")
def test_pages_without_a_client_miss_nothing(ask: Ask) -> None:
    assert [ids(ask(no_client=1, size=1, page=page)) for page in (1, 2, 3, 4)] == ["e", "b", "a", ""]


def test_a_user_id_that_is_sent_is_ignored(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call("hers"))
    archive(bob, call("his"))
    answer = api_of(bob).get("/api/records", user_id=alice.pk).json()
    assert (ids(answer), answer["total"]) == ("his", 1)


def test_anonymous_is_401(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/records").status_code == 401
