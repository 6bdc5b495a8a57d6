"""A file whose place a start on a full disk may take: docs/decisions/store.md#a-full-disk.

SQLite opens no store where its write-ahead log finds no place, not even to read it; and nobody can make room through a
service that does not start.
"""

import os
from contextlib import suppress

from django.conf import settings

from archive_site.lib.storage import disk_space

# Bytes. A start takes a tenth of it.
_SIZE = 1024 * 1024
# It is written only where that leaves as much room as this many times its size.
_SPARE = 16


def give_up() -> None:
    """Remove the file where the disk has not even the room for a start."""
    if not disk_space.has_room():
        settings.DATA_FOLDER.reserve.unlink(missing_ok=True)


def keep() -> None:
    """Write the file where it is missing and there is room. It holds chance, since some disks store no zeros."""
    path = settings.DATA_FOLDER.reserve
    if path.exists() or not disk_space.has_room(_SPARE * _SIZE):
        return
    # The disk may have got full just now.
    with disk_space.left_out_if_full("the reserve of the disk"):
        try:
            path.write_bytes(os.urandom(_SIZE))
            path.chmod(0o600)
        except OSError:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            raise
