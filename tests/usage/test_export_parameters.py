"""GET /records/export: filters, order, columns and the language of the header (docs/api.md#export)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from audit.models import Entry
from tests.factories import ApiClient
from tests.usage.export_reads import PATH, body, ids
from tests.usage.record_factories import archive, call

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept_connection")]
SPECIFIED = "RequestID,积分消耗,User Prompt,模型,客户端,时间"


def test_calls_without_a_model_or_client_are_exported_as_they_are_listed(alice: User, api_of: ApiOf) -> None:
    """The filters and the order are those of `/api/records`."""
    archive(alice, call("a", model=""), call("b", client=""), call("c"))
    assert ids(api_of(alice).get(PATH, no_model=1)) == ["a"]
    assert ids(api_of(alice).get(PATH, no_client=1)) == ["b"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, "dcba"),
        ({"order": "ts_asc"}, "abcd"),
        ({"order": "credits_desc"}, "bdca"),
        ({"order": "none of them"}, "dcba"),
        ({"from": "2026-09-03", "to": "2026-09-02"}, "cb"),
        ({"model": "kimi"}, "da"),
        ({"client": "cli"}, "b"),
        ({"q": "NEED"}, "db"),
        ({"page": 2, "size": 1}, "dcba"),
    ],
)
def test_the_parameters_are_those_of_the_list(alice: User, api_of: ApiOf, params: dict[str, Any], found: str) -> None:
    archive(
        alice,
        call("a", ts="2026-09-01 12:00:00", model="kimi"),
        call("b", ts="2026-09-02 12:00:00", client="cli", prompt="a needle", credits=9),
        call("c", ts="2026-09-03 12:00:00"),
        call("d", ts="2026-09-04 12:00:00", model="kimi", prompt="in need"),
    )
    assert "".join(ids(api_of(alice).get(PATH, **params))) == found


def test_the_purpose_is_a_filter_and_a_column_of_its_own(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a", agent_purpose="chat"), call("b"))
    visitor = api_of(alice)
    assert body(visitor.get(PATH, columns="")) == body(visitor.get(PATH))
    assert ids(visitor.get(PATH, purpose="chat")) == ["a"]
    assert ids(visitor.get(PATH, no_purpose=1)) == ["b"]
    text = body(visitor.get(PATH, purpose="chat", columns="purpose")).decode("utf-8-sig")
    assert text.splitlines() == [
        "RequestID,积分消耗,User Prompt,模型,客户端,时间,用途",
        '"a",1.5,"","glm","ide","2026-09-07 12:30:00","chat"',
    ]


def test_an_unknown_column_is_refused_in_json(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get(PATH, columns="purpose,model")
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert "'columns'" in response.json()["message"]
    assert not Entry.objects.filter(action="export").exists()


@pytest.mark.parametrize(
    ("asked", "header"),
    [
        ({"lang": "en"}, "RequestID,Credits,User Prompt,Model,Client,Time"),
        ({"lang": "en", "columns": "purpose"}, "RequestID,Credits,User Prompt,Model,Client,Time,Purpose"),
        ({"lang": "zh-hans"}, SPECIFIED),
        ({"lang": ""}, SPECIFIED),
        ({}, SPECIFIED),
    ],
    ids=str,
)
def test_lang_is_the_language_of_the_header_alone(
    alice: User, api_of: ApiOf, asked: dict[str, str], header: str
) -> None:
    archive(alice, call("a"))
    visitor = api_of(alice)
    first, rest = body(visitor.get(PATH, **asked)).decode().split("\r\n", 1)
    without = {name: value for name, value in asked.items() if name != "lang"}
    assert first == f"\ufeff{header}"
    assert rest == body(visitor.get(PATH, **without)).decode().split("\r\n", 1)[1]


def test_the_language_of_the_reader_does_not_change_the_header(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    answers = [visitor.client.get(PATH, headers={"accept-language": one}) for one in ("en", "zh-CN")]
    assert {body(answer).decode("utf-8-sig") for answer in answers} == {f"{SPECIFIED}\r\n"}


@pytest.mark.parametrize("wrong", ["de", "EN", "zh", "en,zh-hans"])
def test_another_language_is_refused_in_json(alice: User, api_of: ApiOf, wrong: str) -> None:
    response = api_of(alice).get(PATH, lang=wrong)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert "'lang'" in response.json()["message"]
    assert not Entry.objects.filter(action="export").exists()


@pytest.mark.parametrize("name", ["from", "to"])
def test_a_wrong_date_is_named_in_json(alice: User, api_of: ApiOf, name: str) -> None:
    response = api_of(alice).get(PATH, **{name: "soon"})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert f"'{name}'" in response.json()["message"]
    assert not Entry.objects.filter(action="export").exists()


def test_a_text_too_long_is_refused(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get(PATH, q="x" * 1001).status_code == 400
