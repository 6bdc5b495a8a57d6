"""The header Set-Cookie of an answer: names and values, without its attributes."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import COOKIE, MISSING, credential, read

FIRST = "Set-Cookie: session=5f2|1790000000|ab%7Ccd; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; Secure"
SECOND = "set-cookie: session_2=x!y; Domain=.codebuddy.cn; Max-Age=3600; SameSite=Lax"
FORMS = {
    "two headers": f"{FIRST}\n{SECOND}",
    "of windows": f"{FIRST}\r\n{SECOND}\r\n",
    "an answer": f"HTTP/2 200 OK\nserver: x\n{FIRST}\n{SECOND}\ncontent-length: 2\n\n{{}}",
    "on one line": f"{FIRST}, {SECOND.partition(': ')[2]}",
    "on two lines": f"set-cookie\n{FIRST.partition(': ')[2]}\nset-cookie\n{SECOND.partition(': ')[2]}",
    "last value": f"Set-Cookie: session=older; Path=/\n{FIRST}\n{SECOND}",
    "deleted": f"{FIRST}\nSet-Cookie: old=a; Max-Age=0\nSet-Cookie: older=; Path=/\n{SECOND}",
    "deleted by date": f"{FIRST}\nSet-Cookie: old=a; expires=Thu, 01-Jan-1970 00:00:01 GMT\n{SECOND}",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_names_and_values_are_stored(text: str) -> None:
    assert credential(text) == (COOKIE, "")


def test_one_header_alone_is_stored_without_its_attributes() -> None:
    assert read(FIRST).secret == "session=5f2|1790000000|ab%7Ccd"


def test_the_cookie_of_a_request_comes_before_that_of_its_answer() -> None:
    assert credential(f"Cookie: {COOKIE}\nUser-Agent: x\n{SECOND}") == (COOKIE, "x")


@pytest.mark.parametrize(
    "text", ["Set-Cookie: session=; Max-Age=0", "HTTP/1.1 200 OK\nserver: x", "Set-Cookie: ; Path=/"]
)
def test_an_answer_that_sets_none_is_refused_with_that_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)
