"""GET /api/records/<request_id>: one complete record (docs/api.md#one-record)."""

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, plans_of
from usage.reads import queries

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


def test_it_is_the_whole_row_as_a_flat_object(alice: User, api_of: ApiOf, time: SetClock) -> None:
    time.now = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)
    archive(alice, call(prompt="why?", prompt_truncated=True, agent_purpose="chat"), run_id=7)
    response = api_of(alice).get("/api/records/r1")
    assert (response.status_code, response.json()) == (
        200,
        {
            "request_id": "r1", "credits": 1.5, "model": "glm", "client": "ide", "ts": "2026-09-07 12:30:00",
            "prompt": "why?", "user_id": alice.pk, "day": "2026-09-07", "hour": 12, "agent_purpose": "chat",
            "prompt_truncated": True, "first_seen_at": "2026-09-08 12:00:00", "updated_at": "2026-09-08 12:00:00",
            "run_id": 7,
        },
    )  # fmt: skip


def test_without_prompt_or_run_it_has_an_empty_and_a_null_one(alice: User, api_of: ApiOf) -> None:
    archive(alice, call())
    body = api_of(alice).get("/api/records/r1").json()
    assert (body["prompt"], body["run_id"]) == ("", None)


@pytest.mark.parametrize("request_id", ["模型/1", "a b", "a%2Fb", "a?b=c#d", "../x", "x" * 128, "é", "/", "a/"])
def test_an_id_of_any_characters_is_found(alice: User, api_of: ApiOf, request_id: str) -> None:
    archive(alice, call(request_id))
    response = api_of(alice).get(f"/api/records/{quote(request_id, safe='')}")
    assert response.json()["request_id"] == request_id


def test_a_missing_record_is_404_with_only_a_message(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get("/api/records/nothing")
    assert response.status_code == 404
    assert response.json() == {"ok": False, "message": "There is no such record."}


@pytest.mark.parametrize("request_id", ["R1", "r", "r1%20", "r1%00", "%25"])
def test_an_id_is_exact(alice: User, api_of: ApiOf, request_id: str) -> None:
    archive(alice, call())
    assert api_of(alice).get(f"/api/records/{request_id}").status_code == 404


def test_another_accounts_record_is_404_whatever_user_id_is_sent(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call())
    response = api_of(bob).get("/api/records/r1", user_id=alice.pk)
    assert (response.status_code, set(response.json())) == (404, {"ok", "message"})


def test_of_an_id_that_two_accounts_have_each_sees_its_own(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call(credits=1))
    archive(bob, call(credits=2))
    assert api_of(alice).get("/api/records/r1", user_id=bob.pk).json()["credits"] == 1


def test_an_administrator_sees_nobody_elses(alice: User, root: User, api_of: ApiOf) -> None:
    archive(alice, call())
    assert api_of(root).get("/api/records/r1").status_code == 404


@pytest.mark.sqlite_only
def test_it_reads_one_row_and_where_the_archive_begins(alice: User) -> None:
    archive(alice, call())
    plan, horizon = plans_of(lambda: queries.record(alice.pk, "r1"))
    assert horizon.startswith("SEARCH usage_horizon")
    assert "(user_id=? AND request_id=?)" in plan
    assert "SCAN" not in plan


def test_anonymous_is_401(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/records/r1").status_code == 401
