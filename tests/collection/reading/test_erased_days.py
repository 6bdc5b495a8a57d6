"""Runs leave out days whose calls were erased (docs/decisions/records.md#retention)."""

from datetime import date, timedelta
from typing import Any

import pytest

from accounts import config
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from collection import watermark
from collection.models import Progress, Run
from collection.reading.collector import collect
from collection.reading.prompt_backfill import gaps_of
from collection.runs import run_start
from collection.runs.run_start import span_of
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.verification import verification_start
from tests.archive_site.commands import manage_here
from tests.collection.collector_run import collected, every_window, set_up, truth
from tests.usage.retention.kept_archives import keep
from usage import horizon
from usage.coverage import left_windows
from usage.models import CoverageDay, DayTotal, LeftWindow, Prompt, Record

# The simulator has 60 days; the first collection reaches back to 8 August.
KEPT_FROM = date(2026, 8, 20)


@pytest.fixture
def upstream(upstream_of_60_days: Simulator) -> Simulator:
    return upstream_of_60_days


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, page_size=100)
    collected(alice)
    keep(alice, calls_days=(clock.today() - KEPT_FROM).days)
    assert horizon.first_day(alice.pk) == KEPT_FROM
    return alice


def kept_truth(upstream: Simulator) -> dict[str, Any]:
    return {key: value for key, value in truth(upstream).items() if value[1] >= str(KEPT_FROM)}


def stored(alice: User) -> dict[str, Any]:
    rows = Record.objects.filter(archive_id=alice.pk).values_list("request_id", "credits", "ts")
    return {request_id: (credits, ts) for request_id, credits, ts in rows}


def sums(alice: User) -> list[Any]:
    return list(DayTotal.objects.filter(archive_id=alice.pk).order_by("day").values_list("day", "credits", "calls"))


def test_a_run_of_earlier_days_starts_at_the_horizon_and_says_so(alice: User, upstream: Simulator) -> None:
    before = sums(alice)
    before_it = len(every_window(upstream))
    result = collected(alice, date(2026, 8, 1), date(2026, 8, 25))
    assert result.run.status == "ok"
    assert min(first for first, _ in every_window(upstream)[before_it:]) >= f"{KEPT_FROM} 00:00:00"
    assert result.run.win_from == clock.day_start(KEPT_FROM)
    assert "Calls before 2026-08-20 were erased" in Run.objects.latest("pk").detail
    assert (sums(alice), stored(alice)) == (before, kept_truth(upstream))
    assert watermark.unfinished(alice.pk) is None


def test_a_run_of_erased_days_alone_is_refused(alice: User) -> None:
    with pytest.raises(ApiError) as refused:
        span_of(alice.pk, config.instance_settings(), date(2026, 8, 1), KEPT_FROM - timedelta(days=1))
    assert (refused.value.status, refused.value.error) == (400, "bad_request")
    assert "2026-08-20" in str(refused.value.message)


def test_older_calls_end_at_the_horizon(alice: User, upstream: Simulator) -> None:
    before = sums(alice)
    before_it = len(every_window(upstream))
    done = manage_here("collect", "alice", "--older")
    assert done.returncode == 0, done
    assert every_window(upstream)[before_it:] == []
    assert (sums(alice), stored(alice)) == (before, kept_truth(upstream))
    # Gaps behind it are filled.
    CoverageDay.objects.filter(day__in=["2026-08-10", "2026-08-22"]).delete()
    assert manage_here("collect", "alice", "--older").returncode == 0
    assert {first[:10] for first, _ in every_window(upstream)[before_it:]} == {"2026-08-22"}


def test_what_earlier_runs_left_of_erased_days_is_given_up(alice: User, upstream: Simulator) -> None:
    start = clock.day_start(KEPT_FROM)
    left_windows.note(alice.pk, (start - timedelta(days=3), start - left_windows.SECOND), is_failed=True)
    left_windows.note(alice.pk, (start - timedelta(days=6), start - timedelta(days=5)), is_failed=False)
    watermark.begin_range(alice.pk, start - timedelta(days=9), start + timedelta(days=1))
    CoverageDay.objects.filter(day__lt=str(KEPT_FROM)).update(next_read_at=clock.now())
    Progress.objects.filter(archive_id=alice.pk).update(complete_through=start - timedelta(days=4))
    before_it = len(every_window(upstream))
    collected(alice)
    assert min(first for first, _ in every_window(upstream)[before_it:]) >= f"{KEPT_FROM} 00:00:00"
    assert not LeftWindow.objects.exists()
    assert not CoverageDay.objects.filter(day__lt=str(KEPT_FROM), next_read_at__isnull=False).exists()
    mark = watermark.mark(alice.pk)
    assert mark is not None
    assert clock.now() - mark < timedelta(minutes=5)
    assert stored(alice) == kept_truth(upstream)


def test_a_run_that_was_queued_before_starts_at_the_horizon(alice: User, upstream: Simulator) -> None:
    span = run_start.Span(clock.day_start(date(2026, 8, 10)), clock.now(), is_ranged=True)
    run, token = run_start.take_run(alice.pk, Run.Trigger.CLI, span)
    before_it = len(every_window(upstream))
    collect(run, token, actor="alice")
    assert min(first for first, _ in every_window(upstream)[before_it:]) >= f"{KEPT_FROM} 00:00:00"
    assert stored(alice) == kept_truth(upstream)


def test_verified_are_kept_days_alone(alice: User) -> None:
    assert verification_start.days_to_verify(alice.pk, None, None)[0] == KEPT_FROM
    assert verification_start.days_to_verify(alice.pk, date(2026, 8, 1), date(2026, 8, 25)) == (
        KEPT_FROM, date(2026, 8, 25),
    )  # fmt: skip
    with pytest.raises(ApiError):
        verification_start.days_to_verify(alice.pk, date(2026, 8, 1), KEPT_FROM - timedelta(days=1))
    done = manage_here("verify", "alice")
    assert done.returncode == 0, done


def test_no_erased_prompt_is_filled(alice: User, upstream: Simulator) -> None:
    Prompt.objects.all().delete()
    first = clock.today() - timedelta(days=10)
    keep(alice, prompts_days=10, calls_days=60)
    assert min(gaps_of(alice.pk, 20_000)) == first
    assert manage_here("maintenance", "fill-prompt", "alice").returncode == 0
    assert set(Prompt.objects.values_list("record__day", flat=True)) == {
        day for day in Record.objects.values_list("day", flat=True) if day >= str(first)
    }
