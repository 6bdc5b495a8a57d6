"""The cookie and the user agent in POST /api/settings: docs/api.md#settings."""

from typing import Any

import pytest

from accounts import config
from accounts.credentials import credential
from accounts.models import Setting, User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.accounts.settings_requests import AGENT, COOKIE, PATH, put

pytestmark = pytest.mark.django_db
CURL = f"curl 'https://www.codebuddy.cn/' -H 'User-Agent: {AGENT}' -b '{COOKIE}'"


def test_a_cookie_is_stored_and_named(alice: User, api_of: ApiOf) -> None:
    assert answer_of(api_of(alice).post(PATH, {"cookie": f" Cookie: {COOKIE}\n"}))["changed"] == ["cookie"]
    assert credential.reveal(alice.pk) == COOKIE


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_cookie_changes_nothing(empty: str | None, alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    assert answer_of(api_of(alice).post(PATH, {"cookie": empty}))["changed"] == []
    assert credential.reveal(alice.pk) == COOKIE


@pytest.mark.parametrize("word", ["__clear__", "-"])
def test_a_cookie_can_be_cleared(word: str, alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    assert answer_of(api_of(alice).post(PATH, {"cookie": word}))["changed"] == ["cookie"]
    assert not credential.state(alice.pk).set


def test_an_administrators_cookie_is_the_own_one(root: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"cookie": COOKIE})
    assert list(Setting.objects.values_list("user_id", "key")) == [(root.pk, "cookie")]


def test_a_pasted_curl_gives_cookie_and_user_agent(alice: User, api_of: ApiOf) -> None:
    assert answer_of(api_of(alice).post(PATH, {"cookie": CURL}))["changed"] == ["cookie", "user_agent"]
    assert (credential.reveal(alice.pk), config.user_agent(alice.pk)) == (COOKIE, AGENT)


def test_a_user_agent_beside_it_beats_the_one_of_the_curl(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"cookie": CURL, "user_agent": "the other one"})
    assert config.user_agent(alice.pk) == "the other one"


def test_a_field_left_empty_does_not_beat_the_user_agent_of_the_curl(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"cookie": CURL, "user_agent": ""})
    assert config.user_agent(alice.pk) == AGENT


def test_an_empty_user_agent_is_cleared(alice: User, api_of: ApiOf) -> None:
    put("user_agent", AGENT, alice.pk)
    assert answer_of(api_of(alice).post(PATH, {"user_agent": ""}))["changed"] == ["user_agent"]
    assert config.user_agent(alice.pk) == ""


def test_a_curl_without_a_cookie_is_an_error(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).post(PATH, {"cookie": "curl 'https://www.codebuddy.cn/' -A agent"}))
    assert (answer["changed"], answer["errors"][0].startswith("cookie is missing")) == ([], True)


def test_a_form_without_a_cookie_is_refused_with_the_list_of_forms(alice: User, api_of: ApiOf) -> None:
    answer = api_of(alice).post(PATH, {"cookie": '{"log": {"entries": []}}'})
    body = answer_of(answer)
    assert (body["error"], body["changed"]) == ("invalid", [])
    for form in ("cURL (bash, cmd, PowerShell)", "fetch", "request headers", "HAR", "cookies.txt", "wget", "HTTPie"):
        assert form in body["errors"][0]
    assert not credential.state(alice.pk).set


def test_a_form_without_a_cookie_leaves_the_stored_one(alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    api_of(alice).post(PATH, {"cookie": "[]"})
    assert credential.reveal(alice.pk) == COOKIE


def test_a_cookie_without_doubt_is_answered_without_warnings(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).post(PATH, {"cookie": CURL}))
    assert answer == {"ok": True, "changed": ["cookie", "user_agent"], "ignored": []}


def test_a_doubtful_cookie_is_stored_with_a_warning(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).post(PATH, {"cookie": "marker|1790000000|0123abcd"}))
    assert (answer["changed"], len(answer["warnings"])) == (["cookie"], 1)
    assert credential.reveal(alice.pk) == "marker|1790000000|0123abcd"


def test_a_refused_key_beside_it_does_not_hide_the_warning(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).post(PATH, {"cookie": "a=b", "user_agent": "A" * 999}))
    assert (answer["changed"], len(answer["errors"]), len(answer["warnings"])) == (["cookie"], 1, 1)


def test_a_refused_cookie_is_not_warned_about(alice: User, api_of: ApiOf) -> None:
    assert "warnings" not in answer_of(api_of(alice).post(PATH, {"cookie": f"a=b; {'c' * 8_000}"}))


def test_a_cleared_cookie_is_not_warned_about(alice: User, api_of: ApiOf) -> None:
    assert "warnings" not in answer_of(api_of(alice).post(PATH, {"cookie": "-"}))


@pytest.mark.parametrize(
    ("base", "doubts"), [("https://www.workbuddy.ai", 1), ("https://www.codebuddy.cn", 0), ("", 0)]
)
def test_the_host_is_compared_with_the_upstream_that_the_same_body_sets(
    base: str, doubts: int, root: User, api_of: ApiOf
) -> None:
    put("api_base", "https://www.example.com")
    answer = answer_of(api_of(root).post(PATH, {"cookie": CURL, "api_base": base}))
    assert len(answer.get("warnings", [])) == doubts


def test_of_several_requests_the_one_to_the_stored_upstream_counts(alice: User, api_of: ApiOf) -> None:
    put("api_base", "https://www.workbuddy.ai")
    other = f"curl 'https://www.workbuddy.ai/x' -b '{COOKIE}; other=1'"
    assert "warnings" not in answer_of(api_of(alice).post(PATH, {"cookie": f"{other} ;\n{CURL}"}))
    assert credential.reveal(alice.pk) == f"{COOKIE}; other=1"


@pytest.mark.parametrize(
    "body",
    [
        {"cookie": COOKIE + "\n" + COOKIE},
        {"cookie": f'[{{"name": "session", "value": "{COOKIE}'},
        {"cookie": f'fetch("https://{COOKIE}/", {{"headers": {{"x": "{COOKIE}"}}}})'},
        {"cookie": f"GET / HTTP/1.1\nCookie: {COOKIE}\n{COOKIE}"},
        {"cookie": f'[{{"name": "session", "value": "{COOKIE}\\ud800"}}]'},
        {"cookie": f"curl 'https://{COOKIE}' -b '{COOKIE}' -A '{AGENT}\0'"},
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
