"""What the disk or SQLite refuses, told as the failure of a backup (specification 7)."""

import errno
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.errors import ApiError

log = logging.getLogger(__name__)


@contextmanager
def told(what: str) -> Iterator[None]:
    """Tell failures of the block in a sentence that begins with `what`. Raises ApiError 400 `backup`.

    How they came is for the log's file alone: whoever typed a command gets one line.
    """
    try:
        yield
    except OSError as error:
        log.info("%s", what, exc_info=True)
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise _failure(what, is_full, error.strerror or str(error)) from None
    except (sqlite3.Error, DatabaseError) as error:
        log.info("%s", what, exc_info=True)
        # Django's own error has SQLite's as its cause.
        code = getattr(error.__cause__ or error, "sqlite_errorcode", None)
        raise _failure(what, code == sqlite3.SQLITE_FULL, str(error)) from None
    except ConfigurationError as error:
        raise _failure(what, False, str(error)) from None


def _failure(what: str, is_full: bool, reason: str) -> ApiError:
    return ApiError(400, "backup", f"{what}: {'the disk is full' if is_full else reason}.")
