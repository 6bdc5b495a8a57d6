"""The token of a device login beside the cookie: stored, used where the cookie is refused, and its end."""

import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts import config
from accounts.credentials import cookie_lifetimes, credential
from accounts.models import INSTANCE, Notice, Setting, User
from archive_site import notice_causes
from audit import known_secrets
from collection.last_answer import last_answer
from collection.models import AccountOfArchive, Run
from collection.sources.codebuddy.package_requests import MEMBER
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.simulator.faults import WHOLE_ANSWERS
from collection.sources.codebuddy.simulator.simulator import SeenRequest, Simulator
from collection.sources.codebuddy.token import Token
from collection.sources.over_http import asking
from tests.collection.collector_run import call_at, collected, contents, set_up, truth
from tests.factories import ApiClient
from tests.silent_port import silent_port
from tests.standing_clock import SetClock
from usage.models import BillRead

Json = dict[str, Any]


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice, without a cookie; the instance asks for tokens at the simulator, too."""
    set_up(alice, upstream, page_size=200)
    outcome = config.write({"token_base": upstream.base_url}, archive_id=INSTANCE, may_edit_instance=True)
    assert not outcome.errors
    credential.clear(alice.pk)
    return alice


def give(alice: User, **fields: Any) -> Json:
    answer: Json = ApiClient.signed_in(alice).post(f"/api/archives/{alice.pk}", {"credential": fields}).json()
    return answer


def give_token(alice: User, upstream: Simulator, account: int = 0, **more: Any) -> Json:
    return give(alice, token=upstream.token(account), user_id=upstream.user_id(account), **more)


def header(seen: SeenRequest, name: str) -> str | None:
    return next((value for key, value in seen.headers.items() if key.lower() == name), None)


def test_a_token_alone_collects(alice: User, upstream: Simulator) -> None:
    assert give_token(alice, upstream)["ok"] is True
    result = collected(alice)
    assert (result.run.status, contents(alice)) == (Run.Status.OK, truth(upstream))
    seen = upstream.requests_seen[-1]
    assert header(seen, "authorization") == f"Bearer {upstream.token()}"
    assert header(seen, "x-user-id") == header(seen, "x-enterprise-id") == upstream.user_id()
    assert header(seen, "cookie") is None


def test_its_packages_are_those_of_the_person(alice: User, upstream: Simulator) -> None:
    give_token(alice, upstream)
    collected(alice)
    assert len(ApiClient.signed_in(alice).get("/api/packages").json()["items"]) == 3
    [seen, *_] = [one for one in upstream.requests_beside if one.path.endswith("get-user-resource")]
    assert header(seen, "x-enterprise-id") is None


def test_a_member_of_an_enterprise_has_its_limit(alice: User, upstream: Simulator) -> None:
    upstream.shelves[0].is_member = True
    give_token(alice, upstream, enterprise_id="enterprise-7")
    collected(alice)
    [limit] = ApiClient.signed_in(alice).get("/api/packages").json()["items"]
    assert (limit["size"], limit["left"], limit["name"]) == (1000, 799.5, "Enterprise")


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize("fault", ["reset", *WHOLE_ANSWERS])
def test_no_answer_about_a_limit_fails_a_run(alice: User, upstream: Simulator, fault: str) -> None:
    upstream.shelves[0].is_member = True
    give_token(alice, upstream, enterprise_id="enterprise-7")
    collected(alice)
    before = len(upstream.requests_beside)
    upstream.faults_beside.fail(fault, route=MEMBER)
    assert collected(alice).run.status == Run.Status.OK
    assert [one for one in upstream.requests_beside[before:] if one.path.endswith(MEMBER)]
    [limit] = ApiClient.signed_in(alice).get("/api/packages").json()["items"]
    assert (limit["size"], limit["state"]) == (1000, "valid")


def test_calls_after_the_last_reading_are_taken_from_the_month_of_a_member(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.shelves[0].is_member = True
    give_token(alice, upstream, enterprise_id="enterprise-7")
    time.now = datetime(2026, 9, 30, 12, tzinfo=UTC)
    collected(alice)
    upstream.add(0, call_at(datetime(2026, 9, 30, 12, 30, tzinfo=UTC), "late", credits=100))
    time.pass_by(days=1)
    collected(alice)
    [_, last] = ApiClient.signed_in(alice).get("/api/packages").json()["items"]
    assert (last["state"], last["left"]) == ("expired", 699.5)


def test_days_are_proved_with_the_header_of_the_enterprise(alice: User, upstream: Simulator) -> None:
    upstream.daily_sums[0].needs_enterprise = True
    give_token(alice, upstream)
    collected(alice)
    [seen] = [one for one in upstream.requests_beside if one.path.endswith("get-user-daily-usage")]
    assert header(seen, "x-enterprise-id") == upstream.user_id()


def test_the_one_that_works_is_used_and_the_token_where_both_do(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    collected(alice)
    # The cookie is tried, and may end at any time after that.
    assert [header(seen, "cookie") is not None for seen in upstream.requests_seen] == [
        True, *[False] * (len(upstream.requests_seen) - 1),
    ]  # fmt: skip
    credential.store(alice.pk, "session=ended")
    assert collected(alice).run.status == Run.Status.OK
    assert header(upstream.requests_seen[-1], "authorization")
    credential.store(alice.pk, upstream.cookie())
    give(alice, token=OPAQUE, user_id=upstream.user_id())
    result = collected(alice)
    assert (result.run.status, header(upstream.requests_seen[-1], "authorization")) == (Run.Status.OK, None)
    assert "token" in result.run.detail


def test_a_cookie_beside_it_takes_no_proof_away(alice: User, upstream: Simulator) -> None:
    upstream.daily_sums[0].needs_enterprise = True
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    collected(alice)
    assert BillRead.objects.exists()


def test_with_neither_that_works_the_run_says_so(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, "session=ended")
    give(alice, token="x" * 40, user_id="somebody")
    assert collected(alice).run.exit_code == 4


def test_without_either_it_is_409(alice: User, upstream: Simulator) -> None:
    assert collected(alice).run.exit_code == 2
    give_token(alice, upstream)
    assert collected(alice).run.exit_code == 0


def test_a_broken_token_does_not_keep_the_cookie_from_working(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    Setting.objects.filter(key="token").update(value="not encrypted")
    assert collected(alice).run.status == Run.Status.OK
    assert ApiClient.signed_in(alice).get("/api/status").json()["token"] == {"broken": True, "expires_at": None}


def test_the_token_of_another_account_stores_nothing(alice: User, upstream: Simulator) -> None:
    give_token(alice, upstream)
    collected(alice)
    assert AccountOfArchive.objects.get().account == upstream.user_id()
    answer = give_token(alice, upstream, account=1)
    assert any("another account" in warning for warning in answer["warnings"])
    before = contents(alice)
    result = collected(alice)
    assert (result.run.exit_code, contents(alice)) == (5, before)


@pytest.mark.engine
def test_its_end_stands_in_the_status_and_in_a_notice(alice: User, upstream: Simulator, time: SetClock) -> None:
    give(alice, token=upstream.token(days=3), user_id=upstream.user_id())
    status = ApiClient.signed_in(alice).get("/api/status").json()
    assert status["token"] == {"broken": False, "expires_at": "2026-09-10 17:59:30"}
    assert (status["cookie_set"], status["cookie_expires_at"]) == (False, None)
    notice_causes.look()
    assert not Notice.objects.exists()
    time.pass_by(days=2)
    notice_causes.look()
    assert "token" in Notice.objects.get(event="cookie_ends").stored_begin


def test_the_status_of_an_archive_without_a_token_is_as_specified(alice: User) -> None:
    assert "token" not in ApiClient.signed_in(alice).get("/api/status").json()


def test_a_token_is_stored_encrypted_and_never_given_back(alice: User, upstream: Simulator) -> None:
    give_token(alice, upstream)
    stored = Setting.objects.get(key="token").value
    assert upstream.token() not in stored
    for path in ("/api/settings", "/api/status", "/api/archives", "/api/account/export"):
        answer = ApiClient.signed_in(alice).get(path)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert upstream.token().encode() not in content


@pytest.mark.engine
def test_null_removes_both_and_the_setting_removes_the_cookie_alone(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    api = ApiClient.signed_in(alice)
    api.post("/api/settings", {"cookie": "__clear__"})
    assert set(Setting.objects.filter(user_id=alice.pk).values_list("key", flat=True)) == {"token"}
    credential.store(alice.pk, upstream.cookie())
    assert api.post(f"/api/archives/{alice.pk}", {"credential": None}).json()["ok"] is True
    assert not Setting.objects.filter(user_id=alice.pk, key__in=["token", "cookie"]).exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"token": ""},
        {"token": "short"},
        {"token": "has a blank in the middle of it"},
        {"token": "x" * 8001, "user_id": "u"},
        {"token": "x" * 40},
        {"token": "x" * 40, "user_id": "two words"},
        {"token": "x" * 40, "user_id": "u", "enterprise_id": "y" * 129},
        {"token": 7, "user_id": "u"},
        {"token": None, "user_id": "u"},
        {"user_id": "u"},
        {"token": "x" * 40, "user_id": "u", "secret": "z"},
        {"token": "line\nbreak-and-more-letters", "user_id": "u"},
    ],
)
def test_what_is_no_token_is_refused(alice: User, fields: Json) -> None:
    answer = give(alice, **fields)
    assert (answer["ok"], answer["error"], answer["field"]) == (False, "bad_request", "credential")
    assert not Setting.objects.filter(key="token").exists()


def test_the_user_is_that_of_the_token_where_none_is_given(alice: User, upstream: Simulator) -> None:
    give(alice, token=f"Bearer {upstream.token()}")
    assert json.loads(credential.reveal(alice.pk, credential.TOKEN))["user_id"] == upstream.user_id()


@pytest.mark.engine
def test_a_token_alone_is_collected_by_schedule(alice: User, upstream: Simulator, time: SetClock, at: Any) -> None:
    give_token(alice, upstream)
    Setting.objects.filter(key="token").update(updated_at=time.now - timedelta(days=2))
    assert at("2026-09-08 12:31") == 1


def test_null_removes_the_token_alone(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    assert give(alice, token=None)["ok"] is True
    assert set(Setting.objects.filter(user_id=alice.pk).values_list("key", flat=True)) == {"cookie"}


@pytest.mark.file_counters
def test_a_token_is_tested_before_it_is_saved(alice: User, upstream: Simulator, time: SetClock) -> None:
    api = ApiClient.signed_in(alice)
    path = f"/api/archives/{alice.pk}/test"
    answer = api.post(path, {"credential": {"token": upstream.token()}}).json()
    assert (answer["ok"], answer["message"]) == (True, "The token works.")
    time.pass_by(seconds=20)
    answer = api.post(path, {"credential": {"token": "x" * 40, "user_id": "u"}}).json()
    assert (answer["ok"], answer["outcome"]) == (False, "refused")
    assert "token" in answer["message"]
    time.pass_by(seconds=20)
    answer = api.post(path, {"credential": {"token": "x"}})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert not Setting.objects.filter(key="token").exists()


# Not the form of any real one.
OPAQUE = "q7Lw9XzR2mK4vB8nT1cY6dF3hJ5gS0aP"


def test_a_stored_token_is_masked(alice: User) -> None:
    give(alice, token=OPAQUE, user_id="uid-1")
    api = ApiClient.signed_in(alice)
    api.post("/api/archives", {"kind": "codebuddy", "label": OPAQUE})
    assert OPAQUE not in api.get("/api/audit").content.decode()
    assert OPAQUE not in known_secrets.masked(f"Invalid header value b'Bearer {OPAQUE}'")


def test_the_token_is_used_where_the_host_of_the_cookie_does_not_answer(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "WAITS", (0.0,) * len(asking.WAITS))
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    with silent_port() as port:
        config.write({"api_base": f"http://127.0.0.1:{port}"}, archive_id=INSTANCE, may_edit_instance=True)
        assert collected(alice).run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)


def test_a_silent_host_of_the_token_is_asked_once_where_the_cookie_works(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    with silent_port() as port:
        config.write({"token_base": f"http://127.0.0.1:{port}"}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(alice).run
    assert run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)
    assert run.detail.count("127.0.0.1 failed") == 1


@pytest.mark.parametrize("fault", ["agent_refused", "cookie_too_large"])
def test_a_cookie_that_is_not_taken_gives_way_to_the_token(alice: User, upstream: Simulator, fault: str) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    upstream.faults.fail(fault, times=1)
    assert collected(alice).run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)


def test_where_neither_answers_the_run_fails_as_with_the_cookie(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    upstream.faults.fail("broken_json", times=2)
    assert collected(alice).run.added == len(truth(upstream))


def test_a_token_that_cannot_be_read_is_no_missing_cookie(alice: User, upstream: Simulator) -> None:
    give_token(alice, upstream)
    Setting.objects.filter(key="token").update(value="not encrypted")
    result = collected(alice)
    assert (result.run.exit_code, result.outcome.error) == (3, "cookie_broken")
    assert "token" in result.run.message


def test_a_stored_token_is_tested(alice: User, upstream: Simulator) -> None:
    give_token(alice, upstream)
    answer = ApiClient.signed_in(alice).post(f"/api/archives/{alice.pk}/test", {}).json()
    assert (answer["ok"], answer["message"]) == (True, "The token works.")


@pytest.mark.parametrize("before", ["Bearer ", "bearer ", "Authorization: Bearer ", "authorization:bearer "])
def test_what_is_copied_with_a_token_is_left_out(alice: User, before: str) -> None:
    assert give(alice, token=before + OPAQUE, user_id="u")["ok"] is True
    assert json.loads(credential.reveal(alice.pk, credential.TOKEN))["token"] == OPAQUE


def test_an_end_with_decimals_is_one() -> None:
    payload = urlsafe_b64encode(b'{"exp": 1893456000.5}').decode()
    assert Token(f"a.{payload}.c", "u", "u").ends_at == datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.engine
def test_a_long_user_id_is_refused_before_it_fails_a_run(alice: User) -> None:
    assert give(alice, token=OPAQUE, user_id="u" * 65)["ok"] is False
    assert give(alice, token=OPAQUE, user_id="u" * 64)["ok"] is True


def status_of(alice: User) -> Json:
    answer: Json = ApiClient.signed_in(alice).get("/api/status").json()
    return answer


def test_the_status_says_of_the_cookie_that_it_is_refused_while_the_token_works(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    collected(alice)
    assert status_of(alice)["cookie_refused"] is False
    credential.store(alice.pk, "session=ended")
    time.pass_by(minutes=10)
    assert collected(alice).run.status == Run.Status.OK
    assert status_of(alice)["cookie_refused"] is True
    notice_causes.look()
    assert "notice_cookie_refused_beside_token" in Notice.objects.get(event="cookie_refused").stored_begin
    credential.store(alice.pk, upstream.cookie())
    time.pass_by(minutes=10)
    collected(alice)
    assert status_of(alice)["cookie_refused"] is False


@pytest.mark.parametrize("new", ["", "session=another"])
def test_what_a_run_learns_of_a_cookie_is_said_of_no_other(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, new: str
) -> None:
    """The cookie is replaced, or removed, while the run asks with it."""
    credential.store(alice.pk, "session=ended")
    give_token(alice, upstream)
    enter = Upstream.__enter__

    def replaced(source: Upstream) -> Upstream:
        entered = enter(source)
        credential.clear(alice.pk)
        if new:
            credential.store(alice.pk, new)
        return entered

    monkeypatch.setattr(Upstream, "__enter__", replaced)
    assert collected(alice).run.status == Run.Status.OK
    assert status_of(alice)["cookie_refused"] is False


@pytest.mark.engine
def test_a_token_beside_it_changes_nothing_about_a_refused_cookie(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    credential.store(alice.pk, "session=ended")
    assert collected(alice).run.exit_code == 4
    assert status_of(alice)["cookie_refused"] is True
    time.pass_by(minutes=10)
    give_token(alice, upstream)
    assert status_of(alice)["cookie_refused"] is True


def test_the_answer_to_a_cookie_is_no_other_when_the_token_goes(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    credential.store(alice.pk, "session=ended")
    give_token(alice, upstream)
    time.pass_by(minutes=1)
    collected(alice)
    give(alice, token=None)
    found = last_answer(alice.pk)
    assert found
    assert found.outcome == "expired"


@pytest.mark.engine
def test_a_cookie_lasted_until_the_token_took_its_place(alice: User, upstream: Simulator, time: SetClock) -> None:
    credential.store(alice.pk, upstream.cookie())
    give_token(alice, upstream)
    collected(alice)
    time.pass_by(days=8)
    for _ in range(3):
        collected(alice)
        time.pass_by(days=10)
    assert cookie_lifetimes.lasted(alice.pk) == (8, 8)


def test_a_token_alone_that_is_refused_is_named_as_one(alice: User, upstream: Simulator) -> None:
    give(alice, token=OPAQUE, user_id="somebody")
    result = collected(alice)
    assert (result.run.exit_code, "token" in result.run.message, "cookie" in result.run.message) == (4, True, False)
    notice_causes.look()
    assert "notice_token_refused" in Notice.objects.get(event="cookie_refused").stored_begin


def test_a_token_alone_that_cannot_be_read_has_a_notice(alice: User, upstream: Simulator) -> None:
    give_token(alice, upstream)
    Setting.objects.filter(key="token").update(value="not encrypted")
    notice_causes.look()
    assert "notice_token_broken" in Notice.objects.get(event="cookie_refused").stored_begin


def test_the_status_says_that_the_cookie_is_refused_where_the_token_cannot_be_read(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    give_token(alice, upstream)
    Setting.objects.filter(key="token").update(value="not encrypted")
    time.pass_by(minutes=10)
    credential.store(alice.pk, "session=ended")
    time.pass_by(minutes=10)
    assert collected(alice).run.exit_code == 4
    assert status_of(alice)["cookie_refused"] is True
