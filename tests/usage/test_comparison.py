"""Comparing sums of calls with a bill: what was altered is named, and nothing else (usage/proofs/comparison.py)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from usage.measures import What
from usage.proofs.bill import WHOLE, Sum
from usage.proofs.comparison import Difference, differences

WHATS = (What.CALLS, What.AMOUNT, What.TOKENS_IN)
models = st.sampled_from(["glm-5", "glm-4", "kimi"])
sums = st.dictionaries(st.tuples(models, st.sampled_from(WHATS)), st.integers(0, 10**15), min_size=1)


def billed(here: dict[tuple[str, What], int], within: int = 0) -> dict[tuple[str, What], Sum]:
    """The bill that agrees with sums, by model and of the whole day."""
    found = {key: Sum(amount, within) for key, amount in here.items()}
    for what in {what for _, what in here}:
        found[WHOLE, what] = Sum(sum(amount for (_, one), amount in here.items() if one is what), within)
    return found


@given(sums)
def test_sums_agree_with_their_own_bill(here: dict[tuple[str, What], int]) -> None:
    assert differences(here, billed(here)) == []


@given(sums, st.data())
def test_what_is_altered_is_named_with_both_sides_and_nothing_else(
    here: dict[tuple[str, What], int], data: st.DataObject
) -> None:
    within = data.draw(st.integers(0, 5))
    key = data.draw(st.sampled_from(sorted(here)))
    by = data.draw(st.integers(within + 1, 100)) * data.draw(st.sampled_from([1, -1]))
    altered = {**here, key: here[key] + by}
    found = differences(altered, {each: sum for each, sum in billed(here, within).items() if each[0] != WHOLE})
    assert found == [Difference(*key, altered[key], here[key])]
    of_day = [one for one in differences(altered, billed(here, within)) if one.model == WHOLE]
    assert [(one.what, (one.here or 0) - one.there) for one in of_day] == [(key[1], by)]


@pytest.mark.parametrize("by", [-3, 0, 3])
def test_what_is_within_the_precision_of_the_bill_agrees(by: int) -> None:
    here = {("glm", What.AMOUNT): 1000 + by}
    assert differences(here, {("glm", What.AMOUNT): Sum(1000, 3)}) == []


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("openai/gpt-5", "gpt-5"),
        ("gpt-5", "azure/gpt-5"),
        ("bedrock/us/claude-4", "anthropic/Claude-4"),
        ("gpt-5", "gpt-5-2026-10-01"),
        ("claude-4-20261001", "claude-4"),
        ("openai/gpt-5-2026-10-01", "gpt-5-2026-09-01"),
    ],
)
def test_a_model_is_compared_without_provider_and_date(here: str, there: str) -> None:
    assert differences({(here, What.CALLS): 2}, {(there, What.CALLS): Sum(2)}) == []
    assert len(differences({(here, What.CALLS): 2}, {(there, What.CALLS): Sum(3)})) == 1


def test_versions_that_both_sides_have_are_kept_apart() -> None:
    here = {("gpt-5-2026-09-01", What.CALLS): 1, ("gpt-5-2026-10-01", What.CALLS): 2}
    there = {("openai/gpt-5-2026-09-01", What.CALLS): Sum(2), ("openai/gpt-5-2026-10-01", What.CALLS): Sum(1)}
    assert [(one.model, one.here, one.there) for one in differences(here, there)] == [
        ("gpt-5-2026-09-01", 1, 2),
        ("gpt-5-2026-10-01", 2, 1),
    ]


def test_a_model_that_one_side_lacks_has_none_there() -> None:
    here = {("glm", What.CALLS): 1, ("glm", What.AMOUNT): 0}
    there = {("kimi", What.CALLS): Sum(1)}
    assert differences(here, there) == [
        Difference("glm", What.CALLS, 1, 0),
        Difference("kimi", What.CALLS, 0, 1),
    ]


def test_what_the_bill_does_not_count_is_not_compared() -> None:
    here = {("glm", What.CALLS): 1, ("glm", What.AMOUNT): 7}
    assert differences(here, {(WHOLE, What.AMOUNT): Sum(7)}) == []


def test_a_call_without_a_value_agrees_with_no_sum() -> None:
    here = {("glm", What.AMOUNT): None, ("kimi", What.AMOUNT): 5}
    there = {("glm", What.AMOUNT): Sum(0), ("kimi", What.AMOUNT): Sum(5)}
    assert differences(here, there) == [Difference("glm", What.AMOUNT, None, 0)]
    assert differences(here, {(WHOLE, What.AMOUNT): Sum(5)}) == [Difference(WHOLE, What.AMOUNT, None, 5)]
