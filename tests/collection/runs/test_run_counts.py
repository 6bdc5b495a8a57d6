"""How many runs have ended, by kind and outcome."""

from importlib import import_module
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.storage.sql import execute
from archive_site.lib.stored_message import Message
from collection.erasure_and_adoption import erase_runs
from collection.models import Run, RunCount
from collection.runs import lease, run_counts, run_outcomes, runs
from collection.runs.run_outcomes import API, OK, RunOutcome
from tests.concurrency import together

pytestmark = pytest.mark.django_db


def begun(user: User, kind: Run.Kind = Run.Kind.COLLECTION, **fields: Any) -> Run:
    return runs.begin(user.pk, Run.Trigger.MANUAL, kind=kind, **fields)


def end(run: Run, outcome: RunOutcome) -> None:
    runs.finish(run, outcome, Message("stopped"), runs.Journal(run.pk), actor="alice")


def counted() -> dict[tuple[str, str], int]:
    return {key: number for key, number in run_counts.numbers().items() if number}


def test_all_kinds_and_outcomes_are_there_before_any_run(db: None) -> None:
    names = [outcome.error or "ok" for outcome in run_outcomes.ALL]
    assert run_counts.numbers() == {(kind, name): 0 for kind in Run.Kind.values for name in names}


def test_every_outcome_is_among_all() -> None:
    assert {value for value in vars(run_outcomes).values() if isinstance(value, RunOutcome)} == set(run_outcomes.ALL)


def test_a_run_counts_when_it_ends(alice: User) -> None:
    run = begun(alice)
    assert counted() == {}
    end(run, OK)
    end(begun(alice), API)
    end(begun(alice, Run.Kind.VERIFICATION), OK)
    end(begun(alice), OK)
    assert counted() == {("collection", "ok"): 2, ("collection", "api"): 1, ("verification", "ok"): 1}


def test_a_run_counts_once(alice: User) -> None:
    run = begun(alice)
    end(run, API)
    end(run, OK)
    assert counted() == {("collection", "api"): 1}


def test_an_abandoned_run_counts(alice: User) -> None:
    begun(alice, Run.Kind.OLDER)
    begun(alice, queued=True)
    lease.expire()
    assert counted() == {("older", "interrupted"): 1}


def test_a_run_that_is_deleted_still_counts(alice: User) -> None:
    end(begun(alice), OK)
    erase_runs(alice.pk)
    assert counted() == {("collection", "ok"): 1}


@pytest.mark.django_db(transaction=True)
def test_none_is_lost_where_several_end_at_once(alice: User) -> None:
    together(*[lambda: run_counts.count("collection", 0)] * 8)
    assert counted() == {("collection", "ok"): 8}


def test_an_existing_store_is_counted(alice: User, bob: User) -> None:
    for user, outcome in ((alice, OK), (bob, OK), (bob, API)):
        end(begun(user), outcome)
    begun(alice)
    imported = {"trigger": Run.Trigger.IMPORTED, "created_at": clock.now(), "status": "ok", "exit_code": 0}
    Run.objects.create(archive_id=alice.pk, **imported)
    before = counted()
    RunCount.objects.all().delete()
    execute(import_module("collection.migrations.0009_run_counts")._COUNT)
    assert counted() == before == {("collection", "ok"): 2, ("collection", "api"): 1}
