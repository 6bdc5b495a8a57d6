"""The state of the instance and of an account's collection: docs/api.md#status."""

from typing import Annotated, Literal

from django.conf import settings
from msgspec import UNSET, Meta, UnsetType

from accounts import config
from accounts.config import InstanceSettings
from accounts.credentials import credential
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.answer_types import Answer, Count, Timestamp, about
from archive_site.lib.storage import engine
from backups import automatic
from collection import api_types, nodes
from collection.last_answer import cookie_is_refused
from collection.models import Run
from collection.runs import lease, run_start, runs
from collection.schedule.scheduler import credential_is_refused
from collection.schedule.times_of_day import next_run
from usage import stored_size

_OF_ADMINS = "null for others than administrators"
_FOR_ADMINS = about("true for administrators")
_STORED = about("what the account stores, in the bytes of `max_account_megabytes` ([Limits](#limits))")
_MOST = about("what it may store: `max_account_megabytes`; null without a limit")
_EXPIRES = about("the end of the session that the cookie names; null where it names none, or none can be read")
_NODES = about(f"on PostgreSQL only: the nodes with workers; {_OF_ADMINS}")
TimeOfDay = Annotated[str, Meta(pattern="^[0-9]{2}:[0-9]{2}$", examples=["08:00"])]


class Limits(Answer, frozen=True):
    collect_min_interval_seconds: int
    collect_max_range_days: int
    schedule_slots: Annotated[int, about("the setting")]
    schedule_slots_cap: Literal[48]


class StateOfScheduler(Answer, frozen=True):
    running: Annotated[bool, about("the workers gave a sign of life within 3 minutes")]
    enabled: bool
    times: list[TimeOfDay]
    next_run: Timestamp | None
    catch_up: bool
    lockfile: Annotated[str | None, about(f"a path; {_OF_ADMINS}")]


class StateOfBackups(Answer, frozen=True):
    enabled: bool
    interval_hours: int
    keep: int
    last: Timestamp | None
    next: Annotated[Timestamp | None, about(_OF_ADMINS)]


class Stored(Answer, frozen=True):
    bytes: Annotated[Count, _STORED]
    most: Annotated[Count | None, _MOST]


class StateOfNode(Answer, frozen=True):
    name: str
    last: Annotated[Timestamp, about("of its heartbeat")]
    seconds: Annotated[Count, about("the age of that")]
    gone: Annotated[bool, about("no heartbeat for 3 minutes")]


class StateOfToken(Answer, frozen=True):
    broken: Annotated[bool, about("the stored text cannot be decrypted")]
    expires_at: Annotated[Timestamp | None, about("the end that the token names; null if it names none")]


class Status(Answer, frozen=True):
    server_time: Timestamp
    is_admin: bool
    can_edit_schedule: Annotated[bool, _FOR_ADMINS]
    can_view_logs: Annotated[bool, _FOR_ADMINS]
    can_manage_backups: Annotated[bool, _FOR_ADMINS]
    limits: Limits
    running_lock: Annotated[bool, about("a collection runs on the instance")]
    scheduler: StateOfScheduler
    backup: StateOfBackups
    stored: Stored
    running_runs: Annotated[Count, about("runs of the account with status `running`")]
    last_run: api_types.Run | None
    cookie_set: Annotated[bool, about("set and not broken")]
    cookie_chars: Count
    cookie_broken: Annotated[bool, about("the stored text cannot be decrypted")]
    cookie_refused: Annotated[bool, about("the upstream refused this cookie in the last run that tried it")]
    cookie_expires_at: Annotated[Timestamp | None, _EXPIRES]
    nodes: Annotated[list[StateOfNode] | None, _NODES] | UnsetType = UNSET
    token: Annotated[StateOfToken, about("of the token of a device login, where one is set")] | UnsetType = UNSET


def status(user: User, archive_id: int) -> Status:
    """The answer of `/api/status`; fields for administrators are false or null for others."""
    instance = config.instance_settings()
    cookie, token = credential.states(archive_id)
    is_refused = cookie_is_refused if token.usable else credential_is_refused
    own = runs.of_account(archive_id).defer("stored_detail")
    last = runs.collections(archive_id).defer("stored_detail").first()
    stored = stored_size.of_account(user.pk)
    return Status(
        server_time=clock.local_text(clock.now()),
        is_admin=user.is_admin,
        can_edit_schedule=user.is_admin,
        can_view_logs=user.is_admin,
        can_manage_backups=user.is_admin,
        limits=_limits(instance),
        running_lock=lease.is_held(),
        scheduler=_scheduler(instance, user),
        backup=_backup(instance, user),
        stored=Stored(stored.used, stored.most),
        running_runs=own.filter(status=Run.Status.RUNNING).count(),
        last_run=runs.payload(last) if last else None,
        cookie_set=cookie.usable,
        cookie_chars=cookie.chars,
        cookie_broken=cookie.broken,
        cookie_refused=cookie.usable and is_refused(archive_id),
        cookie_expires_at=clock.local_text(cookie.ends_at),
        nodes=_nodes(user),
        token=StateOfToken(token.broken, clock.local_text(token.ends_at)) if token.set else UNSET,
    )


def _limits(instance: InstanceSettings) -> Limits:
    return Limits(
        collect_min_interval_seconds=instance.collect_min_interval_seconds,
        collect_max_range_days=instance.collect_max_range_days,
        schedule_slots=instance.max_schedule_slots_per_day,
        schedule_slots_cap=48,
    )


def _scheduler(instance: InstanceSettings, user: User) -> StateOfScheduler:
    due = next_run(instance.schedule_times, clock.now()) if instance.schedule_enabled else None
    return StateOfScheduler(
        running=run_start.workers_are_alive(),
        enabled=instance.schedule_enabled,
        times=instance.schedule_times,
        next_run=clock.local_text(due),
        catch_up=instance.catch_up,
        lockfile=str(settings.DATA_FOLDER.scheduler_lock) if user.is_admin else None,
    )


def _nodes(user: User) -> list[StateOfNode] | None | UnsetType:
    """A list only where there may be several nodes."""
    if not engine.MAY_HAVE_SEVERAL_NODES:
        return UNSET
    return [_node(node) for node in nodes.known()] if user.is_admin else None


def _node(node: nodes.Node) -> StateOfNode:
    return StateOfNode(node.name, clock.local_text(node.beat_at), node.seconds, node.is_gone)


def _backup(instance: InstanceSettings, user: User) -> StateOfBackups:
    due = automatic.next_at(clock.now(), instance) if user.is_admin else None
    return StateOfBackups(
        enabled=instance.backup_enabled,
        interval_hours=instance.backup_interval_hours,
        keep=instance.backup_keep,
        last=clock.local_text(automatic.last()),
        next=clock.local_text(due),
    )
