"""The handler of the application's log, and whether its file can be written.

The handler is loaded without Redis: its lock library loads Redis wherever it is installed. That takes as long as all of
Django's models, and the handler has no use for it.
"""

import errno
import logging
import os
import sys
from pathlib import Path

from django.conf import settings

from archive_site.lib import seldom_log
from archive_site.lib.hidden_modules import hidden
from archive_site.lib.storage import disk_space

with hidden("redis"):
    from concurrent_log_handler import ConcurrentRotatingFileHandler

log = logging.getLogger(__name__)

# Bytes of free space with which a line can be written.
_LEAST = 4096


class RotatedLog(ConcurrentRotatingFileHandler):
    """The log's file. A line that cannot be written is said on the console, the other handler, once a minute."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name of the library
        seldom_log.warn(log, "log", "the log cannot be written: %s", sys.exc_info()[1])


def failure() -> str | None:
    """Why the log's file cannot be written, in a few English words; None where it can, or where there is none."""
    if settings.LOG_TO_STDOUT:
        return None
    folder, lock = ConcurrentRotatingFileHandler.baseLockFilename(str(settings.DATA_FOLDER.log))
    for path in (settings.DATA_FOLDER.log, Path(folder, lock)):
        try:
            with path.open("ab"):
                pass
        except OSError as error:
            return error.strerror or str(error)
    # The folder may be on a disk of its own, and a file opens on a full one.
    return None if disk_space.has_room(_LEAST, settings.DATA_FOLDER.log.parent) else os.strerror(errno.ENOSPC)
