"""The rows of the queue: waiting tasks, and deleting rows that the queue itself never deletes."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min, Q
from django_q.models import Failure, OrmQ, Task

from archive_site.lib import clock
from archive_site.lib.storage.deletion import delete_in_parts

FAILURES_KEPT = timedelta(days=30)
_DELIVERED_FOR = timedelta(seconds=settings.DELIVERED_FOR)
# Clocks of nodes differ a little.
_AHEAD = timedelta(minutes=2)


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


def let_all_be_due() -> int:
    """Let tasks be due now that were queued under a clock that ran ahead; gives their number.

    Deliveries lie ahead as well, but by years: no clock is taken to have run ahead by half of that.
    """
    now = clock.now()
    ahead = OrmQ.objects.filter(lock__gt=now + _AHEAD, lock__lt=now + _DELIVERED_FOR / 2)
    number: int = ahead.update(lock=now)
    return number


def delete_dead_rows() -> int:
    """Delete deliveries whose worker died (no other takes them), and old failures; gives the number of rows.

    The queue moves the lock of what it delivers `retry` seconds into the future, and prunes successes only. Rows that
    lie further ahead come from a clock that ran ahead.
    """
    now = clock.now()
    abandoned = now - settings.LONGEST_TASK - timedelta(hours=1) + _DELIVERED_FOR
    is_dead = Q(lock__range=(now + _DELIVERED_FOR / 2, abandoned)) | Q(lock__gt=now + _DELIVERED_FOR + _AHEAD)
    dead = OrmQ.objects.filter(is_dead)
    old = Failure.objects.filter(stopped__lt=now - FAILURES_KEPT)
    return sum(delete_in_parts(dead)) + sum(delete_in_parts(old))
