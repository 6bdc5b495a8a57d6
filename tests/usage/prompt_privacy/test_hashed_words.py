"""The form of a prompt of which only hashes of its words are kept (docs/decisions/records.md#private-prompts)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from usage.prompt_privacy.hashed_words import hashed, is_hashed, needle, readable, tokens_of

KEY, OTHER = b"k" * 32, b"o" * 32


def finds(q: str, prompt: str) -> bool:
    """Whether a search for the words would find the prompt: all of them are among its hashes, in the same order."""
    asked, stored = tokens_of(needle(q, KEY)), iter(tokens_of(hashed(prompt, KEY)))
    return all(token in stored for token in asked)


@pytest.mark.parametrize(
    ("q", "is_found"),
    [
        ("fix", True),
        ("FIX", True),
        ("bug, the", True),
        ("parser.py", True),
        ("fi", False),
        ("fixes", False),
        ("fix nothing", False),
        ("登录", True),
        ("登录页", True),
        ("录登", False),
        ("ﬁx", True),
        ("...", False),
        ("", False),
    ],
)
def test_whole_words_are_found_in_any_order(q: str, is_found: bool) -> None:
    assert finds(q, "Fix the bug in `parser.py`: 修复登录页面") is is_found


def test_nothing_of_the_text_is_in_it() -> None:
    text = "The canary sings at midnight, the canary"
    stored = hashed(text, KEY)
    assert is_hashed(stored)
    assert not any(word in stored for word in text.lower().split())
    # Neither how often a word comes, nor where.
    assert stored == hashed("midnight SINGS canary, at the.", KEY)
    assert len(tokens_of(stored)) == 5
    assert readable(stored) == ""
    assert readable("text") == "text"


def test_another_key_gives_other_hashes() -> None:
    assert not set(tokens_of(hashed("one two", KEY))) & set(tokens_of(hashed("one two", OTHER)))


@pytest.mark.parametrize("text", ["", "   ", "?!…", "\n"])
def test_a_text_without_words_leaves_nothing(text: str) -> None:
    assert tokens_of(hashed(text, KEY)) == []
    assert not finds(text, "any words")


WORD = st.from_regex(r"\A[a-zA-Z0-9_äöüßñ]{1,12}\Z")


@given(st.lists(WORD, min_size=1, max_size=12), st.sampled_from([" ", ", ", "\n", " 。", "-"]))
def test_every_word_of_a_prompt_finds_it(words: list[str], between: str) -> None:
    stored = set(tokens_of(hashed(between.join(words), KEY)))
    assert len(stored) == len({word.casefold() for word in words})
    assert all(set(tokens_of(needle(word, KEY))) <= stored for word in words)
