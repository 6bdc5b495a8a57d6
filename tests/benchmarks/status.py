"""The time of `/api/status` while the workers of a real `up` collect, compared with the same `up` at rest.

    python -m tests.benchmarks.status

The upstream is the simulator in a separate process, with more than 50,000 calls; the schedule queued the run.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.benchmarks.dataset import PASSWORD
from tests.benchmarks.report import Report, ms, p95
from tests.benchmarks.serving import Client, port_said, when_ready
from tests.benchmarks.while_writing import upstream
from tests.collection.running_instance import Instance, eventually, made_instance

# How much longer the 95th of 100 answers may take, in seconds.
MOST_MORE = 0.05
LEAST_WRITTEN = 50_000
IDLE_READS = 400
# Seconds between reads on both sides, as from a few open pages.
PAUSE = 0.02
SIGN_UP = f"""
import django
django.setup()
from accounts.models import User
alice = User.objects.get(username="alice")
alice.set_password({PASSWORD!r})
alice.save()
"""
COLLECT = """
import django
django.setup()
from django_q.tasks import async_task
from collection.runs import runs
from collection import tasks
runs.begin(1, "schedule", queued=True)
async_task(tasks.WORK_OFF)
"""


def measure(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="usage-archive-benchmark-") as folder:
        template = made_instance(Path(folder) / "template")
        with Instance.copied(template, Path(folder) / "home") as instance, upstream() as (base_url, cookie):
            instance.settings = "tests.benchmarks.settings"
            instance.use_cookie(base_url, cookie, page_size=200, captcha_policy="off", schedule_enabled=0)
            instance.python(SIGN_UP)
            client = _up(instance)
            idle, _ = _read(client, lambda taken: taken < IDLE_READS)
            instance.python(COLLECT)
            if not eventually(lambda: _count(instance) > 0, 60):
                sys.exit("nothing is collected")
            at = time.perf_counter()
            busy, failed = _read(client, lambda taken: bool(_running(instance)))
            written, seconds = _count(instance), time.perf_counter() - at
            ended = instance.sql("SELECT status FROM collection_run")
    report.table(
        ("status", "median", "p95", "longest", "reads"),
        [
            (name, ms(median(taken)), ms(p95(taken)), ms(max(taken)), str(len(taken)))
            for name, taken in (("idle", idle), ("while the workers collect", busy))
        ],
    )
    report.line(f"{written:,} records were collected in {seconds:.0f} s")
    report.verdict(
        ended == [("ok",)] and written >= LEAST_WRITTEN, f"at least {LEAST_WRITTEN:,} records came meanwhile"
    )
    report.limit("status: p95 while the workers collect above idle, in ms", (p95(busy) - p95(idle)) * 1000,
                 most=MOST_MORE * 1000)  # fmt: skip
    report.verdict(not failed, f"of {len(busy)} reads meanwhile {failed} failed")


def _up(instance: Instance) -> Client:
    """Start `up` with its workers; return a client that is signed in."""
    up = instance.start("up", "--bind", "127.0.0.1:0", stderr=subprocess.DEVNULL)
    assert up.stdout is not None
    client = Client(port_said(up, up.stdout, "Serving on http://127.0.0.1:"))
    when_ready(client, "/healthz", up)
    client.sign_in("alice", PASSWORD)
    return client


def _read(client: Client, goes_on: Callable[[int], bool]) -> tuple[list[float], int]:
    """The seconds of successive reads until the end, and the number of failed ones."""
    taken: list[float] = []
    failed = 0
    while goes_on(len(taken)):
        answer = client.get("/api/status")
        taken.append(answer.seconds)
        failed += answer.status != 200
        time.sleep(PAUSE)
    return taken, failed


def _count(instance: Instance) -> int:
    return int(instance.sql("SELECT COUNT(*) FROM usage_record")[0][0])


def _running(instance: Instance) -> int:
    return int(instance.sql("SELECT COUNT(*) FROM collection_run WHERE status = 'running'")[0][0])


def main() -> int:
    report = Report(sys.stdout)
    measure(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
