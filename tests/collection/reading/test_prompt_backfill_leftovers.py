"""Calls that filling prompts meets but does not store: it leaves them to the next run (docs/api.md#maintenance)."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from collection import watermark
from collection.models import Progress
from collection.reading.prompt_backfill import fill
from collection.runs import lease
from collection.runs.run_outcomes import INTERRUPTED
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import Contents, call_at, collected, contents, set_up, truth
from tests.collection.prompt_gaps import MONTH, days_ago, ended, lacks_prompts
from tests.collection.scheduling import configure
from tests.collection.simulator_client import NOW
from tests.usage.record_factories import call, prompt_of
from usage import data_version, ingest
from usage.filters import RecordFilters
from usage.models import Prompt, Record
from usage.reads import queries
from usage.rollups import recompute as rollup

OLD = NOW - timedelta(days=6)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream)
    return alice


@pytest.fixture
def met(alice: User, upstream: Simulator) -> Contents:
    """A complete archive without prompts, and an old call that came late; what the archive holds."""
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    held = contents(alice)
    upstream.add(0, call_at(OLD, "late"))
    return held


@pytest.mark.engine
def test_it_stores_no_new_record(alice: User, met: Contents) -> None:
    """`fill-prompt` fetches missing prompts and stores nothing else."""
    before = dict(Record.objects.values_list("request_id", "run_id"))
    assert fill(alice.pk).met_others
    assert (contents(alice), dict(Record.objects.values_list("request_id", "run_id"))) == (met, before)


def test_the_next_run_without_dates_stores_the_calls_that_it_met(
    alice: User, upstream: Simulator, met: Contents
) -> None:
    """New records come from runs only, which count them as `added`."""
    fill(alice.pk)
    start, end = watermark.unfinished(alice.pk) or (NOW, NOW)
    assert start <= OLD <= end <= NOW
    assert collected(alice).run.added == 1
    assert (contents(alice), watermark.unfinished(alice.pk)) == (truth(upstream), None)
    assert not fill(alice.pk).met_others


@pytest.mark.engine
def test_other_content_is_left_to_the_next_run_and_counted_there(alice: User, upstream: Simulator) -> None:
    """`fill-prompt` changes the prompt only; the `conflicts` of a run count other changes."""
    upstream.add(0, call_at(OLD, "changed", credits=2, model="new", prompt="whole"))
    collected(alice)
    Prompt.objects.filter(record__request_id="changed").delete()
    Record.objects.filter(request_id="changed").update(credits=1_000_000, model="old")
    rollup.recount(alice.pk)
    assert fill(alice.pk).met_others
    record = Record.objects.get(request_id="changed")
    assert (record.credits, record.model, prompt_of(alice, "changed")) == (1_000_000, "old", "whole")
    assert collected(alice).run.conflicts == 1
    assert contents(alice) == truth(upstream)


def test_calls_after_the_mark_leave_nothing_since_the_next_run_reads_them_anyway(
    alice: User, upstream: Simulator
) -> None:
    lacks_prompts(alice, 1)
    watermark.ensure_mark(alice.pk, days_ago(3))
    assert fill(alice.pk).met_others
    assert watermark.unfinished(alice.pk) is None
    collected(alice)
    since = f"{days_ago(3):%Y-%m-%d %H:%M:%S}"
    missing = {key: row for key, row in truth(upstream).items() if key not in contents(alice) and row[1] >= since}
    assert not missing


def test_without_a_mark_the_days_are_read_again_up_to_now(alice: User) -> None:
    lacks_prompts(alice, 0)
    fill(alice.pk)
    assert watermark.unfinished(alice.pk) == (clock.day_start(clock.today()), NOW)


def test_a_mark_of_a_wrong_clock_counts_as_none(alice: User) -> None:
    lacks_prompts(alice, 0)
    Progress.objects.create(archive_id=alice.pk, complete_through=NOW + timedelta(days=19))
    fill(alice.pk)
    assert watermark.unfinished(alice.pk) == (clock.day_start(clock.today()), NOW)


def test_days_in_the_future_are_left_to_the_runs_that_come_to_them(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulator has no calls of the future; an upstream whose clock runs ahead has."""
    monkeypatch.setattr(ingest, "fill_prompts", lambda *page, **options: ingest.PageResult(unknown=1))
    lacks_prompts(alice, -2)
    assert fill(alice.pk).met_others
    assert watermark.unfinished(alice.pk) is None


def test_what_a_run_left_unfinished_stays_so(alice: User, met: Contents) -> None:
    span = (NOW - timedelta(days=60), NOW - timedelta(days=50))
    watermark.begin_range(alice.pk, *span)
    fill(alice.pk)
    start, end = watermark.unfinished(alice.pk) or (NOW, NOW)
    assert (start, end >= OLD) == (span[0], True)


def test_who_lost_the_lease_leaves_nothing_to_the_next_run(
    alice: User, met: Contents, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken_over(*arguments: Any) -> None:
        raise lease.LeaseLost

    with monkeypatch.context() as patched:
        patched.setattr(lease, "require", taken_over)
        assert ended(alice) == INTERRUPTED
    assert watermark.unfinished(alice.pk) is None


def test_prompts_and_the_note_of_a_page_are_stored_together_or_not_at_all(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(page_size=1000)
    lacks_prompts(alice, 6)
    upstream.add(0, call_at(OLD, "gap-6", prompt="on the page of others"))

    def broken(*arguments: Any) -> None:
        assert prompt_of(alice, "gap-6") == "on the page of others"
        raise RuntimeError

    monkeypatch.setattr(watermark, "begin_range", broken)
    with pytest.raises(RuntimeError):
        fill(alice.pk)
    assert (Prompt.objects.exists(), watermark.unfinished(alice.pk)) == (False, None)


def test_a_filled_prompt_is_found_and_raises_the_data_version(alice: User) -> None:
    lacks_prompts(alice, 1)
    before = data_version.state(alice.pk)
    text = "a question about quicksort"
    ingest.fill_prompts(alice.pk, [call("gap-1", credits=9, prompt=text)], max_prompt=20000)
    assert queries.count_records(alice.pk, RecordFilters(text="quicksort")) == 1
    assert data_version.state(alice.pk) != before


def test_a_page_without_a_better_prompt_changes_nothing(alice: User) -> None:
    lacks_prompts(alice, 1, prompt="whole")
    before = (data_version.state(alice.pk), list(Record.objects.values()))
    found = ingest.fill_prompts(alice.pk, [call("gap-1", credits=9), call("new", prompt="p")], max_prompt=20000)
    assert (found.unknown, found.conflicts, found.prompts_filled) == (1, 1, 0)
    assert (data_version.state(alice.pk), list(Record.objects.values())) == before
