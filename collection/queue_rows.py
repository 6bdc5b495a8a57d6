"""The rows of the queue: waiting tasks, and deleting rows that the queue itself never deletes."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min
from django_q.models import Failure, OrmQ, Task

from archive_site.lib import clock
from archive_site.lib.storage.deletion import delete_in_parts

FAILURES_KEPT = timedelta(days=30)


def waiting(function: str) -> int:
    """How many tasks that call `function` wait for a worker."""
    return sum(task.func() == function for task in OrmQ.objects.filter(lock__lte=clock.now()))


def all_waiting() -> tuple[int, datetime | None]:
    """How many tasks wait for a worker, and since when the oldest does."""
    # Of a task that waits, the lock is the time at which it was queued.
    found = OrmQ.objects.filter(lock__lte=clock.now()).aggregate(number=Count("pk"), oldest=Min("lock"))
    return found["number"], found["oldest"]


def keeps_results(function: str, since: datetime) -> bool:
    """Whether the result of a task that calls `function` was recorded since then.

    If the process that records results was killed, its successor waits for a lock for ever, although tasks still run.
    """
    # A result in the future was recorded under a clock that ran ahead.
    until = clock.now() + timedelta(minutes=1)
    recorded: bool = Task.objects.filter(func=function, stopped__gte=since, stopped__lt=until).exists()
    return recorded


def delete_dead_rows() -> int:
    """Delete deliveries whose worker died (no other takes them), and old failures; gives the number of rows.

    The queue moves the lock of what it delivers `retry` seconds into the future, and prunes successes only.
    """
    now = clock.now()
    abandoned = now - settings.LONGEST_TASK - timedelta(hours=1) + timedelta(seconds=settings.DELIVERED_FOR)
    dead = OrmQ.objects.filter(lock__gt=now, lock__lt=abandoned)
    old = Failure.objects.filter(stopped__lt=now - FAILURES_KEPT)
    return sum(delete_in_parts(dead)) + sum(delete_in_parts(old))
