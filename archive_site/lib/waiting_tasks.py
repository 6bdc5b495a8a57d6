"""Which tasks of the queue wait for a worker."""

from django_q.models import OrmQ

from archive_site.lib import clock


def waiting(function: str) -> int:
    """How many tasks that call `function` wait for a worker."""
    return sum(task.func() == function for task in OrmQ.objects.filter(lock__lte=clock.now()))
