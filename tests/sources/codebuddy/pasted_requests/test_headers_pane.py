"""The headers pane of developer tools, copied as text."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import (
    AGENT,
    COOKIE,
    ELSEWHERE,
    HOST,
    MISSING,
    PATH,
    URL,
    credential,
    read,
)

LINES = f"""Request URL
{URL}
Request Method
POST
Status Code
200 OK
Remote Address
203.0.113.7:443
Referrer Policy
strict-origin-when-cross-origin
Response Headers (3)
content-type
application/json
set-cookie
session=; Path=/; Max-Age=0
vary
Cookie
Request Headers (6)
:authority
{HOST}
:method
POST
:path
{PATH}
accept
application/json
cookie
{COOKIE}
user-agent
{AGENT}
"""
COLONS = f"""General
Request URL: {URL}
Request Method: POST
Status Code: 200 OK
Response Headers
view source
Content-Type: application/json
Set-Cookie: session=new; Path=/
Request Headers
view source
Accept: application/json
Cookie: {COOKIE}
Host: {HOST}
User-Agent: {AGENT}
Request Payload
cookie: of the body
"""
COLON_AND_LINE = f"Request URL:\n{URL}\nRequest Headers:\nCookie:\n{COOKIE}\nUser-Agent:\n{AGENT}"
CHINESE = (
    LINES.replace("Request URL", "请求网址")
    .replace("Request Method", "请求方法")
    .replace("Status Code", "状态代码")
    .replace("Response Headers (3)", "响应标头")
    .replace("Request Headers (6)", "请求标头")
)
CHINESE_COLONS = (
    COLONS.replace("General", "常规")
    .replace("Request URL:", "请求 URL：")
    .replace("Response Headers", "响应标头（3）")
    .replace("Request Headers", "▼ 请求标头（6）")
    .replace("Request Payload", "请求载荷")
)
TRADITIONAL = (
    LINES.replace("Request URL", "要求網址").replace("Response H", "回應標頭\nh").replace("Request Headers", "要求標頭")
)
FIREFOX = f"""POST
\t
{URL}
Status
200
OK
Version
HTTP/2
Response Headers (1.1 kB)
Vary
\tCookie
Request Headers (2.345 kB)
Accept
\t*/*
Cookie
\t{COOKIE}
User-Agent
\t{AGENT}
"""
FIREFOX_WITHOUT_HEADINGS = FIREFOX.replace("Response Headers (1.1 kB)\n", "").replace(
    "Request Headers (2.345 kB)\n", ""
)
FIREFOX_CHINESE = FIREFOX.replace("Response Headers", "响应头").replace("Request Headers", "请求头")
SAFARI = f"""Summary
URL: {URL}
Status: 200

Request
POST {PATH} HTTP/1.1
Accept: application/json
Cookie: {COOKIE}
User-Agent: {AGENT}

Response
HTTP/1.1 200 OK
Set-Cookie: session=new; Path=/
"""
REQUEST_ALONE = LINES[LINES.index("Request Headers") :]
RAW = f"Request Headers\nRaw\nPOST {PATH} HTTP/1.1\nHost: {HOST}\nCookie: {COOKIE}\nUser-Agent: {AGENT}"
PANES = {
    "lines": LINES,
    "colons": COLONS,
    "colon and line": COLON_AND_LINE,
    "chinese": CHINESE,
    "chinese colons": CHINESE_COLONS,
    "traditional": TRADITIONAL,
    "firefox": FIREFOX,
    "firefox without headings": FIREFOX_WITHOUT_HEADINGS,
    "firefox chinese": FIREFOX_CHINESE,
    "safari": SAFARI,
    "request alone": REQUEST_ALONE,
    "raw": RAW,
    "method first": LINES.partition(f"{URL}\n")[2],
}


@pytest.mark.parametrize("text", PANES.values(), ids=PANES)
def test_the_headers_of_the_request_give_cookie_and_user_agent(text: str) -> None:
    assert credential(text) == credential(text.replace("\n", "\r\n")) == (COOKIE, AGENT)


def test_of_several_panes_the_one_to_the_upstream_counts() -> None:
    other = LINES.replace(URL, ELSEWHERE).replace(HOST, "stats.example.com").replace(COOKIE, "session=other")
    assert credential(f"{other}\n{LINES}\n{other}") == (COOKIE, AGENT)


def test_another_host_is_named() -> None:
    pasted = read(f"Request URL\n{ELSEWHERE}\nRequest Headers\ncookie\nsession=a")
    assert (pasted.host, pasted.secret) == ("stats.example.com", "session=a")
    assert "stats.example.com" in pasted.warnings[0]


def test_the_cookies_of_an_answer_count_where_the_request_has_none() -> None:
    text = (
        f"Request URL\n{URL}\nResponse Headers\nset-cookie\nsession=a; Path=/; HttpOnly\nRequest Headers\naccept\n*/*"
    )
    assert read(text).secret == "session=a"


@pytest.mark.parametrize(
    "text",
    [
        f"Request URL\n{URL}\nRequest Method\nPOST",
        f"请求网址: {URL}\n请求方法: POST",
        "Request Headers\nProvisional headers are shown\naccept\n*/*",
        "Response Headers\nvary\nCookie\nserver\nx",
        "Request Headers\ncookie\nResponse Headers\nserver\nx",
        "请求标头\naccept\n*/*",
    ],
)
def test_a_pane_without_a_cookie_is_refused_with_that_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)


@pytest.mark.parametrize("text", ["general", "Request Headers", "url", "summary"])
def test_one_word_is_no_pane(text: str) -> None:
    assert read(text).secret == text
