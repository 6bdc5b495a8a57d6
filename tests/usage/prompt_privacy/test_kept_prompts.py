"""What an account keeps of prompts from its choice on (docs/api.md#privacy)."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from accounts.models import User
from collection.reading.held_changes import HeldChanges
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, on
from usage.ingest import take_in
from usage.models import CoverageDay, Privacy, Prompt, Record

pytestmark = pytest.mark.django_db
ApiOf = Callable[[User], ApiClient]
CANARY = "The canary sings in parser.py: 修复登录页面"


def choose(user: User, mode: str, length: int = 100) -> None:
    Privacy.objects.update_or_create(user_id=user.pk, defaults={"mode": mode, "length": length})


def found(api: ApiClient, q: str) -> list[str]:
    return [item["request_id"] for item in api.get("/api/records", q=q).json()["items"]]


@pytest.mark.engine
def test_nothing_is_kept(alice: User, api_of: ApiOf) -> None:
    choose(alice, "nothing")
    archive(alice.pk, call("a", prompt=CANARY))
    assert not Prompt.objects.exists()
    assert (Record.objects.get().without_prompt, Record.objects.get().prompt_key) == (True, 0)
    assert found(api_of(alice), "canary") == []


@pytest.mark.engine
def test_the_beginning_is_kept(alice: User, api_of: ApiOf) -> None:
    choose(alice, "beginning", 10)
    archive(alice.pk, call("a", prompt=CANARY))
    assert Prompt.objects.get().text == "The canary"
    assert (found(api_of(alice), "canar"), found(api_of(alice), "sings")) == (["a"], [])


@pytest.mark.engine
def test_hashes_of_words_are_kept_and_found(alice: User, bob: User, api_of: ApiOf) -> None:
    choose(alice, "hash")
    archive(alice.pk, call("a", prompt=CANARY), call("b", prompt="Another song"))
    archive(bob.pk, call("c", prompt=CANARY))
    api = api_of(alice)
    for q in ("canary", "SINGS canary", "登录", "parser.py canary"):
        assert found(api, q) == ["a"], q
    for q in ("canar", "song canary", "...", "録"):
        assert found(api, q) == [], q
    assert found(api_of(bob), "canar") == ["c"]
    assert not any(word in Prompt.objects.get(record__request_id="a").text for word in ("canary", "sings", "登录"))


def test_a_prompt_that_comes_with_a_changed_call_is_hashed_once(alice: User, api_of: ApiOf) -> None:
    choose(alice, "hash")
    archive(alice.pk, call("a"))
    changed, held = call("a", credits=9, prompt=CANARY), HeldChanges()
    page = take_in(alice.pk, [changed], run_id=None, max_prompt=1000, holds_changes=True)
    held.add([changed], page.held, ("2000-01-01 00:00:00", "2099-01-01 00:00:00"))
    take_in(alice.pk, held.take(), run_id=None, max_prompt=1000)
    assert found(api_of(alice), "canary") == ["a"]
    assert "canary" not in Prompt.objects.get().text


@pytest.mark.engine
def test_no_answer_has_the_hashes(alice: User, api_of: ApiOf) -> None:
    choose(alice, "hash")
    archive(alice.pk, call("a", prompt=CANARY), call("b", prompt=CANARY))
    api, stored = api_of(alice), Prompt.objects.first()
    assert stored
    token = stored.text[1:14]
    answers = [
        (path, _read(api.get(path, **query)))
        for path, query in (
            ("/api/records", {}), ("/api/records/a", {}), ("/api/top", {}), ("/api/bundle", {}), ("/api/repeated", {}),
            ("/api/changes", {}), ("/records/export", {}), ("/records/export", {"format": "jsonl"}),
            ("/records/export", {"q": "canary"}),
        )
    ]  # fmt: skip
    for path, body in answers:
        assert token.encode() not in body, path
        assert "\ufdd0".encode() not in body, path
    assert json.loads(answers[1][1])["prompt"] == ""
    assert json.loads(answers[4][1])["items"] == []


def _read(answer: Any) -> bytes:
    assert answer.status_code == 200, answer.content
    body: bytes = answer.getvalue() if answer.streaming else answer.content
    return body


def test_reading_again_is_no_change(alice: User) -> None:
    for mode in ("hash", "beginning", "nothing"):
        Record.objects.all().delete()
        choose(alice, mode, 10)
        archive(alice.pk, call("a", prompt=CANARY))
        again = archive(alice.pk, call("a", prompt=CANARY))
        assert (again.dup, again.prompts_filled) == (1, 0), mode


def test_what_is_stored_stays_until_it_is_asked_for_and_whole_prompts_come_back(alice: User) -> None:
    archive(alice.pk, call("a", prompt=CANARY))
    choose(alice, "hash")
    archive(alice.pk, call("a", prompt=CANARY))
    assert Prompt.objects.get().text == CANARY
    archive(alice.pk, call("b", prompt=CANARY))
    choose(alice, "whole")
    archive(alice.pk, call("b", prompt=CANARY))
    assert [prompt.text for prompt in Prompt.objects.all()] == [CANARY, CANARY]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("/api/coverage", '"state":"stripped"'),
        ("/api/manifest", '"stripped": 1'),
        ("/statements/2026-09", "prompts missing"),
    ],
)
def test_where_nothing_is_kept_no_prompt_is_missing(alice: User, api_of: ApiOf, path: str, missing: str) -> None:
    archive(alice.pk, on("2026-09-07", "a", prompt=""))
    CoverageDay.objects.create(archive_id=alice.pk, day="2026-09-07", upstream=1, empty=0)
    api, tags = api_of(alice).entered(), set[str]()
    for mode in ("whole", "nothing", "whole"):
        assert api.post("/api/privacy", {"mode": mode}).status_code == 200
        answer = api.client.get(path)
        assert (missing in answer.content.decode()) is (mode == "whole")
        tags.add(answer.headers.get("ETag", ""))
    assert len(tags) == (3 if "api" in path else 1)


def test_a_prompt_cannot_look_like_hashes(alice: User, api_of: ApiOf) -> None:
    archive(alice.pk, call("a", prompt="\ufdd0abc"))
    assert Prompt.objects.get().text == "\ufffdabc"
    again = archive(alice.pk, replace(call("a", prompt="\ufdd0abc")))
    assert again.prompts_filled == 0
