"""Requests copied as cURL, for bash, cmd and PowerShell."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import (
    AGENT,
    COOKIE,
    ELSEWHERE,
    HOST,
    MISSING,
    URL,
    credential,
    read,
)

CHROME_BASH = f"""curl '{URL}' \\
  -H 'accept: application/json' \\
  -b $'session=5f2|1790000000|ab%7Ccd; session_2=x\\u0021y' \\
  -H 'user-agent: {AGENT}' \\
  --data-raw '{{"startTime":"2026-09-01 00:00:00","pageNum":1}}' \\
  --compressed"""
FIREFOX_BASH = f"""curl '{URL}' --compressed -X POST -H 'User-Agent: {AGENT}' -H 'Cookie: {COOKIE}' --data-raw '{{}}'"""
CHROME_CMD = f"""curl ^"{URL}^" ^
  -H ^"accept: application/json^" ^
  -b ^"session=5f2^|1790000000^|ab^%^7Ccd; session_2=x^!y^" ^
  -H ^"user-agent: Mozilla/5.0 (X11; Linux x86_64) ^\\^"quoted^\\^" Chrome/130^" ^
  --data-raw ^"^{{^\\^"pageNum^\\^":1^}}^" """
OLDER_CMD = f"""curl "{URL}" ^
  -H "cookie: session=5f2^|1790000000^|ab^%^7Ccd; session_2=x^!y" ^
  -H "user-agent: Mozilla/5.0 (X11; Linux x86_64) ^\\^"quoted^\\^" Chrome/130" ^
  --compressed"""

FIREFOX_CMD = f"""curl ^"{URL}^" ^
  --compressed ^
  -X POST ^
  -H ^"User-Agent: Mozilla/5.0 (X11; Linux x86_64) \\"quoted\\" Chrome/130^" ^
  -H ^"Cookie: session=5f2^|1790000000^|ab^%^7Ccd; session_2=x^!y^" ^
  --data-raw ^"{{}}^\""""
SAFARI = f"""curl '{URL}' \\
-X 'POST' \\
-H 'Cookie: {COOKIE}' \\
-H 'User-Agent: {AGENT}' \\
--data-binary '{{}}'"""
POWERSHELL = f"""curl.exe '{URL}' `
  -H 'Cookie: {COOKIE}' `
  -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64) \\"quoted\\" Chrome/130' `
  --data-raw '{{\\"pageNum\\":1}}'"""
POWERSHELL_DOUBLE = (
    f"""curl.exe "{URL}" -b "{COOKIE}" -A "Mozilla/5.0 (X11; Linux x86_64) \\`"quoted\\`" Chrome/130" """
)


@pytest.mark.parametrize(
    "text",
    [CHROME_BASH, FIREFOX_BASH, SAFARI, CHROME_CMD, OLDER_CMD, FIREFOX_CMD, POWERSHELL, POWERSHELL_DOUBLE],
    ids=[
        "chrome bash",
        "firefox bash",
        "safari",
        "chrome cmd",
        "older cmd",
        "firefox cmd",
        "powershell",
        "powershell, double quotes",
    ],
)
def test_a_copied_request_gives_cookie_and_user_agent(text: str) -> None:
    assert credential(text) == (COOKIE, AGENT)


@pytest.mark.parametrize("text", [CHROME_BASH, CHROME_CMD, OLDER_CMD], ids=["bash", "cmd", "older cmd"])
@pytest.mark.parametrize("line_break", ["", "\r\n"], ids=["gone", "windows"])
def test_line_breaks_may_be_gone_or_of_windows(text: str, line_break: str) -> None:
    assert read(text.replace("\n", line_break)) == read(text)


