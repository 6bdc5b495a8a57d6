"""Verifications of days whose calls were erased (docs/decisions/records.md#retention)."""

import csv
from datetime import date, datetime

import pytest

from accounts.models import User
from archive_site.lib import clock
from collection.models import Run, RunReport
from collection.runs import run_start
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.verification import verification, verification_start
from tests.collection.collector_run import collected, set_up
from tests.usage.retention.kept_archives import keep

KEPT_FROM, LATER = date(2026, 8, 20), date(2026, 8, 25)


@pytest.fixture
def upstream(upstream_of_60_days: Simulator) -> Simulator:
    return upstream_of_60_days


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, page_size=100)
    collected(alice)
    return alice


def taken(alice: User, last: date | None = None) -> tuple[Run, str]:
    """A run that verifies all days until the last one, and its token."""
    first, until = verification_start.days_to_verify(alice.pk, None, last)
    span: tuple[datetime, datetime] = clock.day_start(first), clock.day_end(until)
    return run_start.take_other_run(alice.pk, Run.Kind.VERIFICATION, Run.Trigger.MANUAL, *span)


def keep_from(alice: User, day: date) -> None:
    keep(alice, calls_days=(clock.today() - day).days)


def first_of_report(run: Run) -> str:
    """The first day of all lines of a report, which misses no call here."""
    rows = list(csv.DictReader(RunReport.objects.get(run=run).text.removeprefix("\ufeff").splitlines()))
    assert "missing_here" not in {row["kind"] for row in rows}
    return min(row["time"][:10] for row in rows)


@pytest.mark.engine
def test_days_that_are_erased_while_it_waits_are_left_out(alice: User) -> None:
    run, token = taken(alice)
    keep_from(alice, KEPT_FROM)
    assert verification.verify(run, token, actor="alice").run.status == Run.Status.OK
    assert first_of_report(run) == str(KEPT_FROM)


def test_it_begins_again_where_days_are_erased_meanwhile(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run, token = taken(alice)
    compare, kept = verification.compare, iter((KEPT_FROM, LATER))

    def compared(*values: object, **more: object) -> None:
        compare(*values, **more)  # type: ignore[arg-type]
        if day := next(kept, None):
            keep_from(alice, day)

    monkeypatch.setattr(verification, "compare", compared)
    assert verification.verify(run, token, actor="alice").run.status == Run.Status.OK
    assert first_of_report(run) == str(LATER)


def test_days_that_are_all_erased_are_not_asked_for(alice: User, upstream: Simulator) -> None:
    run, token = taken(alice, date(2026, 8, 15))
    keep_from(alice, KEPT_FROM)
    before = len(upstream.requests_seen)
    assert verification.verify(run, token, actor="alice").run.message == "The calls of these days were erased."
    assert len(upstream.requests_seen) == before
    assert not RunReport.objects.exists()
