"""The reason of a service as people may see it."""

import pytest

from accounts.delivery.sending.answers import LONGEST, NOTHING, Answer, shown

CODED = Answer("code", 0, "message")


def test_a_secret_is_masked_before_the_reason_is_cut() -> None:
    secret = "word-0000-word"
    said = shown("x" * (LONGEST - 5) + secret, [secret])
    assert len(said) == LONGEST
    assert "word" not in said


def test_a_short_secret_is_masked_where_it_stands_alone() -> None:
    assert shown("chat 12 of 1234", ["12", ""]) == "chat [removed] of 1234"


@pytest.mark.parametrize(
    "spelled", ["k\u00e9y w%53/rd", "K%C3%A9Y%20wS%2frd", "k%25C3%25a9y+ws%252Frd", "%6b%c3%a9%79%20%77%53%2F%72%64"]
)
def test_a_secret_is_masked_in_every_percent_encoding(spelled: str) -> None:
    assert shown(f"no {spelled} here", ["k\u00e9y wS/rd"]) == "no [removed] here"


def test_a_secret_of_half_a_character_is_masked() -> None:
    assert shown("no abcd\ud800 here", ["abcd\ud800"]) == "no [removed] here"


def test_the_longest_secret_is_masked_first() -> None:
    assert shown("bot 1:word", ["word", "1:word"]) == "bot [removed]"


def test_it_is_one_line_of_visible_characters() -> None:
    assert shown("no\r\n\x1b[31m such\u202e robot", []) == "no [31m such robot"


@pytest.mark.parametrize(
    "content",
    [b"", b"no JSON", b"[1]", b'{"code": 1}', b'{"code": 1, "message": ["a"]}', b'{"code": 1, "message": " "}',
     b"[" * 60_000, b"\xff"],
)  # fmt: skip
def test_an_answer_of_another_form_has_no_reason(content: bytes) -> None:
    assert CODED.reason(content) == ""


def test_a_code_that_is_absent_refuses_nothing() -> None:
    assert not CODED.refuses(b'{"message": "fine"}')
    assert not NOTHING.refuses(b'{"code": 5}')
