"""Runs whose lease is lost, and the renewal that prevents it (docs/decisions/collection.md#the-lease)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import User
from archive_site.lib import clock
from audit.models import Entry
from collection.models import Lease, Run
from collection.reading.collector import collect
from collection.runs import lease, runs
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import collected, set_up
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import eventually
from tests.standing_clock import SetClock
from usage.models import Record


def test_who_lost_it_writes_nothing_more(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    stored: list[int] = []

    def lose(line: str) -> None:
        if "page 3" in line:
            lease.expire()
            Lease.objects.update(token="another")
        if "page" in line:
            stored.append(Record.objects.count())

    result = collected(alice, show=lose)
    assert (result.run.status, result.run.exit_code) == (Run.Status.INTERRUPTED, 6)
    assert "Another collection took over" in result.run.message
    assert Record.objects.count() == stored[-1]


def test_on_a_store_of_a_newer_version_nothing_more_is_written(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    stored: list[int] = []

    def migrate(line: str) -> None:
        if "page 3" in line:
            MigrationRecorder.Migration.objects.create(id=10**6, app="usage", name="9999_of_a_later_version")
        if "page" in line:
            stored.append(Record.objects.count())

    result = collected(alice, show=migrate)
    assert (result.run.status, result.run.exit_code) == (Run.Status.INTERRUPTED, 6)
    assert result.run.message == "The store is of a newer version than this node; nothing more was written."
    assert Record.objects.count() == stored[-1] > 0


def test_who_lost_the_lease_does_not_change_how_its_run_was_ended(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)

    def lose(line: str) -> None:
        if "page 3" in line:
            Lease.objects.update(token="", run_id=None)
            lease.take()

    ended = collected(alice, show=lose).run
    assert ended.message.startswith("Interrupted: its process died or stood still.")
    assert not Entry.objects.filter(action__startswith="collect").exists()


def test_who_lost_the_lease_leaves_it_to_its_successor(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    collected(alice, show=lambda line: Lease.objects.update(token="another") and None)
    assert Lease.objects.get().token == "another"


def test_who_lost_the_lease_does_not_note_what_it_waits_for(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    upstream.faults.fail("unavailable", times=1, after_pages=1)

    def lose(line: str) -> None:
        if "page 1" in line:
            Lease.objects.update(token="", run_id=None)
            lease.take()

    run = collected(alice, show=lose).run
    assert (upstream.request_count, "HTTP 503" in run.detail) == (2, False)


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_a_run_that_waits_for_its_page_ends_at_the_loss(
    alice: User, gated: GatedSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.05)
    set_up(alice, gated)
    gated.hold_at(2)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(in_thread, alice)
        assert gated.reached.wait(60)
        Lease.objects.update(token="another")
        assert run.result(60).message.startswith("Another collection took over")


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_renewed_while_a_run_waits(
    alice: User, gated: GatedSimulator, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.05)
    set_up(alice, gated)
    gated.hold_at(2)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(in_thread, alice)
        assert gated.reached.wait(60)
        before = Lease.objects.get().expires_at
        assert before
        time.pass_by(seconds=1)
        assert eventually(lambda: Lease.objects.filter(expires_at__gt=before).exists())
        gated.release()
        assert run.result(60).status == Run.Status.OK
    assert not lease.is_held()


@pytest.mark.django_db
def test_a_store_that_does_not_answer_once_loses_no_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def renew(token: str) -> bool:
        tries.append(token)
        if len(tries) == 1:
            raise DatabaseError("locked")
        return True

    monkeypatch.setattr(lease, "renew", renew)
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.01)
    with lease.kept(lease.take() or "") as lost:
        assert eventually(lambda: len(tries) > 2)
        assert not lost.is_set()


def in_thread(user: User) -> Run:
    try:
        return collected(user).run
    finally:
        connection.close()


def test_work_without_the_lease_stores_nothing(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    run = runs.begin(alice.pk, Run.Trigger.CLI, clock.now() - timedelta(days=3), clock.now())
    assert collect(run, "no such token", actor="test").run.status == Run.Status.INTERRUPTED
    assert not Record.objects.exists()
