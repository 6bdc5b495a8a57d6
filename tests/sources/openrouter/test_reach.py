"""A source that gives calls for a number of days: what is asked for, and what is said of older days
(docs/sources/openrouter.md#windows)."""

from datetime import timedelta
from decimal import Decimal

import pytest

from accounts import config
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import Days
from collection import queued_runs, watermark
from collection.models import Progress, Run
from collection.reading.older import fetch_older
from collection.runs import run_start, runs
from collection.runs.run_outcomes import OK
from collection.sources.openrouter import reader
from tests.collection.collector_run import collected_by
from tests.sources.player import Played
from tests.sources.whole_calls import calls_of
from tests.standing_clock import SetClock
from usage.coverage import missing_days
from usage.coverage.ledger import State, ledger

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("kind", ["openrouter"])]
REACH = 30


@pytest.mark.thorough
def test_a_first_run_goes_back_as_far_as_the_source_does(played: Played, time: SetClock) -> None:
    first = clock.today() - timedelta(days=REACH - 1)
    played.add(clock.day_start(first), "first", Decimal(1))
    assert collected_by(played.archive_id, "alice").outcome == OK
    run = Run.objects.get()
    assert run.win_from == clock.day_start(first)
    assert calls_of(played.archive_id) == played.truth()


def test_a_burst_of_calls_that_no_halves_can_part_arrives_whole(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_ROWS", 20)
    begin = clock.day_start(clock.today() - timedelta(days=2)) + timedelta(hours=5)
    for number in range(50):
        played.add(begin + timedelta(seconds=number / 2), f"burst-{number}", Decimal(1))
    assert collected_by(played.archive_id, "alice", clock.today() - timedelta(days=3)).outcome == OK
    here = calls_of(played.archive_id)
    assert sum(request_id.startswith("burst-") for request_id in here) == 50


def test_a_run_of_days_begins_where_the_source_does_and_one_of_older_days_is_refused(played: Played) -> None:
    today = clock.today()
    span = run_start.span_of(played.archive_id, config.instance_settings(), today - timedelta(days=90), None)
    assert span.start == clock.day_start(today - timedelta(days=REACH - 1))
    first, last = today - timedelta(days=90), today - timedelta(days=REACH)
    with pytest.raises(ApiError, match="the last 30 days only") as refused:
        run_start.span_of(played.archive_id, config.instance_settings(), first, last)
    assert refused.value.status == 400


def test_a_mark_from_before_the_reach_moves_and_the_days_behind_it_are_final(played: Played, time: SetClock) -> None:
    assert collected_by(played.archive_id, "alice").outcome == OK
    last = clock.today() - timedelta(days=1)
    time.pass_by(days=45)
    played.add(time.now - timedelta(hours=5), "after", Decimal(1))
    assert collected_by(played.archive_id, "alice").outcome == OK
    assert "after" in calls_of(played.archive_id)
    mark = watermark.mark(played.archive_id)
    assert mark is not None
    assert time.now - mark < timedelta(minutes=10)
    found = ledger(played.archive_id, Days(), wants_prompts=False)
    behind = [str(last + timedelta(days=back)) for back in range(3, 14)]
    assert {found.state(day) for day in behind} == {State.UNASKED}
    assert all(found.is_final(day, State.UNASKED) for day in behind)
    assert missing_days.missing_days(played.archive_id, clock.today() - timedelta(days=1)) is None


def test_the_mark_moves_in_a_scheduled_run_too(played: Played, time: SetClock) -> None:
    assert collected_by(played.archive_id, "alice").outcome == OK
    time.pass_by(days=45)
    runs.begin(played.archive_id, Run.Trigger.SCHEDULE, None, None, queued=True)
    assert queued_runs.work_off_next()
    assert Run.objects.latest("pk").status == Run.Status.OK
    mark = watermark.mark(played.archive_id)
    assert mark is not None
    assert time.now - mark < timedelta(minutes=10)


@pytest.mark.thorough
def test_older_calls_are_asked_for_within_the_reach_alone(played: Played, alice: User) -> None:
    first = clock.today() - timedelta(days=3)
    assert collected_by(played.archive_id, "alice", first).outcome == OK
    Progress.objects.filter(archive_id=played.archive_id).update(complete_through=clock.now())
    run, token = run_start.take_other_run(played.archive_id, Run.Kind.OLDER, Run.Trigger.MANUAL)
    assert fetch_older(run, token, actor="alice").outcome == OK
    days = list(ledger(played.archive_id, Days(), wants_prompts=False).known)
    assert min(days) == str(clock.today() - timedelta(days=REACH - 1))
    assert calls_of(played.archive_id) == played.truth()
