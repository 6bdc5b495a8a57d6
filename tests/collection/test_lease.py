"""The lease: one collection at a time, and never held for ever (docs/decisions.md#the-lease)."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import psutil
import pytest
from django.db import DatabaseError, connection

from accounts.models import User
from archive_site.lib import clock
from audit.models import Entry
from collection import lease, run_start, runs
from collection.collector import collect
from collection.models import Lease, Run
from collection.simulator.simulator import Simulator
from tests.collection.collector_run import SetClock, collected, set_up
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance, eventually
from usage.models import Record

# Both times it waits for a line: until all are there, and, alive, until all have tried.
TAKE_AT_ONCE = """
import django
django.setup()
from collection import lease
print("ready", flush=True)
input()
print(sum(lease.take() is not None for _ in range(20)), flush=True)
input()
"""


@pytest.fixture
def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


@pytest.fixture
def zombie() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        assert eventually(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE)
        yield process.pid


def held_by(holder: str) -> None:
    assert lease.take(holder=holder)


def running(user: User, **fields: object) -> Run:
    now = clock.now()
    return Run.objects.create(
        **{"user_id": user.pk, "trigger": "cli", "status": "running", "created_at": now, "started_at": now, **fields}
    )


# Taking


@pytest.mark.django_db
def test_a_lease_is_taken_once() -> None:
    assert lease.take()
    assert lease.take() is None


@pytest.mark.django_db
def test_a_lease_that_was_released_is_taken_again() -> None:
    first = lease.take()
    assert first
    lease.release(first)
    assert lease.take() not in (None, first)


@pytest.mark.django_db
def test_nobody_releases_another_ones_lease() -> None:
    lease.take()
    lease.release("another")
    assert lease.is_held()


@pytest.mark.django_db(transaction=True)
def test_of_many_threads_at_once_one_gets_it() -> None:
    barrier = Barrier(8)

    def take(number: int) -> str | None:
        try:
            barrier.wait()
            return lease.take()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        tokens = list(pool.map(take, range(8)))
    assert len([token for token in tokens if token]) == 1


def test_of_many_processes_at_once_one_gets_it(instance: Instance) -> None:
    started = [instance.start_python(TAKE_AT_ONCE, stdin=subprocess.PIPE) for _ in range(4)]
    said: list[str] = []
    for _ in range(2):
        said = [process.stdout.readline().strip() for process in started if process.stdout]
        for process in started:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
    assert sorted(said) == ["0", "0", "0", "1"]


# Losing it


@pytest.mark.django_db
def test_a_lease_lasts_a_minute(time: SetClock) -> None:
    held_by("elsewhere 1 1.00")
    time.pass_by(seconds=59)
    assert (lease.is_held(), lease.take()) == (True, None)
    time.pass_by(seconds=1)
    assert not lease.is_held()
    assert lease.take()


@pytest.mark.django_db
def test_a_renewed_lease_lasts_a_minute_more(time: SetClock) -> None:
    token = lease.take(holder="elsewhere 1 1.00")
    assert token
    time.pass_by(seconds=50)
    assert lease.renew(token)
    time.pass_by(seconds=50)
    assert lease.is_held()


@pytest.mark.django_db
def test_a_lease_that_is_lost_is_not_renewed() -> None:
    lease.take()
    assert not lease.renew("another")


@pytest.mark.django_db
def test_a_dead_holder_of_this_machine_loses_it_at_once(dead_pid: int) -> None:
    held_by(f"{socket.gethostname()} {dead_pid} 1.00")
    assert not lease.is_held()
    assert lease.take()


@pytest.mark.django_db
def test_so_does_one_that_only_waits_to_be_buried(zombie: int) -> None:
    held_by(f"{socket.gethostname()} {zombie} {lease._age(psutil.Process(zombie))}")
    assert not lease.is_held()


@pytest.mark.django_db
def test_so_does_one_whose_number_went_to_another_process() -> None:
    held_by(f"{socket.gethostname()} {os.getpid()} 1.00")
    assert not lease.is_held()


@pytest.mark.django_db
def test_a_dead_holder_of_another_machine_has_its_minute(dead_pid: int) -> None:
    held_by(f"elsewhere {dead_pid} 1.00")
    assert lease.is_held()


@pytest.mark.django_db
def test_a_living_holder_keeps_it_when_the_clock_of_the_machine_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    lease.take()
    boot = psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot + 3600)
    assert lease.is_held()


# The runs of dead holders


def test_taking_it_marks_the_run_of_a_dead_holder_interrupted(alice: User, dead_pid: int, time: SetClock) -> None:
    held_by(f"{socket.gethostname()} {dead_pid} 1.00")
    run = running(alice)
    Lease.objects.update(run_id=run.pk)
    time.pass_by(seconds=7)
    lease.take()
    run.refresh_from_db()
    assert (run.status, run.exit_code, run.duration_ms) == (Run.Status.INTERRUPTED, 6, 7000)
    assert (run.finished_at, run.detail) == (time.now, f"2026-09-07 17:59:37 {run.message}\n")


def test_the_tick_frees_it_too(alice: User, dead_pid: int) -> None:
    held_by(f"{socket.gethostname()} {dead_pid} 1.00")
    run = running(alice)
    lease.expire()
    run.refresh_from_db()
    assert (run.status, Lease.objects.get().token) == (Run.Status.INTERRUPTED, "")


def test_the_run_that_is_worked_on_stays(alice: User) -> None:
    token = lease.take()
    run, lost = running(alice), running(alice)
    assert token
    lease.assign(token, run.pk)
    lease.expire()
    assert dict(Run.objects.values_list("pk", "status")) == {run.pk: "running", lost.pk: "interrupted"}


def test_an_ended_run_stays_as_it_ended(alice: User) -> None:
    run = running(alice, status=Run.Status.OK)
    lease.expire()
    run.refresh_from_db()
    assert run.status == Run.Status.OK


# Those whose lease is lost


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


def test_nor_does_it_change_how_its_run_was_ended(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)

    def lose(line: str) -> None:
        if "page 3" in line:
            Lease.objects.update(token="", run_id=None)
            lease.take()

    ended = collected(alice, show=lose).run
    assert ended.message.startswith("Interrupted: its process died or stood still.")
    assert not Entry.objects.filter(action__startswith="collect").exists()


def test_nor_does_it_take_the_lease_of_its_successor_away(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    collected(alice, show=lambda line: Lease.objects.update(token="another") and None)
    assert Lease.objects.get().token == "another"


def test_nor_does_it_note_what_it_waits_for(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    upstream.faults.fail("unavailable", times=1, after_pages=1)

    def lose(line: str) -> None:
        if "page 1" in line:
            Lease.objects.update(token="", run_id=None)
            lease.take()

    run = collected(alice, show=lose).run
    assert (upstream.request_count, "HTTP 503" in run.detail) == (2, False)


@pytest.mark.django_db(transaction=True)
def test_a_run_that_waits_for_its_page_is_told_of_the_loss(
    alice: User, gated: GatedSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.05)
    set_up(alice, gated)
    gated.hold_at(2)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(in_thread, alice)
        assert gated.reached.wait(10)
        Lease.objects.update(token="another")
        assert run.result(5).message.startswith("Another collection took over")


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_renewed_while_a_run_waits(
    alice: User, gated: GatedSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.05)
    set_up(alice, gated)
    gated.hold_at(2)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(in_thread, alice)
        assert gated.reached.wait(10)
        before = Lease.objects.get().expires_at
        assert before
        assert eventually(lambda: Lease.objects.filter(expires_at__gt=before).exists(), 5)
        gated.release()
        assert run.result(10).status == Run.Status.OK
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
        assert eventually(lambda: len(tries) > 2, 5)
        assert not lost.is_set()


def in_thread(user: User) -> Run:
    try:
        return collected(user).run
    finally:
        connection.close()


# Handed to a worker


def queued(user: User, upstream: Simulator) -> tuple[Run, str]:
    set_up(user, upstream)
    return run_start.on_demand(user.pk, {}, queued=True)


def test_a_queued_run_keeps_the_lease_for_two_minutes(alice: User, upstream: Simulator, time: SetClock) -> None:
    queued(alice, upstream)
    time.pass_by(seconds=119)
    assert lease.take() is None
    time.pass_by(seconds=1)
    assert lease.take()


def test_a_worker_adopts_it_under_a_token_of_its_own(alice: User, upstream: Simulator, time: SetClock) -> None:
    run, token = queued(alice, upstream)
    adopted = lease.adopt(run.pk)
    assert adopted not in (None, token)
    with pytest.raises(lease.LeaseLost):
        lease.require(token)
    assert Lease.objects.get().expires_at == time.now + timedelta(seconds=60)


def test_it_is_adopted_once(alice: User, upstream: Simulator) -> None:
    run, _ = queued(alice, upstream)
    token = lease.adopt(run.pk)
    assert token
    assert lease.adopt(run.pk) is None
    lease.require(token)


def test_no_worker_adopts_it_for_another_run(alice: User, upstream: Simulator) -> None:
    run, _ = queued(alice, upstream)
    assert lease.adopt(run.pk + 1) is None


def test_no_worker_adopts_it_too_late(alice: User, upstream: Simulator, time: SetClock) -> None:
    run, _ = queued(alice, upstream)
    time.pass_by(minutes=2)
    assert lease.adopt(run.pk) is None


def test_work_without_the_lease_stores_nothing(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    run = runs.begin(alice.pk, Run.Trigger.CLI, clock.now() - timedelta(days=3), clock.now())
    assert collect(run, "no such token", actor="test").run.status == Run.Status.INTERRUPTED
    assert not Record.objects.exists()
