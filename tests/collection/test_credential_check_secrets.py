"""POST /api/credential/test: no run or record is left, and no answer, log or audit entry holds the tested cookie."""

import logging

import pytest
from django.conf import settings

from audit.known_secrets import MASK, masked
from audit.log import record
from audit.models import Entry
from collection import credential_check
from collection.models import Run
from collection.sources.codebuddy import trial
from collection.sources.over_http.exchange import Request, Trouble, late
from collection.sources.over_http.wire import Wire
from tests.collection.credential_endpoint import ask, point_at
from tests.collection.scripted_upstream import ScriptedUpstream, in_json, rows
from tests.factories import ApiClient
from usage.models import Record

pytestmark = pytest.mark.usefixtures("time", "agent")


def test_it_leaves_nothing_behind(api: ApiClient) -> None:
    before = Entry.objects.count()
    ask(api)
    assert (Run.objects.count(), Record.objects.count(), Entry.objects.count()) == (0, 0, before)


@pytest.mark.parametrize("code", [5, "fine"])
def test_a_cookie_that_the_upstream_repeats_is_not_shown(
    code: object, api: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    cookie = "session=marker0cookie0value"
    steps = {5: in_json({"code": 5, "msg": f"not like that: {cookie}"}), "fine": rows({"requestTime": cookie})}
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
    def fail(tried: trial.CookieTrial) -> None:
        raise RuntimeError(f"broke with {tried.asked.cookie}")

    monkeypatch.setattr(trial.CookieTrial, "ask", fail)
    assert ask(api, cookie="session=failing0k3Jq9ZtW0").status_code == 500
    logged = settings.DATA_FOLDER.log.read_text()
    assert ("failing0k3Jq9ZtW0" in logged, f"broke with {MASK}" in logged) == (False, True)


def test_a_line_of_the_upstream_clients_thread_is_masked(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def send(wire: Wire, request: Request) -> Trouble:
        logging.getLogger("urllib3").warning("sent from a thread: <%s>", request.headers["Cookie"].partition("=")[2])
        return late(1)

    monkeypatch.setattr(Wire, "_send", send)
    ask(api, cookie="session=thread0k3Jq9ZtW0")
    assert f"sent from a thread: <{MASK}>" in settings.DATA_FOLDER.log.read_text()
