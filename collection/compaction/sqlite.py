"""The SQLite file is written again without its free pages."""

import shutil
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage.sql import execute, fetch


def compact() -> None:
    fetch("PRAGMA wal_checkpoint(TRUNCATE)")
    # With temp_store=MEMORY, SQLite would build the whole new store in memory.
    execute("PRAGMA temp_store=FILE")
    try:
        execute("VACUUM")
    finally:
        execute("PRAGMA temp_store=MEMORY")
    fetch("PRAGMA optimize")
    fetch("PRAGMA wal_checkpoint(TRUNCATE)")


def require_room(needed: int) -> None:
    """Raises ApiError 507 without room for two copies: VACUUM writes a new store, and copies it through the WAL."""
    free = shutil.disk_usage(_store()).free
    if free < 2 * needed:
        words = gettext("Compacting needs %(needed)s MiB of free disk space; only %(free)s MiB are free.")
        sizes = {"needed": f"{2 * needed / 1024**2:.0f}", "free": f"{free / 1024**2:.0f}"}
        raise ApiError(507, "no_space", words % sizes)


def store_bytes() -> int:
    return _store().stat().st_size


def _store() -> Path:
    return Path(settings.DATABASES["default"]["NAME"])
