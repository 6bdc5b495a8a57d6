"""Which prompts count as the same (usage/repeated/prompt_key.py)."""

import time

import pytest

from usage.repeated.prompt_key import BEGINNING, NO_PROMPT, prompt_key

TEMPLATE = "You review pull requests of this team. Answer with a list of findings. "


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Continue", "  continue.\n"),
        ("ＣＯＮＴＩＮＵＥ", "continue"),
        ("Straße", "STRASSE"),
        ("cafe\u0301 au lait", "caf\u00e9 au lait"),
        ("fix\tthe   tests", "Fix the tests!"),
        ("fix issue #12", "fix issue #7"),
        ("修复第3个测试", "修复第12个测试。"),
        ("the 12:30 run of 2026-01-02", "the 9:05 run of 2025-11-30"),
        ("see 550e8400-e29b-41d4-a716-446655440000", "see 0b1e8400-b29b-11d4-b716-446655440001"),
        ("revert a1b2c3d", "revert 99ffe1c2ab"),
        ("call_Q2hhbmdlIG1l9x failed", "call_Zm9yZ2V0IGl0IDQ failed"),
        (TEMPLATE + "Here is the first one.", TEMPLATE + "Another one follows."),
        ("?", "？"),
    ],
)
def test_nearly_the_same_prompts_have_one_key(one: str, other: str) -> None:
    assert prompt_key(one) == prompt_key(other) > NO_PROMPT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("continue", "continue with the tests"),
        ("fix the tests", "fix the test"),
        ("explain sha256", "explain md5"),
        ("use feedback", "use deadbeef"),
        ("?", "!"),
    ],
)
def test_other_prompts_have_other_keys(one: str, other: str) -> None:
    assert prompt_key(one) != prompt_key(other)


@pytest.mark.parametrize("prompt", ["", " \n\t", "\u3000"])
def test_nothing_to_compare_has_no_key(prompt: str) -> None:
    assert prompt_key(prompt) == NO_PROMPT


def test_the_beginning_alone_gives_the_key() -> None:
    """The database gives no more of a stored prompt."""
    prompt = "1 \u0301ﷺ" * 1000
    assert prompt_key(prompt) == prompt_key(prompt[:BEGINNING])


@pytest.mark.parametrize(
    "prompt", ["e" + "\u0301" * 5_000_000, "ﷺ" * 5_000_000, "a-" * 5_000_000, "a1" * 5_000_000, " " * 10_000_000]
)
def test_hostile_prompts_of_megabytes_take_no_time(prompt: str) -> None:
    begun = time.process_time()
    prompt_key(prompt)
    assert time.process_time() - begun < 0.1
