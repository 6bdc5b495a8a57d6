"""Storing calls, new ones and ones that are already known: docs/decisions/records.md#a-record-that-is-seen-again."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from accounts.models import User
from tests.standing_clock import SetClock
from tests.usage.record_factories import (
    archive,
    call,
    counted_rollups,
    kept_rollups,
    prompt_of,
    stored,
)
from usage import ingest
from usage.incoming.values import MAX_LABEL, MAX_REQUEST_ID
from usage.ingest import PageResult
from usage.models import DataVersion, Prompt, Record
from usage.repeated.prompt_key import prompt_key

pytestmark = pytest.mark.django_db


def counts(result: PageResult) -> tuple[int, int, int]:
    return result.added, result.dup, result.conflicts


def version_of(user: User) -> int:
    return DataVersion.objects.filter(archive_id=user.pk).values_list("number", flat=True).first() or 0


@pytest.fixture
def at(time: SetClock) -> datetime:
    """The moment of every ingest of the test."""
    instant = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)
    time.now = instant
    return instant


# Seen for the first time.


def test_the_longest_values_are_stored(alice: User) -> None:
    # Four bytes each, and in no order that a database could compress.
    dice = random.Random(1)
    longest = {
        name: "".join(chr(dice.randrange(0x20000, 0x2A6D0)) for _ in range(MAX_LABEL))
        for name in ("model", "client", "agent_purpose")
    }
    request_id = longest["model"][:MAX_REQUEST_ID]
    archive(alice, call(request_id, **longest))
    assert {name: getattr(stored(alice, request_id), name) for name in longest} == longest


def test_a_new_call_is_stored_with_every_column(alice: User, at: datetime) -> None:
    archive(alice, call(credits=0.25, prompt="why?", agent_purpose="chat", prompt_truncated=True), run_id=7)
    assert Record.objects.values().get() == {
        "id": stored(alice).pk, "archive_id": alice.pk, "request_id": "r1", "credits": 250_000, "model": "glm",
        "client": "ide", "ts": "2026-09-07 12:30:00", "day": "2026-09-07", "hour": 12, "agent_purpose": "chat",
        "prompt_truncated": True, "without_prompt": False, "first_seen_at": at, "updated_at": at, "run_id": 7,
        "prompt_key": prompt_key("why?"),
    }  # fmt: skip
    assert prompt_of(alice) == "why?"


def test_a_new_call_counts_as_added(alice: User) -> None:
    assert counts(archive(alice, call("a"), call("b"))) == (2, 0, 0)


def test_a_call_without_prompt_has_no_prompt_row(alice: User) -> None:
    archive(alice, call(prompt=""))
    assert not Prompt.objects.exists()


def test_an_empty_page_changes_nothing(alice: User) -> None:
    assert counts(archive(alice)) == (0, 0, 0)
    assert version_of(alice) == 0


def test_two_accounts_with_the_same_request_id_both_keep_theirs(alice: User, bob: User) -> None:
    assert counts(archive(alice, call(credits=1, prompt="hers"))) == (1, 0, 0)
    assert counts(archive(bob, call(credits=2, prompt="his"))) == (1, 0, 0)
    archive(bob, call(credits=3, prompt="his, longer"))
    assert (stored(alice).credits, prompt_of(alice)) == (1_000_000, "hers")
    assert (stored(bob).credits, prompt_of(bob)) == (3_000_000, "his, longer")


@pytest.mark.parametrize("text", ["模型 一号", "a'b\"c", "👩‍👩‍👧", "İ", "e\u0301", "%s", " x "])
def test_odd_names_are_kept_and_seen_again(alice: User, text: str) -> None:
    one = call(text, model=text, client=text, agent_purpose=text)
    assert counts(archive(alice, one)) == (1, 0, 0)
    assert counts(archive(alice, one)) == (0, 1, 0)
    record = stored(alice, text)
    assert (record.model, record.client, record.agent_purpose) == (text, text, text)


def test_names_that_differ_in_case_or_composition_are_different_calls(alice: User) -> None:
    assert archive(alice, call("É"), call("E\u0301"), call("é"), call("e")).added == 4


# Seen again with the same content.


def test_the_same_call_again_is_a_duplicate(alice: User) -> None:
    archive(alice, call(prompt="why?"))
    result = archive(alice, call(prompt="why?"))
    assert (counts(result), result.prompts_filled, result.lines) == ((0, 1, 0), 0, [])


def test_a_duplicate_leaves_the_row_and_the_data_version_alone(alice: User, time: SetClock) -> None:
    archive(alice, call(prompt="why?", agent_purpose="chat"), run_id=1)
    before = (Record.objects.values().get(), version_of(alice))
    time.now = datetime(2030, 1, 1, tzinfo=UTC)
    archive(alice, call(prompt="why?", agent_purpose="chat"), run_id=2)
    assert (Record.objects.values().get(), version_of(alice)) == before


@pytest.mark.engine
def test_a_call_that_had_another_id_gets_its_new_one_once(alice: User) -> None:
    archive(alice, call("old"), call("other"))
    assert counts(archive(alice, replace(call("new"), earlier_id="old"))) == (0, 1, 0)
    # What has the earlier id then is another call.
    assert counts(archive(alice, replace(call("new"), earlier_id="other"), call("other"))) == (0, 2, 0)
    found = Record.objects.filter(archive_id=alice.pk).order_by("request_id")
    assert list(found.values_list("request_id", flat=True)) == ["new", "other"]


def test_the_same_id_twice_in_a_page_is_one_record(alice: User) -> None:
    assert counts(archive(alice, call(), call())) == (1, 1, 0)
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_the_last_of_a_page_wins_where_an_id_differs_within_it(alice: User) -> None:
    result = archive(alice, call(credits=1, ts="2026-09-07 12:30:00"), call(credits=2, ts="2026-09-08 01:00:00"))
    assert counts(result) == (1, 0, 1)
    assert [*map(str, result.lines)] == ["conflict r1: credits were 1, time was '2026-09-07 12:30:00'"]
    assert (stored(alice).credits, stored(alice).day, stored(alice).hour) == (2_000_000, "2026-09-08", 1)
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_a_known_call_that_changes_and_then_repeats_in_one_page_is_changed(alice: User) -> None:
    archive(alice, call(credits=1))
    assert counts(archive(alice, call(credits=2), call(credits=2))) == (0, 1, 1)
    assert stored(alice).credits == 2_000_000


def test_a_better_prompt_of_the_same_id_in_one_page_is_kept(alice: User) -> None:
    archive(
        alice, call(prompt="", prompt_truncated=False), call(prompt="first", prompt_truncated=True), call(prompt="all")
    )
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("all", False)


# Seen again with other content.


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"credits": 2}, "credits were 1.5"),
        ({"model": "kimi"}, "model was 'glm'"),
        ({"client": "cli"}, "client was 'ide'"),
        ({"ts": "2026-09-08 00:00:00"}, "time was '2026-09-07 12:30:00'"),
    ],
)
def test_a_difference_is_a_conflict_that_names_the_older_value(alice: User, change: dict[str, str], named: str) -> None:
    archive(alice, call())
    result = archive(alice, call(**change))
    assert (counts(result), [*map(str, result.lines)]) == ((0, 0, 1), [f"conflict r1: {named}"])


@pytest.mark.parametrize(
    ("credits", "named"),
    [(0, "0"), (0.000001, "0.000001"), (1234.567891, "1234.567891"), (1e6, "1000000"), (100, "100"), (-0.5, "-0.5")],
)
def test_older_credits_are_named_with_every_digit(alice: User, credits: float, named: str) -> None:
    archive(alice, call(credits=credits))
    assert [*map(str, archive(alice, call(credits=7)).lines)] == [f"conflict r1: credits were {named}"]


def test_one_line_names_everything_that_differed(alice: User) -> None:
    archive(alice, call())
    lines = archive(alice, call(credits=2, model="kimi", client="cli", ts="2026-09-08 00:00:00")).lines
    assert [*map(str, lines)] == [
        "conflict r1: credits were 1.5, model was 'glm', client was 'ide', time was '2026-09-07 12:30:00'"
    ]


def test_the_newer_values_of_a_conflict_stay(alice: User, at: datetime) -> None:
    archive(alice, call(), run_id=1)
    archive(alice, call(credits=2, model="kimi", client="cli", ts="2026-09-08 23:59:59"), run_id=2)
    record = stored(alice)
    assert (record.credits, record.model, record.client) == (2_000_000, "kimi", "cli")
    assert (record.ts, record.day, record.hour, record.run_id) == ("2026-09-08 23:59:59", "2026-09-08", 23, 1)


def test_a_conflict_moves_updated_at_and_leaves_first_seen_at(alice: User, time: SetClock) -> None:
    first, later = datetime(2026, 9, 8, tzinfo=UTC), datetime(2026, 9, 9, tzinfo=UTC)
    time.now = first
    archive(alice, call())
    time.now = later
    archive(alice, call(credits=9))
    assert (stored(alice).first_seen_at, stored(alice).updated_at) == (first, later)


def test_a_conflict_never_contains_prompt_text(alice: User) -> None:
    archive(alice, call(prompt="secret plan"))
    assert "secret" not in repr(archive(alice, call(credits=2, prompt="secret plan, longer")).lines)


def test_a_call_that_moves_empties_the_group_and_the_hour_it_was_in(alice: User) -> None:
    archive(alice, call(credits=0))
    archive(alice, call(credits=3, model="kimi", ts="2026-10-01 00:00:00"))
    assert kept_rollups(alice.pk) == (
        [("2026-10-01", "kimi", "ide", 3_000_000, 1, 0)],
        [("2026-10-01", 0, 3_000_000, 1, 0)],
        [("2026-10-01", "kimi", "ide", "", 3_000_000, 1, 0)],
        [("2026-10-01", 0, "", 3_000_000, 1, 0)],
        [("2026-10-01", "", 3_000_000, 1, 0)],
        [(1000,)],
    )


# The purpose of a call.


@pytest.mark.parametrize(
    ("kept", "new", "result"), [("", "chat", "chat"), ("chat", "", "chat"), ("chat", "plan", "plan")]
)
def test_a_purpose_is_never_lost_and_is_no_conflict(alice: User, kept: str, new: str, result: str) -> None:
    archive(alice, call(agent_purpose=kept))
    assert counts(archive(alice, call(agent_purpose=new))) == (0, 1, 0)
    assert stored(alice).agent_purpose == result
    assert kept_rollups(alice.pk)[4] == [("2026-09-07", result, 1_500_000, 1, 0)]
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_a_purpose_that_changes_raises_the_data_version(alice: User) -> None:
    """Sums by purpose change, although the call is a duplicate."""
    archive(alice, call())
    before = version_of(alice)
    archive(alice, call(agent_purpose="chat"))
    assert version_of(alice) == before + 1


def test_a_conflict_that_comes_without_a_purpose_is_summed_under_the_stored_one(alice: User) -> None:
    archive(alice, call(agent_purpose="chat"))
    archive(alice, call(credits=2, model="kimi"))
    assert kept_rollups(alice.pk)[2] == [("2026-09-07", "kimi", "ide", "chat", 2_000_000, 1, 0)]


def test_purposes_that_change_within_a_page_leave_no_sums_behind(alice: User) -> None:
    archive(alice, call(), call(agent_purpose="chat"), call(agent_purpose="plan"))
    archive(alice, call(agent_purpose="chat"), call("r2", agent_purpose="plan"), call(agent_purpose="plan"))
    assert kept_rollups(alice.pk)[4] == [("2026-09-07", "plan", 3_000_000, 2, 0)]
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_filled_prompts_change_no_purpose(alice: User) -> None:
    archive(alice, call(agent_purpose="chat"))
    ingest.fill_prompts(alice.pk, [call(prompt="late", agent_purpose="plan")], max_prompt=9)
    assert (prompt_of(alice), stored(alice).agent_purpose) == ("late", "chat")
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


# A page as a unit.


def test_a_page_raises_the_data_version_once(alice: User, bob: User) -> None:
    archive(alice, call("a"), call("b"))
    archive(alice, call("c"))
    assert (version_of(alice), version_of(bob)) == (2, 0)


@pytest.mark.django_db(transaction=True)
def test_a_page_that_fails_at_its_end_leaves_nothing(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(user_id: int, ids: list[int]) -> None:
        raise OSError("disk full")

    archive(alice, call("a", prompt="kept"))
    before = (kept_rollups(alice.pk), version_of(alice))
    monkeypatch.setattr("usage.ingest.note_changed", broken)
    with pytest.raises(OSError, match="disk full"):
        archive(alice, call("a", credits=9, prompt="longer than kept"), call("b"))
    assert (kept_rollups(alice.pk), version_of(alice)) == before
    assert (Record.objects.count(), prompt_of(alice, "a")) == (1, "kept")


def test_a_page_of_a_thousand_known_calls_is_taken(alice: User) -> None:
    page = [call(f"r{number}", ts=f"2026-09-{number % 28 + 1:02} 01:02:03") for number in range(1000)]
    assert counts(archive(alice, *page)) == (1000, 0, 0)
    assert counts(archive(alice, *page)) == (0, 1000, 0)
