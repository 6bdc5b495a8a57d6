"""Locks of an instance with one node: files of its data folder."""

from contextlib import AbstractContextManager

from django.conf import settings

from archive_site.lib.locks import file_lock


def held(name: str, *, shared: bool = False, wait: float = 0.0) -> AbstractContextManager[None]:
    """Hold the lock during the block, alone or `shared`. Raises Taken after `wait` seconds."""
    return file_lock.held(settings.DATA_FOLDER.home / name, shared=shared, wait=wait)
