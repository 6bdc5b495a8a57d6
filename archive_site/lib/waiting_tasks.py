"""Which tasks of the queue wait for a worker, and queueing one that may wait already."""

from django_q.models import OrmQ
from django_q.tasks import async_task

from archive_site.lib import clock


def waiting(function: str) -> int:
    """How many tasks that call `function` wait for a worker."""
    return sum(task.func() == function for task in OrmQ.objects.filter(lock__lte=clock.now()))


def queue_once(function: str) -> None:
    """Let a worker call `function`, unless a task for it waits already: what is asked for often takes no more room."""
    if not waiting(function):
        async_task(function)
