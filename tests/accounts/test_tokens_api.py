"""GET and POST /api/tokens, POST /api/tokens/<id>/revoke: docs/api.md#tokens."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings

from accounts.models import ApiToken, User
from accounts.tokens import personal_tokens, token_text
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.tokens import TokenClient, make_token

pytestmark = pytest.mark.django_db
PATH = "/api/tokens"
NOW = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


def create(visitor: ApiClient, **body: object) -> dict[str, Any]:
    response = visitor.post(PATH, {"name": "cron", "scopes": ["read"], **body})
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = answer_of(response)
    return answer


def listed(visitor: ApiClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = answer_of(visitor.get(PATH))["items"]
    return items


def test_the_answer_holds_the_token_and_no_cache_keeps_it(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).post(PATH, {"name": "cron", "scopes": ["read"]})
    assert response.headers["Cache-Control"] == "no-store"
    answer = answer_of(response)
    assert set(answer) == {"ok", "message", "id", "token"}
    assert (answer["ok"], answer["id"]) == (True, ApiToken.objects.get().pk)
    assert re.fullmatch(r"ua_[0-9A-Za-z]{38}", answer["token"])
    assert TokenClient(answer["token"]).get("/api/summary").status_code == 200


def test_the_list_names_all_but_the_token(alice: User, api_of: ApiOf, time: SetClock) -> None:
    time.now = NOW
    visitor = api_of(alice)
    first = create(visitor, name="  status \t bar ", scopes=["export", "read", "read"], days=30)
    second = create(visitor, days=None)
    newest, oldest = listed(visitor)
    assert oldest == {
        "id": first["id"],
        "name": "status bar",
        "scopes": ["read", "export"],
        "beginning": first["token"][:7],
        "created_at": clock.local_text(NOW),
        "expires_at": clock.local_text(NOW + timedelta(days=30)),
        "last_used_at": None,
    }
    assert (newest["id"], newest["expires_at"]) == (second["id"], None)


def test_the_last_use_is_listed_to_the_minute(alice: User, api_of: ApiOf, time: SetClock) -> None:
    visitor, program = api_of(alice), TokenClient.of(alice)
    for seconds, noted in ((0, 0), (59, 0), (61, 61), (-3600, -3600)):
        time.now = NOW + timedelta(seconds=seconds)
        assert program.get("/api/status").status_code == 200
        assert listed(visitor)[0]["last_used_at"] == clock.local_text(NOW + timedelta(seconds=noted))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": ""}, "name"), ({"name": "x" * 61}, "60"), ({"name": None}, "name"), ({"name": 7}, "name"),
        ({"name": "a\u202eb"}, "control characters"), ({"name": [" "]}, "name"),
        ({"scopes": []}, "read, collect, export"), ({"scopes": None}, "scopes"), ({"scopes": "read"}, "scopes"),
        ({"scopes": ["read", "admin"]}, "scopes"), ({"scopes": [{}]}, "scopes"), ({"scopes": [["read"]]}, "scopes"),
        ({"days": 0}, "3650"), ({"days": 3651}, "3650"), ({"days": -1}, "days"), ({"days": "30"}, "days"),
        ({"days": 1.5}, "days"), ({"days": True}, "days"), ({"days": 10**30}, "days"), ({"days": ""}, "days"),
    ],
)  # fmt: skip
def test_what_is_not_accepted_is_400_with_words(body: dict[str, Any], said: str, alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).post(PATH, {"name": "cron", "scopes": ["read"], **body})
    assert (response.status_code, answer_of(response)["error"]) == (400, "bad_request")
    assert said in answer_of(response)["message"]
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("days", [1, 3650])
def test_the_bounds_of_days_are_accepted(days: int, alice: User, api_of: ApiOf) -> None:
    create(api_of(alice), days=days)
    token = ApiToken.objects.get()
    assert token.expires_at is not None
    assert timedelta(0) <= timedelta(days=days) - (token.expires_at - token.created_at) < timedelta(seconds=5)


def test_sixty_characters_are_a_name(alice: User, api_of: ApiOf) -> None:
    create(api_of(alice), name=f" {'x' * 60} ")
    assert ApiToken.objects.get().name == "x" * 60


def test_an_account_has_fifty_at_most(alice: User, bob: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_tokens, "MOST_TOKENS", 2)
    visitor = api_of(alice)
    first, _ = create(visitor), create(visitor)
    response = visitor.post(PATH, {"name": "cron", "scopes": ["read"]})
    assert (response.status_code, answer_of(response)["error"]) == (400, "bad_request")
    create(api_of(bob))
    visitor.post(f"{PATH}/{first['id']}/revoke")
    create(visitor)


def test_a_revoked_token_is_gone(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    answer = create(visitor)
    response = visitor.post(f"{PATH}/{answer['id']}/revoke")
    assert (response.status_code, set(answer_of(response))) == (200, {"ok", "message"})
    assert "cron" in answer_of(response)["message"]
    assert (listed(visitor), TokenClient(answer["token"]).get("/api/status").status_code) == ([], 401)


@pytest.mark.parametrize("which", ["0", "999999", "none", "9" * 40, "-1"])
def test_an_unknown_id_is_404(which: str, alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).post(f"{PATH}/{which}/revoke")
    assert (response.status_code, set(answer_of(response))) == (404, {"ok", "message"})


def test_anothers_token_is_missing_and_stays(alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    token, text = make_token(bob)
    for user in (alice, root):
        visitor = api_of(user)
        response = visitor.post(f"{PATH}/{token.pk}/revoke", {"user_id": bob.pk})
        assert (response.status_code, set(answer_of(response))) == (404, {"ok", "message"})
        assert (listed(visitor), visitor.get(PATH, user_id=bob.pk).json()) == ([], {"items": []})
    assert TokenClient(text).get("/api/status").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_revokes_at_once_one_finds_it(alice: User, api_of: ApiOf) -> None:
    token, _ = make_token(alice)
    visitors = [api_of(alice) for _ in range(4)]
    path = f"{PATH}/{token.pk}/revoke"
    answers = together(*[lambda one=one: one.post(path).status_code for one in visitors])
    assert sorted(answers) == [200, 404, 404, 404]
    assert Entry.objects.filter(action="token_revoke").count() == 1


@pytest.mark.engine
def test_making_and_revoking_are_audited_without_the_token(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    answer = create(visitor, name="backup of prompts", scopes=["export", "read"])
    visitor.post(f"{PATH}/{answer['id']}/revoke")
    entries = list(Entry.objects.order_by("pk"))
    assert [(entry.action, entry.actor, entry.user_id, entry.ip) for entry in entries] == [
        (action, "alice", alice.pk, "127.0.0.1") for action in ("token_create", "token_revoke")
    ]
    assert {entry.detail for entry in entries} == {f"token {answer['id']}, backup of prompts: read, export"}
    assert answer["token"][7:] not in str(list(Entry.objects.values()))


def test_the_store_has_a_hash_only(alice: User, api_of: ApiOf) -> None:
    text = create(api_of(alice))["token"]
    row = ApiToken.objects.values().get()
    assert text[: len("ua_") + 5] not in str(row)
    assert len(row["token_hash"]) == 64


def test_a_recent_password_is_needed_to_make_one(
    alice: User, api_of: ApiOf, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REAUTHENTICATE_MINUTES = 15
    visitor = api_of(alice)
    response = visitor.post(PATH, {"name": "cron", "scopes": ["read"]})
    assert (response.status_code, answer_of(response)["error"]) == (403, "reauthenticate")
    assert not ApiToken.objects.exists()
    token, _ = make_token(alice)
    assert visitor.post(f"{PATH}/{token.pk}/revoke").status_code == 200


@pytest.mark.parametrize("change", [{"status": User.DISABLED}, {"session_version": 9}])
def test_none_is_made_for_an_account_that_was_ended_meanwhile(change: dict[str, Any], alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(**change)
    with pytest.raises(ApiError) as refused:
        make_token(alice)
    assert (refused.value.status, ApiToken.objects.exists()) == (401, False)


def test_ended_tokens_are_listed_for_a_month(alice: User, api_of: ApiOf, time: SetClock) -> None:
    visitor, now = api_of(alice), clock.now()
    create(visitor, days=1)
    forever = create(visitor)
    for days, left in ((2, 2), (30, 2), (31.1, 1)):
        time.now = now + timedelta(days=days)
        personal_tokens.delete_long_ended()
        assert ApiToken.objects.count() == left
    assert ApiToken.objects.get().pk == forever["id"]


def test_a_text_has_a_checksum() -> None:
    texts = {token_text.new_text() for _ in range(50)}
    assert len(texts) == 50
    assert all(token_text.is_well_formed(text) for text in texts)
    text = texts.pop()
    wrong = [text[:-1], text + "0", text[1:], "", text.upper(), text.replace("ua_", "ub_"), f"{text[:40]}\u0660"]
    wrong += [text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :] for at in range(3, len(text))]
    assert not [each for each in wrong if token_text.is_well_formed(each)]


def test_the_checksum_is_the_documented_one() -> None:
    # CRC32 of what is before it, in base 62: other programs that look for leaked tokens compute it, too.
    assert token_text.is_well_formed("ua_" + "A" * 32 + "3ryKzq")
