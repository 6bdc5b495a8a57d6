"""Runs in the background: a real cluster of workers, and a run that no worker takes."""

import json
import signal
from typing import Any

import pytest

from accounts.models import User
from collection import tasks
from collection.models import Heartbeat, Run
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collect_endpoint import workers_live
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance, eventually
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.models import Record

ASK = """
import django
django.setup()
from accounts.models import User
from collection.models import Heartbeat
from archive_site.lib import clock
from tests.factories import ApiClient
Heartbeat.objects.update_or_create(name="scheduler", defaults={"at": clock.now()})
api = ApiClient.signed_in(User.objects.get(username="alice"))
api.client.defaults["SERVER_NAME"] = "localhost"
print(api.post("/api/collect", {"background": True}).content.decode())
"""
DELIVER_AGAIN = """
import django
django.setup()
from django_q.tasks import async_task
async_task("collection.tasks.collect_run", %s)
"""


def statuses(instance: Instance) -> list[str]:
    return [status for (status,) in instance.sql("SELECT status FROM collection_run ORDER BY id")]


def finished_tasks(instance: Instance) -> int:
    return int(instance.sql("SELECT COUNT(*) FROM django_q_task WHERE func = 'collection.tasks.collect_run'")[0][0])


def test_a_cluster_works_off_a_run_once_though_it_is_delivered_twice(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    answer: dict[str, Any] = json.loads(instance.python(ASK).splitlines()[-1])
    assert (answer, statuses(instance)) == ({"ok": True, "run_id": 1}, ["queued"])
    gated.hold_at(3)
    cluster = instance.start("qcluster")
    assert gated.reached.wait(60)
    instance.python(DELIVER_AGAIN % answer["run_id"])
    assert eventually(lambda: finished_tasks(instance) == 1)
    assert statuses(instance) == ["running"]
    gated.release()
    assert eventually(lambda: statuses(instance) == ["ok"])
    assert eventually(lambda: finished_tasks(instance) == 2)
    assert instance.sql("SELECT COUNT(*), COUNT(DISTINCT run_id) FROM usage_record") == [(len(gated.rows()), 1)]
    assert instance.sql("SELECT trigger, added, actor FROM collection_run, audit_entry") == [
        ("manual", len(gated.rows()), "alice")
    ]
    cluster.send_signal(signal.SIGTERM)
    cluster.wait(60)


@pytest.fixture
def run(alice: User, upstream: Simulator) -> Run:
    """A run of alice that waits for a worker."""
    set_up(alice, upstream, schedule_enabled=0)
    workers_live()
    assert ApiClient.signed_in(alice).post("/api/collect", {"background": True}).status_code == 202
    return Run.objects.get()


def test_a_worker_collects_with_the_lease_that_was_taken(run: Run, alice: User, upstream: Simulator) -> None:
    tasks.collect_run(run.pk)
    run.refresh_from_db()
    assert (run.status, contents(alice), lease.is_held()) == (Run.Status.OK, truth(upstream), False)


def test_a_run_that_was_worked_off_is_not_again(run: Run, upstream: Simulator) -> None:
    tasks.collect_run(run.pk)
    requests = upstream.request_count
    tasks.collect_run(run.pk)
    assert upstream.request_count == requests


def test_a_run_that_is_gone_is_no_failure(run: Run, upstream: Simulator) -> None:
    Run.objects.all().delete()
    tasks.collect_run(run.pk)
    assert upstream.request_count == 0


def test_a_run_whose_account_is_gone_is_not_worked_off(run: Run, alice: User, upstream: Simulator) -> None:
    alice.delete()
    tasks.collect_run(run.pk)
    assert upstream.request_count == 0


def test_who_adopts_a_lease_without_the_run_gives_it_back(run: Run) -> None:
    Run.objects.update(status=Run.Status.INTERRUPTED)
    tasks.collect_run(run.pk)
    assert not lease.is_held()


@pytest.mark.engine
@pytest.mark.thorough
def test_a_run_that_no_worker_took_within_two_minutes_is_released(run: Run, time: SetClock) -> None:
    time.pass_by(seconds=119)
    tasks.run_due_collections()
    assert (Run.objects.get().status, lease.is_held()) == (Run.Status.QUEUED, True)
    time.pass_by(seconds=1)
    tasks.run_due_collections()
    run.refresh_from_db()
    assert (run.status, run.exit_code, lease.is_held()) == (Run.Status.INTERRUPTED, 6, False)
    assert run.message == "Interrupted: no worker took it in time."


def test_a_worker_that_comes_too_late_does_nothing(run: Run, time: SetClock, upstream: Simulator) -> None:
    time.pass_by(minutes=3)
    tasks.collect_run(run.pk)
    tasks.run_due_collections()
    tasks.collect_run(run.pk)
    assert (upstream.request_count, Run.objects.get().status) == (0, Run.Status.INTERRUPTED)
    assert not Record.objects.exists()


@pytest.mark.django_db
def test_each_tick_is_a_heartbeat(time: SetClock) -> None:
    tasks.run_due_collections()
    time.pass_by(minutes=1)
    tasks.run_due_collections()
    assert Heartbeat.objects.get().at == time.now
