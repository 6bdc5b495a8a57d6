"""A run that is killed in the middle: nothing stored is lost, and the next run leaves no hole."""

import signal

import pytest

from archive_site.lib.stored_message import Message
from tests import process_stores
from tests.collection.collector_run import Contents, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.collection.running_instance import Instance

QUEUE = """
import django
django.setup()
from collection.runs import runs
print(runs.begin(1, "schedule", queued=True).pk)
"""
WORK = """
import django
django.setup()
from collection import queued_runs
while queued_runs.work_off_next(): pass
"""
TICK = """
import django
django.setup()
from collection import tasks
tasks.run_due_collections()
"""


def contents(instance: Instance) -> Contents:
    """What the archive holds, its rollups held against it."""
    assert [instance.sql(query) for query in ROLLUP_ERRORS] == [[]] * len(ROLLUP_ERRORS)
    assert process_stores.is_sound(instance.home)
    return {key: (credits, ts) for key, credits, ts in instance.sql("SELECT request_id, credits, ts FROM usage_record")}


def kill_at(instance: Instance, gated: GatedSimulator, request: int) -> Contents:
    """Kill a run while it waits for its answer to a request; what it had stored."""
    gated.hold_at(request)
    process = instance.start("collect", "alice")
    assert gated.reached.wait(60)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    gated.release()
    return contents(instance)


def statuses(instance: Instance) -> list[tuple[str, int | None]]:
    rows = instance.sql("SELECT status, exit_code FROM collection_run ORDER BY id")
    return [(status, code) for status, code in rows]


@pytest.mark.thorough
@pytest.mark.parametrize("pages", [1, 3], ids=["between two pages of the first window", "in the middle"])
def test_nothing_is_lost_and_no_hole_stays(instance: Instance, gated: GatedSimulator, pages: int) -> None:
    instance.use(gated, collect_max_range_days=4)
    stored = kill_at(instance, gated, pages + 1)
    assert len(stored) == pages * 20
    assert instance.run("collect", "alice").returncode == 0
    assert statuses(instance) == [("interrupted", 6), ("ok", 0)]
    assert contents(instance) == truth(gated)


@pytest.mark.thorough
def test_a_run_killed_in_a_later_window_keeps_the_earlier_ones_mark(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    kill_at(instance, gated, 5)
    ((mark,),) = instance.sql("SELECT complete_through FROM collection_progress")
    ((start,),) = instance.sql("SELECT win_from FROM collection_run")
    assert mark > start
    assert instance.run("collect", "alice").returncode == 0
    assert contents(instance) == truth(gated)


@pytest.mark.thorough
def test_its_death_is_noticed_at_once_on_this_machine(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    kill_at(instance, gated, 2)
    assert statuses(instance) == [("running", None)]
    assert instance.run("collect", "alice", "--from", "2020-01-01", "--to", "2020-01-01").returncode == 0
    ((message, finished, detail),) = instance.sql(
        "SELECT message, finished_at, detail FROM collection_run WHERE id = 1"
    )
    assert message == Message("process_died").stored()
    assert finished
    assert message[1:] in detail


def test_a_worker_that_is_killed_leaves_an_interrupted_run_and_the_next_completes_it(
    instance: Instance, gated: GatedSimulator
) -> None:
    instance.use(gated, schedule_enabled=0)
    instance.python(QUEUE)
    gated.hold_at(4)
    process = instance.start_python(WORK)
    assert gated.reached.wait(60)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    gated.release()
    instance.python(TICK)
    assert instance.sql("SELECT status, exit_code FROM collection_run") == [("interrupted", 6)]
    instance.python(QUEUE)
    instance.python(WORK)
    assert instance.sql("SELECT status FROM collection_run ORDER BY id") == [("interrupted",), ("ok",)]
    assert instance.sql("SELECT COUNT(*), COUNT(DISTINCT request_id) FROM usage_record") == [(len(gated.rows()),) * 2]
