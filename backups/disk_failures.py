"""Failures of the disk or of SQLite as errors of a backup (docs/api.md#errors)."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import english
from archive_site.lib.storage import disk_space
from archive_site.lib.stored_message import Message

log = logging.getLogger(__name__)


@contextmanager
def as_api_errors(what: Message) -> Iterator[None]:
    """Raise failures of the block as ApiError 400 `backup`, in a sentence that begins with `what`.

    The traceback goes to the log only, so that a command prints one line.
    """
    try:
        yield
    except OSError as error:
        log.info("%s", english(what), exc_info=True)
        raise _failure(what, error, error.strerror or str(error)) from None
    except (sqlite3.Error, DatabaseError) as error:
        log.info("%s", english(what), exc_info=True)
        raise _failure(what, error, " ".join(str(error).split())) from None
    except ConfigurationError as error:
        raise _failure(what, error, str(error)) from None


def _failure(what: Message, error: Exception, reason: str) -> ApiError:
    known = Message("backup_disk_full") if disk_space.is_full(error) else reason
    return ApiError(400, "backup", Message("disk_failure", what=what, reason=known))
