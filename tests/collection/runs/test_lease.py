"""The lease: one collection at a time, and never held for ever (docs/decisions/collection.md#the-lease)."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psutil
import pytest
from django.db import connection

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.storage import engine
from collection.models import Lease, Run
from collection.runs import lease
from tests.collection.running_instance import Instance, eventually
from tests.standing_clock import SetClock

# Both times it waits for a line: until all are there, and, alive, until all have tried.
TAKE_AT_ONCE = """
import django
django.setup()
from collection.runs import lease
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
        **{"archive_id": user.pk, "trigger": "cli", "status": "running", "created_at": now, "started_at": now, **fields}
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


@pytest.mark.thorough
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
    # Of nodes, the clock of the holder may be a minute behind.
    time.pass_by(seconds=119 if engine.MAY_HAVE_SEVERAL_NODES else 59)
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
def test_a_holder_that_only_waits_to_be_buried_loses_it_at_once(zombie: int) -> None:
    held_by(f"{socket.gethostname()} {zombie} {lease._age(psutil.Process(zombie))}")
    assert not lease.is_held()


@pytest.mark.django_db
def test_a_holder_whose_number_went_to_another_process_loses_it_at_once() -> None:
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


@pytest.mark.django_db
def test_the_runs_of_this_node_are_those_that_its_processes_hold(alice: User, bob: User, settings: Any) -> None:
    for user, node in ((alice, "here-1"), (bob, "here-12")):
        settings.COLLECTIONS_AT_ONCE, settings.NODE = 2, node
        token = lease.take(archive_id=user.pk)
        assert token
        lease.assign(token, user.pk)
    settings.NODE = "here-1"
    assert lease.runs_here() == [alice.pk]


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
