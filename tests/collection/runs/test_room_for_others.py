"""Runs that end for others: those of a disabled account, and long ones (docs/decisions/collection.md#the-lease)."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import lease, run_execution, run_progress, run_start, runs
from collection.runs.run_progress import RunProgress
from tests.collection.collector_run import collected_by
from tests.collection.scheduling import queued_tasks
from tests.factories import further_archive, make_user

pytestmark = pytest.mark.django_db
Counting = Callable[..., AbstractContextManager[object]]


def under_way(archive_id: int, kind: Run.Kind = Run.Kind.COLLECTION) -> RunProgress:
    run, token = run_start.take_other_run(archive_id, kind, Run.Trigger.MANUAL)
    return RunProgress(run, token, runs.Journal(run.pk), [], print)


def wait(archive_id: int) -> Run:
    return runs.begin(archive_id, Run.Trigger.SCHEDULE, queued=True)


@pytest.mark.engine
def test_the_run_of_an_account_that_is_disabled_ends(alice: User) -> None:
    progress = under_way(further_archive(alice))
    assert not progress.should_stop()
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    assert progress.should_stop()
    assert progress.stopped == Message("owner_gone")
    progress.run.trigger = Run.Trigger.CLI
    assert not progress.should_stop()


@pytest.mark.engine
@pytest.mark.parametrize("kind", [Run.Kind.COLLECTION, Run.Kind.OLDER])
def test_a_long_run_makes_room_for_others_that_wait(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, kind: Run.Kind
) -> None:
    monkeypatch.setattr(run_progress, "LONGEST_BEFORE_OTHERS", 0.0)
    progress = under_way(alice.pk, kind)
    wait(alice.pk)
    # Its own does not count.
    assert not progress.should_stop()
    wait(bob.pk)
    assert progress.should_stop()
    assert progress.stopped == Message("made_room" if kind == Run.Kind.COLLECTION else "older_made_room")


@pytest.mark.engine
def test_of_several_long_runs_the_longest_makes_room(
    alice: User, bob: User, root: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(run_progress, "LONGEST_BEFORE_OTHERS", 0.0)
    settings.COLLECTIONS_AT_ONCE = 3
    # One that waited before it began; and what would begin anew, however long it lasts.
    newer, older = under_way(alice.pk), under_way(bob.pk)
    longest = under_way(make_user("carol").pk, Run.Kind.IMPORT)
    for progress, hours in ((newer, 1), (older, 2), (longest, 3)):
        begun = clock.now() - timedelta(hours=hours)
        Run.objects.filter(pk=progress.run.pk).update(started_at=begun)
    wait(root.pk)
    assert (newer.should_stop(), older.should_stop(), longest.should_stop()) == (False, True, False)


def test_a_run_ends_for_nobody_before_its_time(alice: User, bob: User, django_assert_num_queries: Counting) -> None:
    progress = under_way(alice.pk)
    wait(bob.pk)
    with django_assert_num_queries(1):
        assert not progress.should_stop()


def test_what_would_begin_anew_and_a_run_beside_free_places_make_no_room(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(run_progress, "LONGEST_BEFORE_OTHERS", 0.0)
    wait(bob.pk)
    for kind in (Run.Kind.IMPORT, Run.Kind.VERIFICATION):
        long = under_way(alice.pk, kind)
        assert not long.should_stop()
        lease.release(long.token)
    settings.COLLECTIONS_AT_ONCE = 2
    assert not under_way(alice.pk).should_stop()


@pytest.mark.engine
def test_runs_that_end_call_a_worker_for_each_that_can_begin(alice: User, bob: User, root: User, settings: Any) -> None:
    settings.COLLECTIONS_AT_ONCE = 2
    wait(bob.pk)
    wait(root.pk)
    for _ in range(2):
        collected_by(alice.pk, "alice")
    assert queued_tasks() == [run_execution.WORK_OFF] * 2


def test_a_run_that_ends_calls_a_worker_for_one_that_waits(alice: User, bob: User) -> None:
    collected_by(alice.pk, "alice")
    assert queued_tasks() == []
    wait(bob.pk)
    for _ in range(2):
        collected_by(alice.pk, "alice")
    assert queued_tasks() == [run_execution.WORK_OFF]
