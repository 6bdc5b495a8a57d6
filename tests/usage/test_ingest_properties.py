"""After any sequence of pages the rollups equal a fresh GROUP BY, and totals are exact."""

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.usage.record_factories import archive, counted_rollups, kept_rollups, rows_of
from usage.filters import RecordFilters
from usage.incoming.record import IncomingRecord
from usage.rollups import recompute as rollup
from usage.rollups.figures import figures as figures_of

pytestmark = pytest.mark.django_db
# Each example has its own archive, next to another one with the same ids.
accounts = count(1000)

calls = st.builds(
    IncomingRecord,
    request_id=st.sampled_from(["a", "b", "c", "d", "é", "E"]),
    amount=st.sampled_from([0, 1, 100_000, 333_333, -5, 10**15]) | st.integers(-(10**15), 10**15),
    model=st.sampled_from(["glm", "模型", ""]),
    client=st.sampled_from(["ide", "cli"]),
    ts=st.sampled_from(
        [
            "2026-09-07 00:00:00",
            "2026-09-07 23:59:59",
            "2026-09-08 00:00:00",
            "2026-09-08 23:00:00",
            "2027-01-01 12:59:59",
        ]
    ),
    prompt=st.text(alphabet="ab字", max_size=6),
    prompt_truncated=st.booleans(),
    agent_purpose=st.sampled_from(["", "chat", "子任务"]),
)
pages = st.lists(st.tuples(st.integers(0, 1), st.lists(calls, max_size=8), st.integers(0, 5)), max_size=6)


def merged(kept: IncomingRecord | None, new: IncomingRecord, max_prompt: int) -> IncomingRecord:
    """The rules of docs/decisions/records.md#a-record-that-is-seen-again, written in the simplest way."""
    if len(new.prompt) > max_prompt:
        new = replace(new, prompt=new.prompt[:max_prompt], prompt_truncated=True)
    if kept is None:
        return new
    # Preference: a prompt over none, a whole one over a first part, then the longer one.
    worth_of_new, worth_of_kept = ((bool(one.prompt), not one.prompt_truncated, len(one.prompt)) for one in (new, kept))
    better = bool(new.prompt) and worth_of_new > worth_of_kept
    prompt = new if better else kept
    return replace(
        new,
        prompt=prompt.prompt,
        prompt_truncated=prompt.prompt_truncated,
        agent_purpose=new.agent_purpose or kept.agent_purpose,
    )


def contents(user_id: int) -> dict[str, IncomingRecord]:
    rows = rows_of(
        "SELECT request_id, credits, model, client, ts, COALESCE(text, ''), prompt_truncated, agent_purpose "
        "FROM usage_record LEFT JOIN usage_prompt ON record_id = id WHERE user_id = %s",
        user_id,
    )
    return {
        row[0]: IncomingRecord(row[0], row[1], row[2], row[3], row[4], row[5], bool(row[6]), row[7]) for row in rows
    }


@given(pages=pages)
def test_after_any_pages_the_archive_is_what_the_rules_say_and_its_sums_are_exact(
    pages: list[tuple[int, list[IncomingRecord], int]],
) -> None:
    owners = (next(accounts), next(accounts))
    expected: tuple[dict[str, IncomingRecord], ...] = ({}, {})
    for place, page, max_prompt in pages:
        known = expected[place]
        new = {one.request_id for one in page} - set(known)
        result = archive(owners[place], *page, max_prompt=max_prompt)
        assert (result.added, result.added + result.dup + result.conflicts) == (len(new), len(page))
        for one in page:
            known[one.request_id] = merged(known.get(one.request_id), one, max_prompt)
    for owner, known in zip(owners, expected, strict=True):
        assert contents(owner) == known
        assert kept_rollups(owner) == counted_rollups(owner)
        assert_totals_are_exact(owner, known)


def assert_totals_are_exact(owner: int, known: dict[str, IncomingRecord]) -> None:
    figures = figures_of(owner, RecordFilters())
    credits = [one.amount for one in known.values()]
    assert (figures.credits, figures.calls, figures.free) == (sum(credits), len(credits), credits.count(0))
    for purpose in ("", "chat", "子任务"):
        figures = figures_of(owner, RecordFilters(purpose=purpose))
        credits = [one.amount for one in known.values() if one.agent_purpose == purpose]
        assert (figures.credits, figures.calls, figures.free) == (sum(credits), len(credits), credits.count(0))
    assert rollup.recount(owner) == rollup.Recount(len(known), 0)
