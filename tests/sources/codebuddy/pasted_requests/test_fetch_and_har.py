"""Calls of fetch, and HAR archives."""

import json
from typing import Any

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import AGENT, COOKIE, ELSEWHERE, MISSING, URL, credential, read


def call(url: str, **headers: str) -> str:
    """A call as Chrome copies it for Node.js."""
    options = {"headers": {"accept": "application/json", **headers}, "body": '{"pageNum":1}', "method": "POST"}
    return f"fetch({json.dumps(url)}, {json.dumps(options, indent=2)});"


def har(*entries: dict[str, Any]) -> str:
    responses = {"response": {"status": 200, "content": {"text": "fetch("}}}
    log = {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": [{**one, **responses} for one in entries]}
    return json.dumps({"log": log}, indent=2)


def entry(url: str, *headers: tuple[str, str], **more: Any) -> dict[str, Any]:
    pairs = [{"name": name, "value": value} for name, value in headers]
    return {"request": {"method": "POST", "url": url, "headers": pairs, **more}}


OWN = entry(URL, ("cookie", COOKIE), ("user-agent", AGENT))


def test_a_call_for_node_gives_the_cookie() -> None:
    assert credential(call(URL, cookie=COOKIE, **{"user-agent": AGENT})) == (COOKIE, AGENT)


def test_a_call_may_be_awaited_and_its_line_breaks_gone() -> None:
    assert credential("await " + call(URL, Cookie=COOKIE).replace("\n", "")) == (COOKIE, "")


def test_of_all_calls_of_a_page_the_one_to_the_upstream_counts() -> None:
    calls = [call(ELSEWHERE, cookie="other=1"), call(URL, cookie=COOKIE), call(ELSEWHERE)]
    assert credential(" ;\n".join(calls)) == (COOKIE, "")


@pytest.mark.parametrize(
    "text",
    [
        call(URL),
        f'fetch("{URL}")',
        "fetch(address, options)",
        f'fetch("{URL}", {{"headers": {{"cookie": "session=a',
        f'fetch("{URL}", {{"headers": ["cookie"]}})',
        f'fetch("{URL}", ' + '{"a":' * 100_000,
    ],
    ids=["of a browser", "no options", "variables", "cut off", "list", "nested"],
)
def test_a_call_without_a_cookie_is_refused_with_that_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)


def test_a_har_gives_the_cookie_of_the_request_to_the_upstream() -> None:
    assert credential(har(entry(ELSEWHERE, ("Cookie", "other=1")), OWN, entry(ELSEWHERE))) == (COOKIE, AGENT)


def test_several_cookie_headers_of_http_2_are_one_cookie() -> None:
    crumbs = [("cookie", crumb) for crumb in COOKIE.split("; ")]
    assert credential(har(entry(URL, *crumbs))) == (COOKIE, "")


def test_a_har_may_have_the_cookies_beside_the_headers() -> None:
    cookies = [{"name": "session", "value": "a|1|b", "httpOnly": True}, {"name": "session_2", "value": "c"}]
    assert credential(har(entry(URL, ("user-agent", AGENT), cookies=cookies))) == ("session=a|1|b; session_2=c", AGENT)


def test_the_newest_of_several_requests_with_a_session_counts() -> None:
    requests = [entry(URL, ("cookie", cookie)) for cookie in ("session=a; n=1", "session=a; n=2", "n=3")]
    assert credential(har(*requests)) == ("session=a; n=2", "")


@pytest.mark.parametrize(
    "text",
    [
        har(),
        har(entry(URL, ("accept", "*/*"))),
        har(OWN)[:-40],
        '{"log": null}',
        '{"log": {"entries": [1, {"request": [2]}, {"request": {"headers": {"cookie": "a=b"}, "cookies": 3}}]}}',
        '{"log": ' + "[" * 100_000,
        '{"log": ' + "1" * 5_000,
    ],
    ids=["empty", "sanitized", "cut off", "null", "other types", "nested", "long number"],
)
def test_a_har_without_a_cookie_is_refused_with_that_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)
