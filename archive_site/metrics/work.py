"""Metrics of the runs, the queue and its workers, and the notices."""

from collections.abc import Iterator
from datetime import datetime

from prometheus_client.metrics_core import Metric

from accounts.delivery import outbox
from archive_site.lib import clock
from archive_site.metrics.families import counter, gauge, single
from collection import nodes, queue_rows
from collection.models import Heartbeat
from collection.runs import run_counts
from collection.runs.run_start import HEARTBEAT


def runs() -> Iterator[Metric]:
    about = "Runs that have ended, by kind and outcome."
    yield counter("runs_total", about, ("kind", "outcome"), run_counts.numbers().items())
    unfinished = run_counts.unfinished()
    about = "Runs that wait for a worker (queued) or are being worked on (running)."
    yield gauge("runs_unfinished", about, ("state",), [((name,), one.number) for name, one in unfinished.items()])
    about = "Seconds since the oldest run was created that waits for a worker; 0 if none does."
    yield single("run_waiting_seconds", about, _waiting_since(unfinished["queued"].oldest))


def queue() -> Iterator[Metric]:
    number, oldest = queue_rows.all_waiting()
    yield single("queue_tasks", "Tasks that wait for a worker.", number)
    about = "Seconds since the oldest task was queued that waits for a worker; 0 if none does."
    yield single("queue_waiting_seconds", about, _waiting_since(oldest))
    beat = Heartbeat.objects.filter(name=HEARTBEAT).values_list("at", flat=True).first()
    about = "Seconds since the scheduler last ran, on any node."
    yield single("scheduler_heartbeat_age_seconds", about, _age_of_beat(beat) if beat else None)
    about = "Seconds since the workers of a node last gave a sign of life; on PostgreSQL only."
    beats = [((node.name,), _age_of_beat(node.beat_at)) for node in nodes.known()]
    yield gauge("workers_heartbeat_age_seconds", about, ("node",), beats)


def notices() -> Iterator[Metric]:
    yield single(
        "notices_waiting",
        "Deliveries that wait: notices for an address, and events for a webhook.",
        outbox.waiting_number(),
    )


def _waiting_since(at: datetime | None) -> float:
    """Seconds since then; a time in the future, of a clock that ran ahead, counts as now."""
    return max(0.0, (clock.now() - at).total_seconds()) if at else 0.0


def _age_of_beat(at: datetime) -> float:
    """Seconds since a heartbeat; one in the future comes from a wrong clock and is no sign of life."""
    return abs((clock.now() - at).total_seconds())
