"""The state of the instance and of an account's collection: docs/api.md#status."""

from typing import Any

from django.conf import settings

from accounts import config, credential
from accounts.config import InstanceSettings
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.storage import engine
from backups import automatic
from collection import lease, nodes, run_start, runs
from collection.models import Run
from collection.schedule.scheduler import cookie_is_refused
from collection.schedule.times_of_day import next_run
from usage import stored_size

SLOTS_CAP = 48


def status(user: User) -> dict[str, Any]:
    """The answer of `/api/status`; fields for administrators are false or null for others."""
    instance = config.instance_settings()
    cookie = credential.state(user.pk)
    own = runs.of_account(user.pk).defer("stored_detail")
    last = runs.collections(user.pk).defer("stored_detail").first()
    stored = stored_size.of_account(user.pk)
    return {
        "server_time": clock.local_text(clock.now()),
        "is_admin": user.is_admin,
        "can_edit_schedule": user.is_admin,
        "can_view_logs": user.is_admin,
        "can_manage_backups": user.is_admin,
        "limits": {
            "collect_min_interval_seconds": instance.collect_min_interval_seconds,
            "collect_max_range_days": instance.collect_max_range_days,
            "schedule_slots": instance.max_schedule_slots_per_day,
            "schedule_slots_cap": SLOTS_CAP,
        },
        "running_lock": lease.is_held(),
        "scheduler": _scheduler(instance, user),
        "backup": _backup(instance, user),
        "stored": {"bytes": stored.used, "most": stored.most},
        "running_runs": own.filter(status=Run.Status.RUNNING).count(),
        "last_run": as_json(runs.payload(last)) if last else None,
        "cookie_set": cookie.usable,
        "cookie_chars": cookie.chars,
        "cookie_broken": cookie.broken,
        "cookie_refused": cookie.usable and cookie_is_refused(user.pk),
        "cookie_expires_at": clock.local_text(cookie.ends_at),
        **_nodes(user),
    }


def _scheduler(instance: InstanceSettings, user: User) -> dict[str, Any]:
    due = next_run(instance.schedule_times, clock.now()) if instance.schedule_enabled else None
    return {
        "running": run_start.workers_are_alive(),
        "enabled": instance.schedule_enabled,
        "times": instance.schedule_times,
        "next_run": clock.local_text(due),
        "catch_up": instance.catch_up,
        "lockfile": str(settings.DATA_FOLDER.scheduler_lock) if user.is_admin else None,
    }


def _nodes(user: User) -> dict[str, Any]:
    """A field only where there may be several nodes."""
    if not engine.MAY_HAVE_SEVERAL_NODES:
        return {}
    return {"nodes": [_node(node) for node in nodes.known()] if user.is_admin else None}


def _node(node: nodes.Node) -> dict[str, Any]:
    return {"name": node.name, "last": clock.local_text(node.beat_at), "seconds": node.seconds, "gone": node.is_gone}


def _backup(instance: InstanceSettings, user: User) -> dict[str, Any]:
    due = automatic.next_at(clock.now(), instance) if user.is_admin else None
    return {
        "enabled": instance.backup_enabled,
        "interval_hours": instance.backup_interval_hours,
        "keep": instance.backup_keep,
        "last": clock.local_text(automatic.last()),
        "next": clock.local_text(due),
    }
