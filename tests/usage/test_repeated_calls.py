"""Pages with two rows of one call (docs/decisions/collection.md#windows-that-are-read-again)."""

import pytest

from accounts.models import User
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups, prompt_of, stored
from usage import ingest
from usage.ingest import PageResult
from usage.models import DataVersion

pytestmark = pytest.mark.django_db


def counts(result: PageResult) -> tuple[int, int, int]:
    return result.added, result.dup, result.conflicts


def version_of(user: User) -> int:
    return DataVersion.objects.get(archive_id=user.pk).number


def test_two_values_of_a_new_call_in_one_page_are_one_conflict(alice: User) -> None:
    result = archive(alice, call(credits=3), call(credits=4))
    assert (counts(result), [*map(str, result.lines)]) == ((1, 0, 1), ["conflict r1: credits were 3"])
    assert stored(alice).credits == 4_000_000


@pytest.mark.parametrize(("known", "expected"), [(4, (0, 2, 0)), (3, (0, 1, 1)), (5, (0, 1, 1))])
def test_of_two_values_of_a_known_call_in_one_page_only_the_last_one_counts(
    alice: User, known: int, expected: tuple[int, int, int]
) -> None:
    archive(alice, call(credits=known))
    assert counts(archive(alice, call(credits=3), call(credits=4))) == expected
    assert stored(alice).credits == 4_000_000


def test_a_page_with_two_values_of_a_known_call_changes_nothing_the_second_time(alice: User) -> None:
    archive(alice, call(credits=3), call(credits=4))
    before = version_of(alice), stored(alice)
    archive(alice, call(credits=3), call(credits=4))
    assert (version_of(alice), stored(alice)) == before


def test_a_page_with_two_models_of_a_known_call_changes_nothing_the_second_time(alice: User) -> None:
    page = call(model="glm"), call(model="kimi")
    archive(alice, *page)
    before = version_of(alice), stored(alice)
    archive(alice, *page)
    assert (version_of(alice), stored(alice)) == before


def test_a_page_with_two_purposes_of_a_known_call_changes_nothing_the_second_time(alice: User) -> None:
    page = call(agent_purpose="chat"), call(agent_purpose="plan"), call(agent_purpose="")
    archive(alice, *page)
    before = version_of(alice), stored(alice)
    archive(alice, *page)
    assert (version_of(alice), stored(alice)) == before


def test_the_prompt_and_purpose_of_the_row_that_does_not_count_are_kept(alice: User) -> None:
    archive(alice, call(credits=4))
    archive(alice, call(credits=3, prompt="whole", agent_purpose="plan"), call(credits=4))
    record = stored(alice)
    assert (record.credits, prompt_of(alice), record.agent_purpose) == (4_000_000, "whole", "plan")
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_a_filling_takes_the_prompt_of_the_row_that_does_not_count(alice: User) -> None:
    archive(alice, call(credits=4))
    ingest.fill_prompts(alice.pk, [call(credits=3, prompt="whole"), call(credits=4)], max_prompt=100)
    assert (stored(alice).credits, prompt_of(alice)) == (4_000_000, "whole")


def test_two_values_in_one_page_are_no_news_for_a_filling(alice: User) -> None:
    archive(alice, call(credits=4))
    result = ingest.fill_prompts(alice.pk, [call(credits=3), call(credits=4)], max_prompt=100)
    assert (result.unknown, result.conflicts) == (0, 0)
