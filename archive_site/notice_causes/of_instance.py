"""The causes of notices to administrators: backups, the disk, the workers, and the version."""

import shutil
from datetime import datetime, timedelta

from django.conf import settings

from accounts import config
from accounts.models import Notice
from accounts.notices.beginning_and_end import Cause, Found
from archive_site.lib import clock, stored_message
from archive_site.lib.storage.store_version import is_behind
from archive_site.lib.stored_message import Message
from backups import automatic, catalog
from collection import nodes
from collection.models import Heartbeat
from collection.runs.run_start import HEARTBEAT, HEARTBEAT_SILENT_AFTER

# The disk is nearly full with less than this, or this part of it; it is not any more with a fifth above that.
_LEAST_FREE = 5 * 1024**3
_LEAST_PART = 0.05
_AGAIN = 1.2
_SILENT_FROM, _SILENT_TO = "scheduler.silent.from", "scheduler.silent.to"
# A silence is reported within this time after it.
_REPORTED_WITHIN = timedelta(hours=1)


def note_silence(now: datetime) -> None:
    """Note that the workers did not work until now; called before they give a sign of life."""
    last = Heartbeat.objects.filter(name=HEARTBEAT).values_list("at", flat=True).first()
    if last and now - last > HEARTBEAT_SILENT_AFTER:
        for name, at in ((_SILENT_FROM, last), (_SILENT_TO, now)):
            Heartbeat.objects.update_or_create(name=name, defaults={"at": at})


def found() -> Found:
    """The present causes of notices to administrators."""
    judged = {"backup_failed", "scheduler_silent", "version_newer"}
    causes = [*_backup(), *_silence(), *_nodes(), *_version()]
    is_low, free = _disk()
    if is_low:
        causes.append(_full_disk(catalog.human(free)))
    if is_low is not None:
        causes += _disks_of_others()
        judged.add("disk_low")
    return Found(causes, judged)


def _backup() -> list[Cause]:
    failed = automatic.failed_since_last() if config.instance_settings().backup_enabled else None
    text = Message("notice_backup_failed", when=clock.local_text(failed) or "")
    return [Cause("backup_failed", "backup", text)] if failed else []


def _disk() -> tuple[bool | None, int]:
    """Whether the disk is nearly full, None where that cannot be said; and what is free, in bytes."""
    usage = shutil.disk_usage(settings.DATA_FOLDER.home)
    least = min(_LEAST_FREE, _LEAST_PART * usage.total)
    return (True if usage.free < least else None if usage.free < _AGAIN * least else False), usage.free


def _full_disk(free: str) -> Cause:
    """Each node has a disk of its own, and any of them looks."""
    if not nodes.known():
        return Cause("disk_low", "disk", Message("notice_disk_low", free=free))
    return Cause("disk_low", _disk_of(settings.NODE), Message("notice_disk_low_of", free=free, node=settings.NODE))


def _disks_of_others() -> list[Cause]:
    """Full disks that only other nodes can judge, as these stored them."""
    others = [_disk_of(node.name) for node in nodes.known() if node.name != settings.NODE]
    stored = Notice.objects.filter(event="disk_low", cause__in=others, ended_at=None).order_by("pk") if others else []
    return [
        Cause("disk_low", name, text)
        for name, text in {one.cause: stored_message.read(one.stored_begin) for one in stored}.items()
        if text
    ]


def _disk_of(node: str) -> str:
    return f"disk of {node}"


def _silence() -> list[Cause]:
    """A silence that ended a short time ago and was not reported yet: the next look finds that it is over."""
    span = dict(Heartbeat.objects.filter(name__in=[_SILENT_FROM, _SILENT_TO]).values_list("name", "at"))
    first, last = span.get(_SILENT_FROM), span.get(_SILENT_TO)
    if first is None or last is None or not timedelta() <= clock.now() - last < _REPORTED_WITHIN:
        return []
    name = f"from {first.isoformat()}"
    if Notice.objects.filter(event="scheduler_silent", cause=name).exists():
        return []
    text = Message("notice_scheduler_silent", first=clock.local_text(first) or "", last=clock.local_text(last) or "")
    return [Cause("scheduler_silent", name, text, once=True)]


def _nodes() -> list[Cause]:
    gone = (node.name for node in nodes.known() if node.is_gone)
    return [Cause("scheduler_silent", f"node {name}"[:200], Message("notice_node_silent", node=name)) for name in gone]


def _version() -> list[Cause]:
    return [Cause("version_newer", "store", Message("notice_version_newer"))] if is_behind() else []
