"""Working off what the scheduler queued: one run after the other, each under the lease."""

from accounts import config
from accounts.models import User
from collection import lease, progress, runs, start
from collection.collector import collect
from collection.models import Run
from collection.scheduler import BY_SCHEDULE

ACTOR = "scheduler"


def waiting() -> Run | None:
    """The scheduled run that has waited longest."""
    return Run.objects.filter(status=Run.Status.QUEUED, trigger__in=BY_SCHEDULE).order_by("pk").first()


def work_off() -> int:
    """Collect for every waiting run, until none is left, another collection runs, or a stop was asked for; how many.

    One account's failure is its own: it stands in its run, and the next run begins.
    """
    done = 0
    while run := waiting():
        token = lease.take()
        if token is None:
            break
        lease.assign(token, run.pk)
        if not runs.claim(run.pk):
            # Its owner stopped it, or another worker was faster.
            lease.release(token)
            continue
        if _collect(run, token).stop_requested:
            break
        done += 1
    return done


def _collect(run: Run, token: str) -> Run:
    user = User.objects.filter(pk=run.user_id, status=User.ACTIVE).first()
    if user is None:
        runs.interrupt(run, "Interrupted: the account was disabled or deleted.")
        lease.release(token)
        return run
    span = start.span_of(user.pk, config.instance_settings(), None, None)
    progress.ensure_mark(user.pk, span.start)
    runs.set_window(run.pk, span.start, span.end)
    run.refresh_from_db()
    return collect(run, token, actor=ACTOR).run
