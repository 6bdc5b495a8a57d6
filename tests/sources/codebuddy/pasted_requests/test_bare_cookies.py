"""A cookie that is pasted alone, with or without quotes and the name of its header."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import COOKIE, MISSING, credential, read


@pytest.mark.parametrize(
    ("text", "cookie"),
    [
        ("a=b; c=d", "a=b; c=d"),
        ("Cookie: a=b", "a=b"),
        ("  cookie:a=b  ", "a=b"),
        ("abc", "abc"),
        ("curly=1", "curly=1"),
        ("{", "{"),
        ("[abc]", "[abc]"),
        ("accept: */*", "accept: */*"),
        ("https://www.example.com/?a=1", "https://www.example.com/?a=1"),
    ],
)
def test_a_bare_cookie_is_taken_as_it_is(text: str, cookie: str) -> None:
    pasted = read(text)
    assert (pasted.secret, pasted.user_agent) == (cookie, "")


@pytest.mark.parametrize(
    "text",
    [
        f'"{COOKIE}"',
        f"'{COOKIE}'",
        f'  "{COOKIE}";  ',
        f"“{COOKIE}”",
        f'"Cookie: {COOKIE}"',
        f'Cookie: "{COOKIE}"',
        f'"cookie": "{COOKIE}",',
    ],
)
def test_quotes_around_a_cookie_are_taken_off(text: str) -> None:
    assert credential(text) == (COOKIE, "")


@pytest.mark.parametrize("text", ['session="a|1|b"', '"a"; session="b"', '""', '"', '"session=a', "'session=a\""])
def test_quotes_that_do_not_surround_the_cookie_stay(text: str) -> None:
    assert read(text).secret == text


@pytest.mark.parametrize("text", ["Cookie:", ";", "Cookie: ;"])
def test_an_empty_cookie_is_refused_with_that_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)
