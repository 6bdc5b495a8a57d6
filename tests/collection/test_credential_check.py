"""POST /api/credential/test: one outcome for each way in which the upstream answers, and nothing left behind."""

import logging
import time as real_time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.cache.backends import base

from accounts import config, credential
from accounts.models import INSTANCE, Setting, User
from archive_site.lib.storage import counter_cache
from audit.known_secrets import MASK, masked
from audit.log import record
from audit.models import Entry
from collection import credential_check
from collection.models import Run
from collection.simulator.simulator import Simulator
from collection.upstream.wire import Trouble, UpstreamSettings, Wire, late
from tests.collection.collector_run import SetClock, call_at, collected, set_up
from tests.collection.scripted_upstream import ScriptedUpstream, answer, rows, told
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from usage.models import Record

ApiOf = Callable[[User], ApiClient]
AGENT = "Mozilla/5.0 (X11; Linux x86_64) Test/1.0"
ENDED = "session=somebody|1700000000|hash; session_2=0"


@pytest.fixture(autouse=True)
def counted(time: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters expire by the clock of the test."""
    clock = SimpleNamespace(time=lambda: time.now.timestamp(), monotonic=lambda: 0.0, sleep=lambda seconds: None)
    for module in (counter_cache, base):
        monkeypatch.setattr(module, "time", clock)


@pytest.fixture
def api(alice: User, upstream: Simulator) -> ApiClient:
    """Alice, whose cookie and User-Agent are good."""
    set_up(alice, upstream)
    set_agent(alice, AGENT)
    return ApiClient.signed_in(alice)


def set_agent(user: User, agent: str) -> None:
    config.write({"user_agent": agent}, user_id=user.pk, may_edit_instance=False)


def point_at(url: str) -> None:
    assert not config.write({"api_base": url}, user_id=INSTANCE, may_edit_instance=True).errors


def ask(api: ApiClient, **body: object) -> Any:
    return api.post("/api/credential/test", body)


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


def test_a_good_cookie_is_told_with_the_newest_call(api: ApiClient, upstream: Simulator) -> None:
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


def test_an_account_without_a_call_is_fine(api: ApiClient, upstream: Simulator) -> None:
    upstream.faults.fail("null_data")
    found = ask(api).json()
    assert (found["outcome"], "newest" in found, "no call" in found["message"]) == ("fine", False, True)


def test_a_newest_call_that_cannot_be_read_is_fine_too(api: ApiClient, upstream: Simulator) -> None:
    upstream.faults.fail("row_bad_time")
    found = ask(api).json()
    assert (found["outcome"], "newest" in found, "cannot be read" in found["message"]) == ("fine", False, True)


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


def test_an_upstream_that_is_gone_is_the_networks(api: ApiClient, upstream: Simulator) -> None:
    upstream.stop()
    assert outcome(api) == "network"


def test_an_upstream_that_answers_nothing_is_given_up_soon(
    api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credential_check, "PATIENCE", 0.3)
    upstream.faults.fail("hang")
    started = real_time.monotonic()
    assert outcome(api) == "network"
    assert real_time.monotonic() - started < 20


# What a plain 401 means


def test_a_cookie_past_its_own_end_is_expired(api: ApiClient) -> None:
    found = ask(api, cookie=ENDED).json()
    assert (found["outcome"], "expired on 2023-11-14" in found["message"]) == ("expired", True)


def test_a_cookie_that_tells_no_end_is_expired(api: ApiClient) -> None:
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


def test_a_broken_cookie_is_told(alice: User, api: ApiClient) -> None:
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


# What it leaves behind


def test_it_leaves_nothing_behind(api: ApiClient) -> None:
    before = Entry.objects.count()
    ask(api)
    assert (Run.objects.count(), Record.objects.count(), Entry.objects.count()) == (0, 0, before)


@pytest.mark.parametrize("code", [5, "fine"])
def test_a_cookie_that_the_upstream_repeats_is_not_told(
    code: object, api: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    cookie = "session=marker0cookie0value"
    steps = {5: told({"code": 5, "msg": f"not like that: {cookie}"}), "fine": rows({"requestTime": cookie})}
    with ScriptedUpstream(steps[code]) as server, caplog.at_level(logging.DEBUG):
        point_at(server.url)
        response = ask(api, cookie=cookie)
    assert "marker0" not in response.content.decode() + caplog.text


@pytest.mark.parametrize("word", ["wrong password", "2026-09-07 18:00", "administrator"])
def test_a_word_that_was_tested_stays_readable(word: str, api: ApiClient) -> None:
    ask(api, cookie=word)
    record("login_failed", actor=word, user_id=None, detail=f"{word} was seen")
    entry = Entry.objects.get(action="login_failed")
    assert (entry.actor, entry.detail, masked(word)) == (word, f"{word} was seen", word)


def test_a_tested_cookie_is_forgotten_after_its_request(api: ApiClient) -> None:
    ask(api, cookie="session=tested0k3Jq9ZtW0")
    assert masked("tested0k3Jq9ZtW0") == "tested0k3Jq9ZtW0"


def test_a_test_that_is_refused_as_too_frequent_guards_nothing(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded: list[str] = []
    monkeypatch.setattr(credential_check, "guard_in_request", guarded.append)
    ask(api, cookie="session=first0k3Jq9ZtW0")
    assert ask(api, cookie="session=second0k3Jq9ZtW0").status_code == 429
    assert guarded == ["session=first0k3Jq9ZtW0"]


def test_a_failure_on_this_side_does_not_log_the_tested_cookie(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(asked: UpstreamSettings) -> None:
        raise RuntimeError(f"broke with {asked.cookie}")

    monkeypatch.setattr(credential_check, "_newest", fail)
    assert ask(api, cookie="session=failing0k3Jq9ZtW0").status_code == 500
    logged = settings.DATA_FOLDER.log.read_text()
    assert ("failing0k3Jq9ZtW0" in logged, f"broke with {MASK}" in logged) == (False, True)


def test_a_line_of_the_upstream_clients_thread_is_masked(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def post(wire: Wire, asked: UpstreamSettings, body: bytes) -> Trouble:
        logging.getLogger("urllib3").warning("sent from a thread: <%s>", asked.cookie.partition("=")[2])
        return late(1)

    monkeypatch.setattr(Wire, "_post", post)
    ask(api, cookie="session=thread0k3Jq9ZtW0")
    assert f"sent from a thread: <{MASK}>" in settings.DATA_FOLDER.log.read_text()


def test_a_redirect_elsewhere_says_where_to(api: ApiClient) -> None:
    with ScriptedUpstream(answer(302, Location="https://elsewhere.example/usage")) as server:
        point_at(server.url)
        found = ask(api).json()
    assert (found["outcome"], "elsewhere.example" in found["detail"]) == ("api_moved", True)


# Who


def test_it_needs_the_token_then_an_account(anonymous: ApiClient, db: None) -> None:
    assert anonymous.client.post("/api/credential/test").status_code == 400
    assert refused(ask(anonymous)) == (401, "unauthorized")
