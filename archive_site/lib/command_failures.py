"""What a command says of a failure that is not an error of the program: one line, without a traceback."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import disk_space, store_damage

log = logging.getLogger(__name__)


@contextmanager
def in_one_line() -> Iterator[None]:
    """Raise CommandError in place of a failure of the configuration, of the store or of a file.

    A broken pipe and errors of the program pass.
    """
    try:
        yield
    except (ConfigurationError, ApiError, ValidationError) as error:
        raise CommandError(_refusal(error)) from None
    except (DatabaseError, InterfaceError, ImproperlyConfigured) as error:
        # ImproperlyConfigured: an option in DATABASE_URL that Django does not take.
        raise _logged(f"The store cannot be used: {_reason(error)}") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:
            raise
        raise _logged(f"{_name(error.filename)} cannot be used: {error.strerror}") from None


def _refusal(error: ConfigurationError | ApiError | ValidationError) -> str:
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    return error.message if isinstance(error, ApiError) else str(error)


def _logged(line: str) -> CommandError:
    """The error to raise; the traceback of its cause goes to the log file only."""
    log.info("a command failed", exc_info=True)
    return CommandError(line)


def _reason(error: Exception) -> str:
    if disk_space.is_full(error):
        return f"{disk_space.FULL}."
    words = " ".join(str(error).split())
    return f"{words} (docs/running.md#the-store-is-damaged)" if store_damage.is_damage(error) else words


def _name(file: str | bytes | int) -> str:
    return str(file) if isinstance(file, int) else os.fsdecode(file)
