"""Storing prompts: verbatim, cut at `max_prompt`, replaced only by a more complete one.

The rules: docs/decisions/records.md#a-record-that-is-seen-again.
"""

import pytest

from accounts.models import User
from tests.usage.record_factories import archive, call, prompt_of, stored
from usage.models import DataVersion

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "prompt",
    [
        "  ends \r\n\t",
        "用户的问题",
        "👩‍👩‍👧 e\u0301 \u202e\ufeff",
        "\ufffd",
        "'; DROP TABLE usage_record; --",
        "%s %(x)s \\",
        "\x01\x7f",
    ],
)
def test_prompts_are_kept_verbatim(alice: User, prompt: str) -> None:
    archive(alice, call(prompt=prompt))
    assert prompt_of(alice) == prompt


# Each row: the kept prompt, the new prompt, whether it is replaced.


@pytest.mark.parametrize(
    ("kept", "kept_truncated", "new", "new_truncated", "gives_way"),
    [
        ("", False, "late", False, True),
        ("", False, "late", True, True),
        ("", True, "late", True, True),
        ("long first part", True, "short", False, True),
        ("short", False, "a longer first part", True, False),
        ("first", True, "first part", True, True),
        ("first part", True, "first", True, False),
        ("whole", False, "whole and more", False, True),
        ("whole and more", False, "whole", False, False),
        ("same", False, "same", False, False),
        ("ab", False, "xy", False, False),
        ("kept", False, "", False, False),
        ("kept", True, "", False, False),
        ("四个汉字", False, "abcde", False, True),
    ],
)
def test_a_prompt_gives_way_only_to_a_more_complete_one(
    alice: User, kept: str, kept_truncated: bool, new: str, new_truncated: bool, gives_way: bool
) -> None:
    archive(alice, call(prompt=kept, prompt_truncated=kept_truncated))
    result = archive(alice, call(prompt=new, prompt_truncated=new_truncated))
    assert (result.dup, result.conflicts, result.prompts_filled) == (1, 0, int(gives_way))
    assert (prompt_of(alice) or "") == (new if gives_way else kept)
    assert stored(alice).prompt_truncated == (new_truncated if gives_way else kept_truncated)


def test_a_prompt_that_comes_later_raises_the_data_version(alice: User) -> None:
    archive(alice, call())
    before = DataVersion.objects.get(archive_id=alice.pk).number
    archive(alice, call(prompt="late"))
    assert DataVersion.objects.get(archive_id=alice.pk).number == before + 1


def test_a_conflict_does_not_take_the_prompt_away(alice: User) -> None:
    archive(alice, call(prompt="why?"))
    archive(alice, call(credits=2, prompt=""))
    assert prompt_of(alice) == "why?"


def test_a_conflict_keeps_what_is_known_of_the_prompt(alice: User) -> None:
    archive(alice, call(prompt="why?", prompt_truncated=False))
    archive(alice, call(credits=2, prompt="why", prompt_truncated=True))
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("why?", False)


def test_max_prompt_cuts_and_says_so(alice: User) -> None:
    archive(alice, call(prompt="用户的问题"), max_prompt=3)
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("用户的", True)


def test_a_prompt_as_long_as_max_prompt_is_whole(alice: User) -> None:
    archive(alice, call(prompt="abc"), max_prompt=3)
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("abc", False)


def test_max_prompt_zero_keeps_none(alice: User) -> None:
    archive(alice, call(prompt="abc"), max_prompt=0)
    assert (prompt_of(alice), stored(alice).prompt_truncated) == (None, True)
    assert archive(alice, call(prompt="abc"), max_prompt=0).prompts_filled == 0


def test_max_prompt_cuts_before_comparing(alice: User) -> None:
    archive(alice, call(prompt="abcdef"))
    assert archive(alice, call(prompt="abcdefghi"), max_prompt=3).prompts_filled == 0
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("abcdef", False)


def test_a_raised_max_prompt_lets_the_whole_one_in(alice: User) -> None:
    archive(alice, call(prompt="abcdef"), max_prompt=3)
    archive(alice, call(prompt="abcdef"), max_prompt=6)
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("abcdef", False)
