"""POST /api/credential/test: one outcome for each way in which the upstream answers, what is tried, and how often."""

import time as real_time
from typing import Any

import pytest

from accounts.credentials import credential
from accounts.models import Setting, User
from collection.sources.codebuddy import trial
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import call_at, collected
from tests.collection.credential_endpoint import AGENT, ask, point_at, set_agent
from tests.collection.scripted_upstream import ScriptedUpstream, answer, in_json
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from tests.silent_port import silent_port
from tests.standing_clock import SetClock

pytestmark = pytest.mark.usefixtures("time", "agent")
ENDED = "session=somebody|1700000000|hash; session_2=0"


def outcome(api: ApiClient, **body: object) -> str:
    """The outcome of a test that worked; that of a failed one goes with `ok` false."""
    response = ask(api, **body)
    assert response.status_code == 200, response.content
    found = response.json()
    assert found["ok"] is (found["outcome"] == "fine")
    assert found["message"]
    return str(found["outcome"])


def refused(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]


# Outcomes


def test_a_good_cookie_is_reported_with_the_newest_call(api: ApiClient, upstream: Simulator) -> None:
    upstream.add(0, call_at(NOW, "newest", model="glm-5", client="IDE", credits="1.5"))
    assert ask(api).json() == {
        "ok": True,
        "outcome": "fine",
        "message": "The cookie works.",
        "newest": {"ts": "2026-09-07 17:59:30", "model": "glm-5", "client": "IDE", "credits": 1.5},
    }


def test_one_row_is_asked_for_in_one_request(api: ApiClient, upstream: Simulator) -> None:
    ask(api)
    assert [(seen.body or {})["pageSize"] for seen in upstream.requests_seen] == [1]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"total": 0, "data": []}, "CodeBuddy has no calls from the last month."),
        (None, "CodeBuddy gave no calls, and no count either."),
        ({"total": 3, "data": []}, "CodeBuddy counts calls of the last month, but gave none."),
    ],
    ids=["counted", "without a count", "counted only"],
)
def test_an_account_without_a_call_is_fine(api: ApiClient, data: object, words: str) -> None:
    with ScriptedUpstream(in_json({"code": 0, "data": data})) as server:
        point_at(server.url)
        found = ask(api).json()
    assert (found["outcome"], "newest" in found) == ("fine", False)
    assert found["message"] == f"The cookie works. {words}"


def test_a_newest_call_that_cannot_be_read_is_fine_too(api: ApiClient, upstream: Simulator) -> None:
    upstream.faults.fail("row_bad_time")
    found = ask(api).json()
    assert (found["outcome"], "newest" in found, "cannot be read" in found["message"]) == ("fine", False, True)


@pytest.mark.thorough_after(6)
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("expired_redirect", "expired"),
        ("expired_html_200", "expired"),
        ("expired_12153", "expired"),
        ("agent_refused", "user_agent_refused"),
        ("cookie_too_large", "cookie_too_large"),
        ("not_found", "api_moved"),
        ("redirect_loop", "api_moved"),
        ("broken_json", "api_moved"),
        ("wrong_types_body", "api_moved"),
        ("reset", "network"),
        ("bad_params", "api"),
        ("api_code", "api"),
        ("overload_429", "api"),
        ("server_error", "api"),
        ("gateway_timeout", "api"),
    ],
)
def test_each_fault_of_the_upstream_has_its_outcome(
    fault: str, expected: str, api: ApiClient, upstream: Simulator
) -> None:
    upstream.faults.fail(fault)
    assert outcome(api) == expected
    assert upstream.request_count == 1


def test_what_the_upstream_said_goes_with_an_error_that_is_not_the_cookies(api: ApiClient, upstream: Simulator) -> None:
    upstream.faults.fail("api_code")
    assert "usage service is being maintained" in ask(api).json()["detail"]


def test_a_redirect_elsewhere_says_where_to(api: ApiClient) -> None:
    with ScriptedUpstream(answer(302, Location="https://elsewhere.example/usage")) as server:
        point_at(server.url)
        found = ask(api).json()
    assert (found["outcome"], "elsewhere.example" in found["detail"]) == ("api_moved", True)


def test_an_upstream_that_is_gone_is_the_networks(api: ApiClient) -> None:
    with silent_port() as port:
        point_at(f"http://127.0.0.1:{port}")
        assert outcome(api) == "network"


