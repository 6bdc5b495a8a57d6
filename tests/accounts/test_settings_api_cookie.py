"""The cookie and the user agent in POST /api/settings: docs/api.md#settings."""

from typing import Any

import pytest

from accounts import config, credential
from accounts.models import Setting, User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, told
from tests.accounts.settings_requests import AGENT, COOKIE, PATH, put

pytestmark = pytest.mark.django_db
CURL = f"curl 'https://www.codebuddy.cn/' -H 'User-Agent: {AGENT}' -b '{COOKIE}'"


def test_a_cookie_is_stored_and_named(alice: User, api_of: ApiOf) -> None:
    assert told(api_of(alice).post(PATH, {"cookie": f" Cookie: {COOKIE}\n"}))["changed"] == ["cookie"]
    assert credential.reveal(alice.pk) == COOKIE


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_cookie_changes_nothing(empty: str | None, alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    assert told(api_of(alice).post(PATH, {"cookie": empty}))["changed"] == []
    assert credential.reveal(alice.pk) == COOKIE


@pytest.mark.parametrize("word", ["__clear__", "-"])
def test_a_cookie_can_be_cleared(word: str, alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    assert told(api_of(alice).post(PATH, {"cookie": word}))["changed"] == ["cookie"]
    assert not credential.state(alice.pk).set


@pytest.mark.engine
def test_an_administrators_cookie_is_the_own_one(root: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"cookie": COOKIE})
    assert list(Setting.objects.values_list("user_id", "key")) == [(root.pk, "cookie")]


def test_a_pasted_curl_gives_cookie_and_user_agent(alice: User, api_of: ApiOf) -> None:
    assert told(api_of(alice).post(PATH, {"cookie": CURL}))["changed"] == ["cookie", "user_agent"]
    assert (credential.reveal(alice.pk), config.user_agent(alice.pk)) == (COOKIE, AGENT)


def test_a_user_agent_beside_it_beats_the_one_of_the_curl(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"cookie": CURL, "user_agent": "the other one"})
    assert config.user_agent(alice.pk) == "the other one"


def test_a_field_left_empty_does_not_beat_the_user_agent_of_the_curl(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"cookie": CURL, "user_agent": ""})
    assert config.user_agent(alice.pk) == AGENT


def test_an_empty_user_agent_is_cleared(alice: User, api_of: ApiOf) -> None:
    put("user_agent", AGENT, alice.pk)
    assert told(api_of(alice).post(PATH, {"user_agent": ""}))["changed"] == ["user_agent"]
    assert config.user_agent(alice.pk) == ""


def test_a_curl_without_a_cookie_is_an_error(alice: User, api_of: ApiOf) -> None:
    answer = told(api_of(alice).post(PATH, {"cookie": "curl 'https://www.codebuddy.cn/' -A agent"}))
    assert (answer["changed"], answer["errors"][0].startswith("cookie is missing")) == ([], True)


@pytest.mark.parametrize(
    "body",
    [
        {"cookie": COOKIE + "\n" + COOKIE},
        {"cookie": COOKIE * 300},
        {"cookie": COOKIE + "浏"},
        {"cookie": f"curl -b '{COOKIE}"},
        {"cookie": {"a": COOKIE}},
        {"user_agent": AGENT * 300},
        {"user_agent": AGENT + "\n" + AGENT},
    ],
)
def test_no_error_repeats_a_cookie_or_user_agent(body: dict[str, Any], alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).post(PATH, body)
    assert response.status_code == 400
    assert b"marker" not in response.content
    assert "marker" not in Entry.objects.get().detail


def test_no_answer_audit_or_log_holds_the_cookie(alice: User, api_of: ApiOf, caplog: pytest.LogCaptureFixture) -> None:
    api = api_of(alice)
    answers = [api.post(PATH, {"cookie": CURL, "page_size": "1"}), api.post(PATH, {"cookie": COOKIE})]
    written = [answer.content.decode() for answer in answers] + [entry.detail for entry in Entry.objects.all()]
    assert not [text for text in written if "marker" in text]
    assert "marker" not in caplog.text
