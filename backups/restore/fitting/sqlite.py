"""A backup of another engine has an empty search index."""

from functools import partial
from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper

from backups.offline_migration.in_thread import run_on_file
from backups.restore import work_folder
from usage.search.sqlite import index


def fit(store: Path) -> None:
    """Fill the search index where it is empty. Raises ApiError 400 `backup` when the disk has no room for it."""
    run_on_file(store, partial(_fill_empty_index, store))


def _fill_empty_index(store: Path, connection: BaseDatabaseWrapper) -> None:
    if index.is_empty():
        # It is smaller than the prompts.
        work_folder.require_room(store.stat().st_size)
        index.fill()