def test_an_upstream_that_answers_nothing_is_given_up_soon(
    api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE", 0.3)
    upstream.faults.fail("hang")
    started = real_time.monotonic()
    assert outcome(api) == "network"
    assert real_time.monotonic() - started < 20


# What a plain 401 means


def test_a_cookie_past_its_own_end_is_expired(api: ApiClient) -> None:
    found = ask(api, cookie=ENDED).json()
    assert (found["outcome"], "expired on 2023-11-14" in found["message"]) == ("expired", True)


def test_a_cookie_that_names_no_end_is_expired(api: ApiClient) -> None:
    assert outcome(api, cookie="session=nobody; session_2=0") == "expired"


def test_a_cookie_that_should_be_good_still_is_of_elsewhere(api: ApiClient) -> None:
    with Simulator(seed=2, days=1, now=lambda: NOW) as other:
        found = ask(api, cookie=other.cookie()).json()
    assert found["outcome"] == "wrong_host"
    assert "valid until 2026-09-1" in found["message"]


def test_a_request_copied_from_another_host_names_both(api: ApiClient, upstream: Simulator) -> None:
    found = ask(api, cookie=f"curl 'https://www.Workbuddy.ai/billing/x' -H 'Cookie: {ENDED}'").json()
    assert found["outcome"] == "wrong_host"
    assert "www.workbuddy.ai" in found["message"]
    assert upstream.base_url.removeprefix("http://") in found["message"]


@pytest.mark.engine
def test_without_any_user_agent_that_is_what_is_missing(alice: User, api: ApiClient, upstream: Simulator) -> None:
    set_agent(alice, "")
    upstream.faults.fail("expired_401_html")
    assert outcome(api) == "user_agent_refused"


def test_a_cookie_that_has_worked_is_no_strangers(
    alice: User, api: ApiClient, upstream: Simulator, time: SetClock
) -> None:
    time.pass_by(minutes=1)
    collected(alice)
    upstream.faults.fail("expired_401_html")
    assert outcome(api) == "expired"


# What is tried


def test_what_was_pasted_is_tried_before_it_is_saved(alice: User, api: ApiClient, upstream: Simulator) -> None:
    credential.clear(alice.pk)
    upstream.user_agent = AGENT + " pasted"
    curl = f"curl '{upstream.base_url}{upstream.path}' -H 'Cookie: {upstream.cookie()}' -H 'User-Agent: {AGENT} pasted'"
    before = list(Setting.objects.values())
    assert outcome(api, cookie=curl) == "fine"
    assert list(Setting.objects.values()) == before


def test_a_user_agent_is_tried_with_the_stored_cookie(api: ApiClient, upstream: Simulator) -> None:
    upstream.user_agent = "Another/1.0"
    assert outcome(api, user_agent="Another/1.0") == "fine"


def test_without_a_cookie_there_is_nothing_to_try(alice: User, api: ApiClient, upstream: Simulator) -> None:
    credential.clear(alice.pk)
    assert refused(ask(api)) == (409, "no_cookie")
    assert upstream.request_count == 0


def test_a_broken_cookie_is_reported(alice: User, api: ApiClient) -> None:
    Setting.objects.filter(user_id=alice.pk, key="cookie").update(value="gAAAAAnot-ours")
    assert refused(ask(api)) == (409, "cookie_broken")


@pytest.mark.parametrize("bad", ["session=a\nb", "x" * 8001, "curl 'https://www.example.com/' -A agent", ["a"]])
def test_a_paste_is_refused_in_the_words_of_the_settings(bad: object, api: ApiClient, upstream: Simulator) -> None:
    tried, saved = ask(api, cookie=bad), api.post("/api/settings", {"cookie": bad})
    assert (tried.status_code, tried.json()) == (saved.status_code, saved.json())
    assert upstream.request_count == 0


def test_a_bad_user_agent_is_refused_as_well(api: ApiClient) -> None:
    assert refused(ask(api, user_agent="x" * 600)) == (400, "invalid")


# How often


@pytest.mark.file_counters
def test_a_second_try_waits_for_ten_seconds(api: ApiClient, time: SetClock) -> None:
    ask(api)
    time.pass_by(seconds=4)
    response = ask(api)
    assert (*refused(response), response.headers["Retry-After"]) == (429, "too_frequent", "6")
    time.pass_by(seconds=6)
    assert outcome(api) == "fine"


def test_a_failed_try_counts_and_a_refused_paste_does_not(api: ApiClient, upstream: Simulator) -> None:
    assert ask(api, cookie="session=a\nb").status_code == 400
    upstream.faults.fail("server_error")
    assert outcome(api) == "api"
    assert ask(api).status_code == 429


def test_two_accounts_do_not_wait_for_each_other(api: ApiClient, bob: User, upstream: Simulator) -> None:
    credential.store(bob.pk, upstream.cookie(1))
    upstream.add(0, call_at(NOW, "alices", model="alices"))
    upstream.add(1, call_at(NOW, "bobs", model="bobs"))
    found = [ask(client).json()["newest"]["model"] for client in (api, ApiClient.signed_in(bob))]
    assert found == ["alices", "bobs"]


# Who


def test_it_needs_the_token_then_an_account(anonymous: ApiClient, db: None) -> None:
    assert anonymous.client.post("/api/credential/test").status_code == 400
    assert refused(ask(anonymous)) == (401, "unauthorized")
