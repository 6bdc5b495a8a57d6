"""Request headers as the developer tools of Chrome, Firefox and Safari copy them."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import AGENT, COOKIE, HOST, MISSING, PATH, credential, read

FIREFOX = f"""POST {PATH} HTTP/2
Host: {HOST}
User-Agent: {AGENT}
Accept: application/json
X-Empty:
Cookie: {COOKIE}
Priority: u=0
"""
CHROME = FIREFOX.replace("HTTP/2", "HTTP/1.1").replace("\n", "\r\n")
SAFARI = f"""POST {PATH} HTTP/1.1
Accept: application/json
Cookie: {COOKIE}
User-Agent: {AGENT}
"""
HTTP_2 = f""":method: POST
:scheme: https
:authority: {HOST}
:path: {PATH}
accept: application/json
cookie: {COOKIE}
user-agent: {AGENT}
"""
LINES = HTTP_2.replace(": ", "\n")
LINES_WITH_COLON = HTTP_2.replace(": ", ":\n")
FIREFOX_TABLE = FIREFOX.split("\n", 1)[1].replace("X-Empty:\n", "").replace(": ", "\n\t")
EMPTY_FIRST = f"X-Empty:\n{FIREFOX.split(chr(10), 1)[1]}"
EMPTY_FIRST_OF_REQUEST = FIREFOX.replace(f"Host: {HOST}", f"X-Empty:\nHost: {HOST}")
EMPTY_LINE = LINES.replace("accept\n", "x-domain\n\naccept\n")
EMPTY_LINES = LINES.replace("accept\n", "x-domain\n\naccept\n").replace("cookie\n", "x-other\n\ncookie\n")
EMPTY_LINE_WITH_COLON = LINES_WITH_COLON.replace("accept:\n", "x-domain:\n\naccept:\n")
ALONE = f"Cookie: {COOKIE}\nUser-Agent: {AGENT}"


@pytest.mark.parametrize(
    "text",
    [
        FIREFOX,
        CHROME,
        SAFARI,
        HTTP_2,
        LINES,
        LINES_WITH_COLON,
        FIREFOX_TABLE,
        ALONE,
        EMPTY_FIRST,
        EMPTY_FIRST_OF_REQUEST,
        EMPTY_LINE,
        EMPTY_LINES,
        EMPTY_LINE_WITH_COLON,
    ],
    ids=[
        "firefox",
        "chrome",
        "safari",
        "http 2",
        "lines",
        "lines with colon",
        "firefox table",
        "no host",
        "empty first",
        "empty first of request",
        "empty value",
        "empty values",
        "empty value with colon",
    ],
)
def test_copied_headers_give_cookie_and_user_agent(text: str) -> None:
    assert credential(text) == (COOKIE, AGENT)


def test_several_cookie_headers_of_http_2_are_one_cookie() -> None:
    text = HTTP_2.replace(f"cookie: {COOKIE}", "\n".join(f"cookie: {crumb}" for crumb in COOKIE.split("; ")))
    assert credential(text) == (COOKIE, AGENT)


def test_the_body_of_a_request_is_no_header() -> None:
    assert credential(f"{FIREFOX}\nCookie: body=1\n") == (COOKIE, AGENT)


def test_of_several_requests_the_one_to_the_upstream_counts() -> None:
    other = "GET /x HTTP/1.1\nHost: stats.example.com\nCookie: session=other\n"
    assert credential(f"{other}\n{FIREFOX}\n{other}") == (COOKIE, AGENT)


def test_a_cookie_that_goes_on_in_the_next_line_is_refused() -> None:
    with pytest.raises(ValueError, match="is cut off"):
        read("POST / HTTP/1.1\nCookie: session=a;\nsession_2=b\nAccept: */*")


@pytest.mark.parametrize(
    "text",
    ["GET / HTTP/1.1", "POST /x HTTP/2\nHost: a.example\n", ":authority: a.example", "Accept\n*/*", "Cookie:\n\n"],
)
def test_headers_without_a_cookie_are_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)
