"""What a person pastes into the cookie field."""

import time

import pytest

from accounts.curl_parser import LONGEST, read_pasted

COOKIE = "session=5f2|1790000000|ab%7Ccd; session_2=x!y"
AGENT = 'Mozilla/5.0 (X11; Linux x86_64) "quoted" Chrome/130'
URL = "https://www.codebuddy.cn/billing/meter/get-user-request-usage"

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
POWERSHELL = f"""$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130"
$session.Cookies.Add((New-Object System.Net.Cookie("session", "5f2|1790000000|ab%7Ccd", "/", "www.codebuddy.cn")))
$session.Cookies.Add((New-Object System.Net.Cookie("session_2", "x!y", "/", "www.codebuddy.cn")))
Invoke-WebRequest -UseBasicParsing -Uri "{URL}" `
-Method "POST" -WebSession $session -Headers @{{
"accept"="application/json"
}}"""
POWERSHELL_HEADERS = f"""Invoke-WebRequest -Uri "{URL}" -Headers @{{
"Cookie"="{COOKIE}"
  "User-Agent"="Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130"
}}"""


@pytest.mark.parametrize(
    "text",
    [CHROME_BASH, FIREFOX_BASH, CHROME_CMD, OLDER_CMD, POWERSHELL, POWERSHELL_HEADERS],
    ids=["chrome bash", "firefox bash", "chrome cmd", "older cmd", "powershell", "powershell headers"],
)
def test_a_copied_request_gives_cookie_and_user_agent(text: str) -> None:
    pasted = read_pasted(text)
    assert (pasted.cookie, pasted.user_agent) == (COOKIE, AGENT)


@pytest.mark.parametrize("text", [CHROME_BASH, CHROME_CMD, OLDER_CMD], ids=["bash", "cmd", "older cmd"])
@pytest.mark.parametrize("line_break", ["", "\r\n"], ids=["gone", "windows"])
def test_line_breaks_may_be_gone_or_of_windows(text: str, line_break: str) -> None:
    assert read_pasted(text.replace("\n", line_break)) == read_pasted(text)


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
    assert read_pasted(f"curl {option} {URL}").cookie == COOKIE


@pytest.mark.parametrize("option", ["-A 'Firefox/131'", "--user-agent 'Firefox/131'", "-H 'User-Agent: Firefox/131'"])
def test_every_option_of_curl_for_a_user_agent_counts(option: str) -> None:
    assert read_pasted(f"$ curl.exe {URL} -b a=b {option}").user_agent == "Firefox/131"


def test_the_data_of_a_request_is_no_header() -> None:
    assert read_pasted(f"curl {URL} -b a=b --data-raw '-bc=d'").cookie == "a=b"


@pytest.mark.parametrize(
    ("text", "cookie"),
    [
        ("a=b; c=d", "a=b; c=d"),
        ("Cookie: a=b", "a=b"),
        ("  cookie:a=b  ", "a=b"),
        ("abc", "abc"),
        ("curly=1", "curly=1"),
    ],
)
def test_a_bare_cookie_is_taken_as_it_is(text: str, cookie: str) -> None:
    pasted = read_pasted(text)
    assert (pasted.cookie, pasted.user_agent) == (cookie, "")


@pytest.mark.parametrize(
    "text",
    [
        "Cookie:",
        f"curl '{URL}' -H 'accept: */*'",
        f"curl {URL} -b cookies.txt",
        f"curl {URL} -b",
        "Invoke-WebRequest x",
    ],
)
def test_a_paste_without_a_cookie_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match="is missing in the pasted text"):
        read_pasted(text)


@pytest.mark.parametrize("text", ["curl -b 'a=b", 'curl -b "a=b', "curl -b $'a=b\\'"])
def test_a_command_that_is_cut_off_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match="is cut off"):
        read_pasted(text)


def test_a_paste_beyond_all_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 65,536"):
        read_pasted("curl -b a=" + "b" * LONGEST)


@pytest.mark.parametrize(
    "text", ["curl " + "\\ " * 30_000, "curl " + "a'b'" * 15_000, "Invoke-WebRequest " + 'System.Net.Cookie("' * 3_000]
)
def test_a_wicked_paste_is_read_in_no_time(text: str) -> None:
    started = time.monotonic()
    with pytest.raises(ValueError, match="is missing|is cut off"):
        read_pasted(text)
    assert time.monotonic() - started < 2


def test_a_paste_never_shows_in_its_repr() -> None:
    assert repr(read_pasted(CHROME_BASH)) == "Pasted()"
