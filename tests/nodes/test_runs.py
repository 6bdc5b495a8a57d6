"""Runs of several nodes: each node stops its own, and goes on with those of a dead one.

The rules: docs/decisions/nodes.md#nodes.
"""

import signal
from collections.abc import Iterator

import pytest

from tests.archive_site.commands import wait_until
from tests.collection.collector_run import truth
from tests.collection.gated_simulator import GatedSimulator
from tests.nodes.instance import Nodes, end

pytestmark = pytest.mark.postgres_only
QUEUE = """
import django
django.setup()
from collection.runs import runs
print(runs.begin(1, "schedule", queued=True).pk)
"""


@pytest.fixture
def gated() -> Iterator[GatedSimulator]:
    simulator = GatedSimulator(days=3, per_day=40)
    with simulator:
        yield simulator


@pytest.fixture
def collecting(nodes: Nodes, gated: GatedSimulator) -> Nodes:
    """An instance with the nodes a and b, and a queued run of its account."""
    done = nodes.manage("a", "create_admin", "ada", "--password-stdin", text="correct horse 1\ncorrect horse 1\n")
    assert done.returncode == 0, done.stderr
    assert nodes.manage("a", "backup", "list").returncode == 0
    nodes.copy_keys("a", "b")
    nodes.set(0, api_base=gated.base_url, page_size=20, schedule_enabled=0, collect_max_range_days=4)
    nodes.set(1, cookie=nodes.encrypted("a", gated.cookie()))
    nodes.python("a", QUEUE)
    return nodes


def statuses(nodes: Nodes) -> list[str]:
    return [str(status) for (status,) in nodes.sql("SELECT status FROM collection_run ORDER BY id")]


def stored(nodes: Nodes) -> dict[str, tuple[float, str]]:
    rows = nodes.sql("SELECT request_id, credits, ts FROM usage_record")
    assert len({key for key, _, _ in rows}) == len(rows)
    return {key: (float(credits), ts) for key, credits, ts in rows}


@pytest.mark.thorough
def test_a_stop_of_one_node_leaves_the_run_of_another(collecting: Nodes, gated: GatedSimulator) -> None:
    web = collecting.up("b", "--no-worker")
    gated.hold_at(2)
    collecting.workers("a")
    assert gated.reached.wait(60)
    assert web.stop() == 0
    assert collecting.sql("SELECT status, stop_requested FROM collection_run") == [("running", False)]
    gated.release()
    wait_until(lambda: statuses(collecting) == ["ok"])
    assert stored(collecting) == truth(gated)


@pytest.mark.thorough
def test_a_stopped_node_interrupts_its_own_run(collecting: Nodes, gated: GatedSimulator) -> None:
    gated.hold_at(2)
    workers = collecting.workers("a")
    assert gated.reached.wait(60)
    workers.send_signal(signal.SIGTERM)
    wait_until(lambda: collecting.sql("SELECT stop_requested FROM collection_run") == [(True,)])
    gated.release()
    assert workers.wait(60) == 0
    assert statuses(collecting) == ["interrupted"]


def test_what_a_killed_node_left_is_taken_over(collecting: Nodes, gated: GatedSimulator) -> None:
    gated.hold_at(3)
    workers = collecting.workers("a")
    assert gated.reached.wait(60)
    end(workers)
    gated.release()
    # As if it had been on another machine, a minute ago.
    collecting.sql(
        "UPDATE collection_lease SET holder = 'elsewhere 1 1.00 a', expires_at = now() - interval '1 minute'"
    )
    collecting.python("b", QUEUE)
    collecting.workers("b")
    wait_until(lambda: statuses(collecting) == ["interrupted", "ok"])
    assert stored(collecting) == truth(gated)


@pytest.mark.thorough
def test_each_node_has_its_heartbeat(collecting: Nodes) -> None:
    collecting.workers("a", ARCHIVE_NODE="first")
    second = collecting.workers("b", ARCHIVE_NODE="second")
    named = "SELECT name FROM collection_heartbeat WHERE starts_with(name, 'workers of') ORDER BY name"
    wait_until(lambda: collecting.sql(named) == [("workers of first",), ("workers of second",)])
    second.send_signal(signal.SIGTERM)
    assert second.wait(60) == 0
    assert collecting.sql(named) == [("workers of first",)]
    # Stopping one node leaves the scheduler of the other.
    wait_until(lambda: collecting.sql("SELECT count(*) FROM collection_heartbeat WHERE name = 'scheduler'") == [(1,)])


def test_two_nodes_that_start_at_once_write_each_schedule_once(collecting: Nodes) -> None:
    for name in "ab":
        collecting.workers(name)
    assert collecting.sql("SELECT count(*) FROM django_q_schedule") == [(2,)]
