"""Pastes that are made to cost as much as possible, and those that hold anything."""

import json
import time

import pytest

from accounts.credentials.credential_forms import LONGEST
from tests.sources.codebuddy.pasted_requests.pastes import URL, read

REPEATED = {
    "blanks of bash": "curl " + "\\ " * LONGEST,
    "quotes of bash": "curl " + "a'b'" * LONGEST,
    "escapes of bash": "curl " + "\\a" * LONGEST,
    "options of curl": "curl " + "-sS " * LONGEST,
    "joined options": "curl -" + "s" * LONGEST,
    "hosts of curl": "curl " + "a.b " * LONGEST,
    "carets of cmd": 'curl ^"' + "^^" * LONGEST,
    "quotes of powershell": "curl.exe '" + "''" * LONGEST,
    "backticks": "curl.exe '' " + "`a" * LONGEST,
    "doubled quotes": "curl.exe `\n" + '""' * LONGEST,
    "cookies of powershell": "Invoke-WebRequest " + 'System.Net.Cookie("' * LONGEST,
    "names of powershell": "Invoke-WebRequest " + '"cookie"="' * LONGEST,
    "escaped quotes of powershell": 'Invoke-WebRequest "' + '`"' * LONGEST,
    "texts of powershell": "Invoke-WebRequest " + "'a' " * LONGEST,
    "agents of powershell": "Invoke-WebRequest " + "-UserAgent   " * LONGEST,
    "tables of powershell": "Invoke-WebRequest " + "System.Net.Cookie@{" * LONGEST,
    "texts in a table": "Invoke-WebRequest System.Net.Cookie@{" + '"a"' * LONGEST,
    "blanks before a table": "Invoke-WebRequest System.Net.Cookie" + " " * LONGEST,
    "properties of powershell": "$a.Name = '' " * LONGEST,
    "new objects": "New-Object Microsoft.PowerShell " * LONGEST,
    "pipes": "echo | http -" + "| http" * LONGEST,
    "headers of httpie": "http GET x " + "a:b " * LONGEST,
    "calls of fetch": "fetch(" * LONGEST,
    "texts of fetch": 'fetch("' * LONGEST,
    "lists": "[{" * LONGEST,
    "cookies": "[" + '{"name":"a"},' * LONGEST,
    "entries": '{"log":{"entries":[' + "{}," * LONGEST,
    "empty lines": "GET / HTTP/1.1\n" + "\n \n" * LONGEST,
    "headers": "GET / HTTP/1.1\n" + "a:\n" * LONGEST,
    "names": "a\n" * LONGEST,
    "panes": f"Request URL\n{URL}\n" * 20_000,
    "headings": "Request Headers\n" * LONGEST,
    "blanks of a pane": "Request Headers\ncookie" + " " * LONGEST,
    "open brackets of a pane": "Request Headers\n" + "Request Headers (" * LONGEST,
    "commas": "Set-Cookie: =" + ", " * LONGEST,
    "names of set cookies": "Set-Cookie: =" + ", a" * LONGEST,
    "attributes": "Set-Cookie: =" + "; expires=" * LONGEST,
    "rows": "# HTTP Cookie File\n" + "a TRUE / TRUE " * LONGEST,
    "blanks of a row": "# HTTP Cookie File\na TRUE" + " " * LONGEST,
}


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_a_wicked_paste_is_read_in_no_time(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ValueError, match="is missing|is cut off"):
        read(text[: LONGEST - 1] + "x")
    assert time.process_time() - started < 3


@pytest.mark.parametrize("start", ["a@b", "[a@b c", "(a) a@b", "C:\\", "PS "])
def test_what_begins_like_the_prompt_of_a_terminal_is_read_in_no_time(start: str) -> None:
    started = time.process_time()
    assert read(start.ljust(LONGEST, "a")).secret
    assert time.process_time() - started < 1


def test_a_har_with_thousands_of_requests_is_read_in_no_time() -> None:
    headers = [{"name": "cookie", "value": "session=a"}]
    entries = [{"request": {"url": URL, "headers": headers}} for _ in range(6_000)]
    started = time.process_time()
    assert read(json.dumps({"log": {"entries": entries}})).secret == "session=a"
    assert time.process_time() - started < 3


def test_a_paste_beyond_all_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 1,000,000"):
        read("curl -b a=" + "b" * LONGEST)


@pytest.mark.parametrize("letter", ["\0", "\ud800", "\N{GRINNING FACE}"])
@pytest.mark.parametrize("form", ["curl -b 'session={}'", "Cookie: session={}", '[{{"name":"session","value":"{}"}}]'])
def test_any_character_is_left_to_the_rules_of_the_setting(form: str, letter: str) -> None:
    assert read(form.format(letter)).secret == f"session={letter}"
