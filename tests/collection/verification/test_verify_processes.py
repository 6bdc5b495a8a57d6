"""`manage.py verify` in processes of its own: two at once, a kill, Ctrl-C, and a reader that is gone."""

import signal
import subprocess
from datetime import date, timedelta

import pytest

from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance

pytestmark = pytest.mark.thorough

EQUAL, NOT_COMPARED = 0, 2


@pytest.fixture
def full(instance: Instance, gated: GatedSimulator) -> Instance:
    """Alice with all calls, in a data folder of its own."""
    instance.use(gated)
    assert instance.run("collect", "alice").returncode == 0
    return instance


def store(instance: Instance) -> list[object]:
    tables = ("usage_record", "usage_coverageday", "usage_dataversion", "collection_run", "audit_entry")
    return [instance.sql(f"SELECT * FROM {table}") for table in tables]  # noqa: S608


def started(instance: Instance, gated: GatedSimulator) -> "subprocess.Popen[str]":
    """A verification that waits for its second answer."""
    gated.hold_at(2)
    process = instance.start("verify", "alice")
    assert gated.reached.wait(60)
    return process


def test_of_two_at_once_the_second_is_busy(full: Instance, gated: GatedSimulator) -> None:
    first = started(full, gated)
    second = full.run("verify", "alice")
    assert (second.returncode, "already running" in second.stderr) == (NOT_COMPARED, True)
    gated.release()
    assert first.wait(60) == EQUAL


def test_one_that_is_killed_leaves_a_free_lease_and_nothing_else(full: Instance, gated: GatedSimulator) -> None:
    before = store(full)
    process = started(full, gated)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    gated.release()
    assert store(full) == before
    assert full.run("verify", "alice").returncode == EQUAL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_exits_with_2(full: Instance, gated: GatedSimulator, number: int) -> None:
    process = started(full, gated)
    process.send_signal(number)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error.strip()) == (
        NOT_COMPARED, "CommandError: Stopped before all days were compared.",
    )  # fmt: skip
    assert full.sql("SELECT token FROM collection_lease") == [("",)]


@pytest.mark.engine
def test_a_reader_that_is_gone_is_no_difference(full: Instance) -> None:
    # More days than fit into the buffer of the output.
    process = full.start("verify", "alice", "--from", f"{date.today() - timedelta(days=300)}")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == NOT_COMPARED
