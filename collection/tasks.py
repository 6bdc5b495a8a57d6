"""What the queue's workers call: ids in, rows read again, nothing done where they are gone."""

from accounts.models import User
from archive_site.lib import clock
from collection import lease, runs
from collection.collector import collect
from collection.models import Heartbeat, Run
from collection.start import TICK


def tick() -> None:
    """Once a minute: say that the workers live, and free a lease that its holder left."""
    Heartbeat.objects.update_or_create(name=TICK, defaults={"at": clock.now()})
    lease.expire()


def collect_run(run_id: int) -> None:
    """Work off a queued run, once, under the lease that was taken for it."""
    run = Run.objects.filter(pk=run_id).first()
    user = User.objects.filter(pk=run.user_id).first() if run else None
    if run is None or user is None:
        return
    token = lease.adopt(run_id)
    if token is None:
        return
    if not runs.claim(run_id):
        lease.release(token)
        return
    run.refresh_from_db()
    collect(run, token, actor=user.username)
