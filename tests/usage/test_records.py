"""GET /api/records: the fields, orders and pages of a list (docs/api.md#records)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Paging
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, ids
from usage.filters import RecordFilters
from usage.models import Record
from usage.reads import list_parts

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
PATH = "/api/records"
ORDERS = ["ts_desc", "ts_asc", "credits_desc", "credits_asc", "model_asc", "client_asc"]


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


def test_the_prompts_of_a_long_list_are_read_some_at_a_time(
    alice: User, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(alice, *(call(f"r{number:02}", prompt=f"prompt {number}" if number % 3 else "") for number in range(20)))
    whole = ask(size=20, order="ts_asc")
    monkeypatch.setattr(list_parts, "PROMPTS_AT_ONCE", 7)
    assert ask(size=20, order="ts_asc") == whole
    read = list_parts.with_prompts(
        alice.pk, list_parts.page_of_records(alice.pk, RecordFilters(), "", Paging(1, 20), lean=True)
    )
    first = next(read)
    # One that is removed meanwhile is left out.
    Record.objects.exclude(request_id=first.request_id).delete()
    assert len(list(read)) == 6


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
        "items": [], "total": 0, "page": 1, "size": 50, "pages": 1, "next": None,
        "window": {"from": None, "to": None, "days": None},
    }  # fmt: skip


@pytest.mark.usefixtures("tied_calls")
def test_the_window_is_the_archives_where_nothing_else_was_asked_for(ask: Ask) -> None:
    assert ask()["window"] == {"from": "2026-09-01", "to": "2026-09-03", "days": 3}
    assert ask(to="2026-09-02", model="kimi")["window"] == {"from": "2026-09-01", "to": "2026-09-02", "days": 2}


# Orders.


@pytest.mark.usefixtures("tied_calls")
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


@pytest.mark.usefixtures("tied_calls")
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


@pytest.mark.usefixtures("tied_calls")
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


# Columns and accounts.


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


def test_a_user_id_that_is_sent_is_ignored(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call("hers"))
    archive(bob, call("his"))
    answer = api_of(bob).get("/api/records", user_id=alice.pk).json()
    assert (ids(answer), answer["total"]) == ("his", 1)


def test_anonymous_is_401(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/records").status_code == 401
