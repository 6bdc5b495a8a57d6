"""Cookies as extensions export them: JSON, and cookies.txt."""

import json
from typing import Any

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import HOST, MISSING, credential, read

SESSION = "5f2|1790000000|ab%7Ccd"
COOKIE = f"session={SESSION}; session_2=x!y"


def exported(name: str, value: str, domain: str = HOST, **more: Any) -> dict[str, Any]:
    """A cookie as Cookie-Editor exports it."""
    return {
        "domain": domain,
        "hostOnly": not domain.startswith("."),
        "httpOnly": True,
        "name": name,
        "path": "/",
        "sameSite": "lax",
        "secure": True,
        "session": False,
        "value": value,
        **more,
    }


OWN = [exported("session", SESSION), exported("session_2", "x!y", ".codebuddy.cn")]
OTHER = [exported("session", "other", "stats.example.com"), exported("a", "b", "codebuddy.cn")]
EDIT_THIS_COOKIE = [{**cookie, "id": number, "storeId": "0"} for number, cookie in enumerate(OWN, 1)]


def row(domain: str, name: str, value: str, path: str = "/", subdomains: str = "FALSE") -> str:
    return "\t".join([domain, subdomains, path, "TRUE", "1790000000", name, value])


TXT = "\n".join(
    [
        "# Netscape HTTP Cookie File",
        "# https://curl.se/docs/http-cookies.html",
        "",
        row("stats.example.com", "session", "other"),
        row(f"#HttpOnly_{HOST}", "session", SESSION),
        row(".codebuddy.cn", "session_2", "x!y", subdomains="TRUE"),
        row("codebuddy.cn", "a", "b"),
    ]
)


@pytest.mark.parametrize("cookies", [OWN, EDIT_THIS_COOKIE, [*OTHER, *OWN]], ids=["editor", "edit this", "others"])
@pytest.mark.parametrize("indent", [None, 4], ids=["one line", "many lines"])
def test_the_json_of_an_extension_gives_the_cookies_of_the_upstream(
    cookies: list[dict[str, Any]], indent: int | None
) -> None:
    assert credential(json.dumps(cookies, indent=indent)) == (COOKIE, "")


@pytest.mark.parametrize("content", [{"url": f"https://{HOST}", "cookies": OWN}, {"cookies": OWN, "origins": []}])
def test_the_list_of_cookies_may_be_within_an_object(content: dict[str, Any]) -> None:
    assert credential(json.dumps(content)) == (COOKIE, "")


def test_a_cookie_without_a_domain_is_one_of_the_upstream() -> None:
    assert credential('[{"name": "session", "value": "a"}]') == ("session=a", "")


@pytest.mark.parametrize(
    ("path", "is_sent"), [("/billing", True), ("/billing/", True), ("/bill", False), ("/x", False)]
)
def test_a_cookie_of_another_path_is_left_out(path: str, is_sent: bool) -> None:
    cookie = read(json.dumps([*OWN, exported("scoped", "1", path=path)])).secret
    assert cookie == (f"{COOKIE}; scoped=1" if is_sent else COOKIE)


def test_cookies_of_other_hosts_only_are_those_of_one_with_a_session() -> None:
    pasted = read(json.dumps([exported("a", "b", "one.example"), *OTHER]))
    assert (pasted.secret, pasted.host) == ("session=other", "stats.example.com")
    assert "copied from stats.example.com" in pasted.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[{}]",
        '{"code": 0, "msg": "OK"}',
        '[{"name": 1}]',
        json.dumps(OWN)[:-9],
        "[{" * 100_000,
        '[{"a":' * 100_000,
    ],
)
def test_json_without_a_cookie_is_refused_with_that_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)


@pytest.mark.parametrize(
    "text",
    [TXT, TXT.replace("\n", "\r\n"), TXT.replace("\t", "    "), TXT.split("\n", 3)[3], "\N{BYTE ORDER MARK}" + TXT],
    ids=["tabs", "windows", "blanks", "no title", "byte-order mark"],
)
def test_a_cookies_txt_gives_the_cookies_of_the_upstream(text: str) -> None:
    assert credential(text) == (COOKIE, "")


@pytest.mark.parametrize("text", ["# Netscape HTTP Cookie File", "# Netscape HTTP Cookie File\nno row\n"])
def test_a_cookies_txt_without_a_cookie_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)


@pytest.mark.parametrize(
    "text", ["session=a|1|b; note=Invoke-WebRequest x", "iwr=1; session=a", "a=New-Object Microsoft.PowerShell"]
)
def test_a_cookie_that_has_a_word_of_a_form_is_stored_as_it_is(text: str) -> None:
    assert read(text).secret == text


def test_a_value_that_is_a_number_is_its_digits() -> None:
    assert read('[{"name": "session", "value": 123}]').secret == "session=123"
