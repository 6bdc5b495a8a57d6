"""Deletes old backups, beyond the number that is kept (docs/decisions/backups.md#placing-and-pruning)."""

from pathlib import Path

from accounts import config
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from backups import catalog
from backups.catalog import PRE_RESTORE, Archive

PRE_RESTORE_KEPT = 3


def prune() -> list[str]:
    """Delete all backups except the newest `backup_keep` and the newest three pre-restore ones. Return their names.

    The caller holds the maintenance lock.
    """
    ours = [archive for archive in _past() if archive.trigger != PRE_RESTORE]
    return _deleted(ours[config.instance_settings().backup_keep :]) + prune_pre_restore()


def pruned_message(names: list[str]) -> Message:
    """What pruning did, for who asked for it and for the audit."""
    return Message("backups_removed", names=names) if names else Message("no_backup_removed")


def prune_pre_restore(*, sparing: Path | None = None) -> list[str]:
    """Delete all pre-restore backups except the newest three and `sparing`. Return their names."""
    apart = [archive for archive in _past() if archive.trigger == PRE_RESTORE]
    return _deleted([archive for archive in apart[PRE_RESTORE_KEPT:] if archive.path != sparing])


def _past() -> list[Archive]:
    """The backups that pruning counts. Unreadable ones are kept, because their data may be recoverable. Those from the
    future, created while a clock was wrong, are not counted: they would outlive all newer ones."""
    now = clock.now()
    return [archive for archive in catalog.archives() if archive.manifest and archive.at <= now]


def _deleted(surplus: list[Archive]) -> list[str]:
    for archive in surplus:
        catalog.delete(archive.path)
    return [archive.path.name for archive in surplus]
