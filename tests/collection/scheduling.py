"""Shared by tests of the schedule: the wall clock of Berlin, due slots, and workers of the queue."""

from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.utils.module_loading import import_string
from django_q.models import OrmQ

from accounts import config
from accounts.credentials import credential
from accounts.models import INSTANCE, Setting, User
from collection import queued_runs
from collection.models import Run
from collection.runs import runs

BERLIN = ZoneInfo("Europe/Berlin")
COOKIE = "session=0123456789abcdef"
At = Callable[..., int]
SCHEDULE, STARTUP = ("schedule", "queued"), ("startup", "queued")
MORNING = "2026-09-08 08:00:30"
OK, FAILED, INTERRUPTED, QUEUED = [("schedule", status) for status in ("ok", "failed", "interrupted", "queued")]


def berlin(text: str, fold: int = 0) -> datetime:
    """An instant by the wall clock of Berlin; `fold` 1 is the second time round."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).astimezone(UTC)


def configure(**values: object) -> None:
    """Set the instance's settings as an administrator does."""
    outcome = config.write(values, archive_id=INSTANCE, may_edit_instance=True)
    assert not outcome.errors


def with_cookie(user: User, cookie: str = COOKIE) -> User:
    credential.store(user.pk, cookie)
    return user


def run_list(user: User | None = None) -> list[tuple[str, str]]:
    """Trigger and status of an account's runs, or of everybody's, oldest first."""
    found = Run.objects.filter(archive_id=user.pk) if user else Run.objects.all()
    return list(found.order_by("pk").values_list("trigger", "status"))


def marks(user: User) -> dict[str, str]:
    """The account's markers: the time of day, and the day of the slot that was last served."""
    rows = Setting.objects.filter(user_id=user.pk, key__startswith="slot:").values_list("key", "value")
    return {key.removeprefix("slot:"): value for key, value in rows}


def end_runs(exit_code: int = 0) -> None:
    """End every queued run as a worker would, without an upstream: 0 is success, 4 an expired cookie."""
    status = Run.Status.FAILED if exit_code else Run.Status.OK
    for run in Run.objects.filter(status=Run.Status.QUEUED):
        Run.objects.filter(pk=run.pk).update(status=status, exit_code=exit_code, started_at=run.created_at)


def queued_tasks() -> list[str]:
    """The functions of the queued tasks, oldest first."""
    return [task.func() for task in OrmQ.objects.order_by("pk")]


def work_off_queue() -> int:
    """Execute the waiting tasks as workers would, until none waits; return their number."""
    done = 0
    while task := OrmQ.objects.order_by("pk").first():
        task.delete()
        import_string(task.task["func"])(*task.task["args"])
        done += 1
    return done


def queued(*users: User) -> list[Run]:
    """A queued run for each account, as the tick creates them."""
    return [runs.begin(user.pk, Run.Trigger.SCHEDULE, queued=True) for user in users]


def work_off() -> int:
    done = 0
    while queued_runs.work_off_next():
        done += 1
    return done
