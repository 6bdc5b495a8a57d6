"""SIGTERM to a real `up` in the middle of a run: it ends in time, and so does the run."""

import signal

from tests.archive_site.commands import STOP_SECONDS
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance, eventually

QUEUE = """
import django
django.setup()
from collection.runs import runs
print(runs.begin(1, "schedule", queued=True).pk)
"""


def status(instance: Instance) -> list[tuple[str, int | None]]:
    return [(status, code) for status, code in instance.sql("SELECT status, exit_code FROM collection_run")]


def test_a_run_whose_upstream_hangs_ends_interrupted_within_ten_seconds(
    instance: Instance, gated: GatedSimulator
) -> None:
    instance.use(gated, timeout=120, schedule_enabled=0, collect_max_range_days=4)
    instance.python(QUEUE)
    gated.faults.fail("hang", after_pages=1)
    up = instance.start("up", "--bind", "127.0.0.1:0")
    assert eventually(lambda: gated.request_count == 2)
    assert status(instance) == [("running", None)]
    up.send_signal(signal.SIGTERM)
    assert up.wait(STOP_SECONDS) == 0
    assert status(instance) == [("interrupted", 6)]
    assert instance.sql("SELECT token FROM collection_lease") == [("",)]
    assert instance.sql("SELECT COUNT(*) FROM usage_record") == [(20,)]
