"""The base of the project's commands: a migrated store, and failures as one line with exit code 1."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pkgutil import iter_modules
from threading import Event
from types import FrameType
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from archive_site.lib import log_output
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import instance_lock, write_freeze
from archive_site.lib.storage import disk_space

log = logging.getLogger(__name__)
# No migration takes longer, in seconds.
_MIGRATION = 6 * 3600.0


class ArchiveCommand(BaseCommand):
    """A command that uses the store; its `run` may raise the project's errors."""

    requires_system_checks: list[str] = []
    # Whether the command holds off restores until it ends, because it may write to the store.
    writes = True
    # Whether the command serves until it is stopped; the standard output of others is their result.
    serves = False

    def run(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        if not self.serves:
            log_output.keep_off_standard_output()
        try:
            with write_freeze.writing():
                migrate()
            with write_freeze.writing() if self.writes else nullcontext():
                self.run(*args, **options)
        except ConfigurationError as error:
            raise CommandError(str(error)) from None
        except ApiError as error:
            raise CommandError(error.message) from None
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        except DatabaseError as error:
            # The traceback goes to the log file only; the terminal gets one line.
            log.info("a command could not use the store", exc_info=True)
            reason = f"{disk_space.FULL}." if disk_space.is_full(error) else " ".join(str(error).split())
            raise CommandError(f"The store cannot be used: {reason}") from None
        except BrokenPipeError:
            # The reader of the output has gone (as with `| head`), so an error line has no reader either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)


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


def migrate() -> None:
    """Migrate the store to this version's schema; of commands that start at once, only one does."""
    if not is_behind():
        return
    with instance_lock.held("migrate.lock", wait=_MIGRATION):
        if is_behind():
            call_command("migrate", verbosity=0, interactive=False)


def is_behind() -> bool:
    """Whether a migration is to be applied. Mostly the names say no: loading all migrations takes longer."""
    if set(_migrations()) <= set(MigrationRecorder(connection).applied_migrations()):
        return False
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _migrations() -> Iterator[tuple[str, str]]:
    """App and name of each migration of this version."""
    for app in apps.get_app_configs():
        package, _ = MigrationLoader.migrations_module(app.label)
        spec = find_spec(package) if package else None
        if spec:
            names = [module.name for module in iter_modules(spec.submodule_search_locations)]
            # Django takes other names for helpers.
            yield from ((app.label, name) for name in names if name[0] not in "_~")
