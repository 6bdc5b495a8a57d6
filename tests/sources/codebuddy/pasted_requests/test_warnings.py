"""The warnings about a pasted cookie that is stored all the same."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import COOKIE, HOST, PATH, URL, read

ELSEWHERE = "was copied from"
NO_SESSION = "has no session="
TWO_SESSIONS = "two different values"


def warned(text: str) -> list[str]:
    """The kinds of the warnings about a text, in their order."""
    kinds = (ELSEWHERE, NO_SESSION, TWO_SESSIONS)
    return [kind for warning in read(text).warnings for kind in kinds if kind in warning]


def test_a_good_cookie_raises_no_doubt() -> None:
    assert read(COOKIE).warnings == read(f"curl '{URL}' -b '{COOKIE}'").warnings == ()


@pytest.mark.parametrize(
    "address", [f"HTTPS://{HOST.upper()}{PATH}", f"https://{HOST}:443/x", f"https://{HOST}?x", URL]
)
def test_the_same_host_may_be_written_in_other_ways(address: str) -> None:
    assert warned(f"curl '{address}' -b '{COOKIE}'") == []


@pytest.mark.parametrize(
    "host", ["www.workbuddy.ai", f"{HOST}.example.com", "codebuddy.cn", f"{HOST}:8443", "[::1]:80"]
)
def test_the_request_to_another_host_is_named(host: str) -> None:
    pasted = read(f"curl 'https://{host}{PATH}' -b '{COOKIE}'")
    assert pasted.secret == COOKIE
    (warning,) = pasted.warnings
    assert f"was copied from {host}, but this instance collects from {HOST}" in warning


def test_of_requests_to_other_hosts_the_newest_with_a_session_is_stored() -> None:
    text = "curl https://a.example -b session=x; curl https://b.example -b c=d"
    assert (read(text).secret, warned(text)) == ("session=x", [ELSEWHERE])


def test_a_request_to_an_unknown_host_goes_before_one_to_another() -> None:
    text = f"curl https://a.example -b session=x ; curl -b '{COOKIE}'"
    assert (read(text).secret, warned(text)) == (COOKIE, [])


@pytest.mark.parametrize(
    "text", ["5f2|1790000000|hash=", "session_2=x", "Session=x", "session=", f"curl '{URL}' -b a=b"]
)
def test_a_cookie_without_a_session_is_doubted(text: str) -> None:
    assert warned(text) == [NO_SESSION]


@pytest.mark.parametrize(
    "text",
    [
        "session=a|1|b; session=c|2|d; session_2=x",
        f"curl '{URL}' -b session=a ; curl '{URL}' -b session=b",
        f"curl '{URL}' -b session=a -H 'Cookie: session=b'",
    ],
)
def test_two_different_sessions_are_doubted(text: str) -> None:
    assert warned(text) == [TWO_SESSIONS]


@pytest.mark.parametrize("text", ["session=a; session=a", 'session=a; session="a"', f"curl '{URL}' -b session=a " * 2])
def test_the_same_session_twice_is_no_doubt(text: str) -> None:
    assert warned(text) == []


def test_a_cookie_can_raise_two_doubts() -> None:
    assert warned("curl https://a.example -b c=d") == [ELSEWHERE, NO_SESSION]


def test_what_is_no_host_is_not_repeated() -> None:
    assert read("curl 'https://session=secret/x' -b 'session=a'").warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        f"curl www.workbuddy.ai/x -b '{COOKIE}'",
        f"https www.workbuddy.ai/x Cookie:'{COOKIE}'",
        f"curl 'https://my_host.example/x' -b '{COOKIE}'",
        f"curl 'https://bücher.example/x' -b '{COOKIE}'",
        f"curl -o curl -w https://{HOST} https://a.example -b '{COOKIE}'",
    ],
)
def test_another_host_is_named_however_it_is_written(text: str) -> None:
    assert warned(text) == [ELSEWHERE]


def test_what_follows_next_is_a_request_of_its_own() -> None:
    assert read(f"curl '{URL}' -b '{COOKIE}' --next https://a.example -b a=1").secret == COOKIE
