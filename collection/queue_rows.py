"""The queue's own rows: what waits in it, and cleaning away what it leaves behind for ever."""

from datetime import datetime, timedelta

from django.conf import settings
from django_q.models import Failure, OrmQ, Task

from archive_site.lib import clock

FAILURES_KEPT = timedelta(days=30)


def is_waiting(function: str) -> bool:
    """Whether a task that calls `function` waits for a worker."""
    return any(task.func() == function for task in OrmQ.objects.filter(lock__lte=clock.now()))


def keeps_results(function: str, since: datetime) -> bool:
    """Whether the result of a task that calls `function` was recorded since then.

    Where the process that records them was killed, its successor waits for a lock for ever, though tasks are done.
    """
    # What lies in the future was told by a clock that ran ahead.
    until = clock.now() + timedelta(minutes=1)
    recorded: bool = Task.objects.filter(func=function, stopped__gte=since, stopped__lt=until).exists()
    return recorded


def delete_dead_rows() -> int:
    """Delete deliveries whose worker died (nobody takes them again), and old failures; how many rows went.

    The queue moves the lock of what it delivers `retry` seconds into the future, and prunes successes only.
    """
    now = clock.now()
    abandoned = now - settings.LONGEST_TASK - timedelta(hours=1) + timedelta(seconds=settings.DELIVERED_FOR)
    dead: int = OrmQ.objects.filter(lock__gt=now, lock__lt=abandoned).delete()[0]
    old: int = Failure.objects.filter(stopped__lt=now - FAILURES_KEPT).delete()[0]
    return dead + old