@pytest.mark.parametrize(
    "option",
    [
        f"-b '{COOKIE}'",
        f"-b'{COOKIE}'",
        f"--cookie '{COOKIE}'",
        f"-H 'Cookie: {COOKIE}'",
        f"-H'cookie:{COOKIE}'",
        f'--header "Cookie: {COOKIE}"',
        "-H 'cookie: session=5f2|1790000000|ab%7Ccd' -H 'cookie: session_2=x!y'",
    ],
)
def test_every_option_of_curl_for_a_cookie_counts(option: str) -> None:
    assert read(f"curl {option} {URL}").secret == COOKIE


@pytest.mark.parametrize("option", ["-A 'Firefox/131'", "--user-agent 'Firefox/131'", "-H 'User-Agent: Firefox/131'"])
def test_every_option_of_curl_for_a_user_agent_counts(option: str) -> None:
    assert read(f"$ curl.exe {URL} -b a=b {option}").user_agent == "Firefox/131"


def test_the_data_of_a_request_is_no_header() -> None:
    assert read(f"curl {URL} -b a=b --data-raw '-bc=d'").secret == "a=b"


@pytest.mark.parametrize(
    "text",
    [
        f"curl '{ELSEWHERE}' -b 'other=1' ;\ncurl '{URL}' -b '{COOKIE}' -A 'mine' ;\ncurl '{ELSEWHERE}' -b 'last=1'",
        f"""curl ^"{ELSEWHERE}^" ^
  -b ^"other=1^" ^
  --compressed &\r\ncurl ^"{URL}^" ^
  -b ^"session=5f2^|1790000000^|ab^%^7Ccd; session_2=x^!y^" ^
  -H ^"user-agent: mine^" &\r\ncurl ^"{ELSEWHERE}^" """,
    ],
    ids=["bash", "cmd"],
)
def test_of_all_requests_of_a_page_the_one_to_the_upstream_counts(text: str) -> None:
    assert credential(text) == (COOKIE, "mine")


def test_a_cookie_of_an_option_and_one_of_a_header_are_both_sent() -> None:
    assert read(f"curl {URL} -b 'session=a' -H 'Cookie: session_2=b'").secret == "session=a; session_2=b"


def test_a_referer_or_proxy_is_not_the_host_of_the_request() -> None:
    text = f"curl -e '{ELSEWHERE}' -x http://proxy.example.com:8080 '{URL}' -b '{COOKIE}'"
    assert (read(text).host, read(text).warnings) == (HOST, ())


def test_a_single_quote_is_doubled_in_powershell() -> None:
    assert read(f"curl.exe '{URL}' -b 'session=it''s'").secret == "session=it's"


@pytest.mark.parametrize(
    "text",
    [
        f"curl '{URL}' -H 'accept: */*'",
        f"curl {URL} -b cookies.txt",
        f"curl {URL} -b",
        f"curl {URL} -H 'Cookie:'",
    ],
)
def test_a_command_without_a_cookie_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)


@pytest.mark.parametrize("text", ["curl -b 'a=b", 'curl -b "a=b', "curl -b $'a=b\\'", "curl.exe 'x' -b 'a=b"])
def test_a_command_that_is_cut_off_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match="is cut off"):
        read(text)


def test_a_paste_never_shows_in_its_repr() -> None:
    assert "session" not in repr(read(CHROME_BASH))
    assert "Mozilla" not in repr(read(CHROME_BASH))


@pytest.mark.parametrize(
    "around",
    [
        *(
            "/usr/bin/{}",
            "LC_ALL=C {}",
            "C:\\Users\\a>{}",
            "$ {}",
            "```sh\n{}\n```",
            "# the bill\n{}",
            "`{}`",
            "`$ {}`",
        ),
        *("PS C:\\Users\\a> {}", "anna@host:~/a folder$ {}", "[root@host ~]# {}", "(venv) anna@mac ~ % {}", "% {}"),
    ],
)
def test_what_people_copy_around_a_command_is_passed(around: str) -> None:
    assert read(around.format(f"curl '{URL}' -b '{COOKIE}'")).secret == COOKIE
