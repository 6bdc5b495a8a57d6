"""Locks of an instance with one node: files of its data folder."""

from contextlib import AbstractContextManager
from pathlib import Path

from django.conf import settings

from archive_site.lib.locks import file_lock
from archive_site.lib.storage.data_folder import made


def held(name: str, *, shared: bool = False, wait: float = 0.0) -> AbstractContextManager[None]:
    """Hold the lock during the block, alone or `shared`. Raises Taken after `wait` seconds."""
    path: Path = settings.DATA_FOLDER.home / name
    if path.parent != settings.DATA_FOLDER.home:
        made(path.parent)
    return file_lock.held(path, shared=shared, wait=wait)
