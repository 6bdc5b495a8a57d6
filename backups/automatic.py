"""Times of automatic backups: `backup_interval_hours` after the last one.

The rules: docs/decisions/backups.md#placing-and-pruning.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.core.cache import caches

from accounts import config
from archive_site.lib import clock
from backups import catalog, file_names
from collection.models import Heartbeat
from usage import node_files

TRIGGER = "auto"
# A failed backup (for example on a full disk) is tried again after an hour, not each minute.
RETRIED_AFTER = timedelta(hours=1)
_FAILED = "backups:automatic:failed"
_MADE = "backups.automatic"
_FAILED_LAST = "backups.automatic.failed"


def last_auto() -> datetime | None:
    """When the last automatic backup was created, even if its file no longer exists."""
    return _later(_remembered(), _newest(lambda archive: archive.trigger == TRIGGER))


def last() -> datetime | None:
    """When the last backup was created: the newest readable file, or a later automatic one that no longer exists."""
    return _later(_remembered(), _newest(lambda archive: True))


def newest_file() -> datetime | None:
    """When the newest backup was created that this node has whole, or that another node has noted."""
    others = (file_names.parse(file.name) for file in node_files.elsewhere(node_files.BACKUP))
    now = clock.now()
    return _later(_newest(lambda archive: True), *(named.at for named in others if named and named.at <= now))


def remember(made: datetime) -> None:
    """Store when the last automatic backup was created. A restore keeps this value."""
    Heartbeat.objects.update_or_create(name=_MADE, defaults={"at": made})


def remember_newest() -> None:
    """Store the time of the newest file, which may be missing: earlier releases did not store it, and a process may die
    right after it has created a backup."""
    made = last_auto()
    if made and made != _remembered():
        remember(made)


def next_at(now: datetime, settings: config.InstanceSettings | None = None) -> datetime | None:
    """When the next automatic backup is due: `now` if it is due already, None if there will be none."""
    settings = settings or config.instance_settings()
    if not settings.backup_enabled:
        return None
    made = last_auto()
    due = made + timedelta(hours=settings.backup_interval_hours) if made else now
    failed = datetime.fromtimestamp(caches["counters"].get(_FAILED, 0), UTC)
    # A failure from the future was noted under a clock that ran ahead.
    if failed <= now:
        due = max(due, failed + RETRIED_AFTER)
    return max(due, now)


def due(now: datetime) -> bool:
    """Whether an automatic backup is due now."""
    return next_at(now) == now


def remember_failure(now: datetime) -> None:
    """Note a failure, and delay the next try after it."""
    caches["counters"].set(_FAILED, int(now.timestamp()), int(RETRIED_AFTER.total_seconds()))
    Heartbeat.objects.update_or_create(name=_FAILED_LAST, defaults={"at": now})


def failed_since_last() -> datetime | None:
    """When the automatic backup last failed, unless one was created since."""
    failed = _noted(_FAILED_LAST)
    made = last_auto()
    return failed if failed and (made is None or made < failed) else None


def _remembered() -> datetime | None:
    return _noted(_MADE)


def _noted(name: str) -> datetime | None:
    return Heartbeat.objects.filter(name=name, at__lte=clock.now()).values_list("at", flat=True).first()


def _later(*moments: datetime | None) -> datetime | None:
    return max((moment for moment in moments if moment), default=None)


def _newest(is_meant: Callable[[catalog.Archive], bool]) -> datetime | None:
    # A backup from the future was created while the clock was wrong: waiting for its time would stop backups for long.
    now = clock.now()
    made = (a.at for a in catalog.by_name() if a.manifest and is_meant(a) and a.at <= now)
    return next(made, None)
