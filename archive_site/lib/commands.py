"""The base of the project's commands: a migrated store, and failures as one line with exit code 1."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Event
from types import FrameType
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError

from archive_site.lib import log_output
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage import disk_reserve, disk_space, store_damage, store_version

log = logging.getLogger(__name__)


class ArchiveCommand(BaseCommand):
    """A command that uses the store; its `run` may raise the project's errors."""

    requires_system_checks: list[str] = []
    # Whether the command holds off restores until it ends, because it may write to the store.
    writes = True
    # Whether the command serves until it is stopped; the standard output of others is their result.
    serves = False

    def run(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError

    def prepare_store(self, **options: Any) -> None:
        """Migrate the store to this version's schema, before `run`."""
        with write_freeze.writing():
            store_version.migrate()

    def handle(self, *args: Any, **options: Any) -> None:
        if not self.serves:
            log_output.keep_off_standard_output()
        disk_reserve.give_up()
        try:
            self.prepare_store(**options)
            with write_freeze.writing() if self.writes else nullcontext():
                self.run(*args, **options)
        except ConfigurationError as error:
            raise CommandError(str(error)) from None
        except ApiError as error:
            raise CommandError(error.message) from None
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        except ImproperlyConfigured as error:
            # An option in DATABASE_URL that Django does not take.
            raise CommandError(f"The store cannot be used: {' '.join(str(error).split())}") from None
        except (DatabaseError, InterfaceError) as error:
            # The traceback goes to the log file only; the terminal gets one line.
            log.info("a command could not use the store", exc_info=True)
            raise CommandError(f"The store cannot be used: {_reason(error)}") from None
        except BrokenPipeError:
            # The reader of the output has gone (as with `| head`), so an error line has no reader either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)


def _reason(error: Exception) -> str:
    if disk_space.is_full(error):
        return f"{disk_space.FULL}."
    words = " ".join(str(error).split())
    return f"{words} (docs/running.md#the-store-is-damaged)" if store_damage.is_damage(error) else words


@contextmanager
def stopped_by_signals(stop: Event) -> Iterator[None]:
    """Set the event on Ctrl-C and SIGTERM during the block, instead of ending the process."""

    def request(number: int, frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, request) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
