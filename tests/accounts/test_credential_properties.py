"""Properties of pasted cookies and of new names and passwords, for any text.

The rules: docs/decisions/tests.md#random-requests.
"""

import json
import re
import shlex
import unicodedata
from collections.abc import Callable

from django.core.exceptions import ValidationError
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.account_creation import clean_password, clean_username
from accounts.config import KEYS
from accounts.passwords.lookalikes import likeness, looks_like_automatic_actor
from audit.known_secrets import secrets_in
from tests.fuzz.values import SEEDS
from tests.sources.codebuddy.pasted_requests.pastes import read

TEXTS = st.text(max_size=300) | st.sampled_from(SEEDS)
PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=";"), min_size=1, max_size=80)
URL = "https://www.codebuddy.cn/api?x=1%20"
BEGINNINGS = st.sampled_from(
    [
        "",
        "curl ",
        "curl -H 'Cookie: ",
        'curl.exe ^"',
        "curl.exe '",
        "wget ",
        "http GET ",
        "Cookie: ",
        "$'\\x",
        '[{"name":"',
    ]
    + ["Invoke-WebRequest -Uri ", 'fetch("', '{"log":', "# HTTP Cookie File\n", "GET / HTTP/1.1\n", "cookie\n"]
)


def outcome(act: Callable[[str], str], text: str) -> tuple[str, str]:
    """What a function gives for a text, or the sentence with which it refuses it."""
    try:
        return act(text), ""
    except ValueError as error:
        return "", str(error)


@given(TEXTS)
def test_a_cookie_is_stored_in_a_form_that_stays_or_is_refused_without_repeating_it(text: str) -> None:
    stored, refusal = outcome(KEYS["cookie"].normalise, text)
    if refusal:
        assert len(text) < 12 or text not in refusal
    else:
        assert KEYS["cookie"].normalise(stored) == stored
        assert not any(unicodedata.category(letter) == "Cc" for letter in stored)


@given(BEGINNINGS, TEXTS)
@example("curl ", "-H $'\\")
@example("curl ", "-b")
def test_any_pasted_text_is_read_or_refused_with_a_sentence(beginning: str, text: str) -> None:
    cookie, refusal = outcome(lambda pasted: read(pasted).secret, beginning + text)
    assert refusal.endswith(".") if refusal else cookie


def of_chrome_for_bash(text: str) -> str:
    if not re.search("['!]", text):
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + escaped.replace("!", "\\u0021") + "'"


def of_chrome_for_cmd(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = re.sub(r"[^a-zA-Z0-9\s_\-:=+~'/.',?;()*`]", r"^\g<0>", escaped)
    return '^"' + re.sub("%(?=[a-zA-Z0-9_])", "%^", escaped) + '^"'


def of_firefox_for_cmd(text: str) -> str:
    escaped = re.sub(r"[`$]", r"\\\g<0>", text.replace("\\", "\\\\").replace('"', '\\"'))
    escaped = re.sub(r"[^a-zA-Z0-9\s_\-:=+~/.',?;()*$&\\{}\"`]", r"^\g<0>", escaped)
    return '^"' + re.sub("%(?=[a-zA-Z0-9_])", "%^", escaped) + '^"'


def of_powershell(text: str) -> str:
    return '"' + re.sub(r"[`$\"]", r"`\g<0>", text) + '"'


QUOTINGS = st.sampled_from([shlex.quote, of_chrome_for_bash, of_chrome_for_cmd, of_firefox_for_cmd])


@given(QUOTINGS, PRINTABLE)
def test_the_cookie_of_a_copied_curl_comes_back_whole(quoted: Callable[[str], str], value: str) -> None:
    cookie = f"session={value}"
    assert read(f"curl {quoted(URL)} -H {quoted(f'Cookie: {cookie}')}").secret == cookie
    assert read(f"curl {quoted(URL)} -b {quoted(cookie)}").secret == cookie


@given(PRINTABLE)
def test_the_cookie_of_a_copied_powershell_command_comes_back_whole(value: str) -> None:
    added = f"$session.Cookies.Add((New-Object System.Net.Cookie({of_powershell('session')}, {of_powershell(value)})))"
    assert read(f"{added}\nInvoke-WebRequest -Uri {of_powershell(URL)}").secret == f"session={value}"


@given(PRINTABLE)
def test_the_cookie_of_a_copied_fetch_comes_back_whole(value: str) -> None:
    options = {"headers": {"cookie": f"session={value}"}}
    assert read(f"fetch({json.dumps(URL)}, {json.dumps(options)});").secret == f"session={value}"


@given(TEXTS)
def test_what_is_guarded_of_a_cookie_is_long_and_part_of_it(text: str) -> None:
    assert all(len(secret) >= 12 and secret in text for secret in secrets_in(text))


@given(TEXTS)
def test_an_accepted_name_has_no_control_character_and_is_no_automatic_actor(text: str) -> None:
    likeness(text)
    try:
        name = clean_username(text)
    except ValidationError:
        return
    assert not any(unicodedata.category(letter) == "Cc" for letter in name)
    assert not looks_like_automatic_actor(name)


@given(TEXTS)
def test_an_accepted_password_can_be_hashed(text: str) -> None:
    try:
        password = clean_password(text, text)
    except ValidationError:
        return
    assert 8 <= len(password) <= 128
    assert password.encode()
