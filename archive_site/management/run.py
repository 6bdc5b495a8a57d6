"""Runs a command of `manage.py`, whose failures are one line, also those of Django and of the queue.

The commands of both refuse a store here that this version cannot use.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches

import django
from django.conf import settings
from django.core.management import BaseCommand, CommandError, ManagementUtility, get_commands

from archive_site.client.outcome import ExitCode
from archive_site.client.signals import leave_at_interrupt, raise_at_interrupt
from archive_site.lib import command_failures
from archive_site.management import standard_streams

# The commands of others that change the store or serve; those of this service look for themselves.
REFUSING = frozenset({
    "changepassword", "createcachetable", "createsuperuser", "flush", "loaddata", "migrate", "qcluster",
    "remove_stale_contenttypes", "runserver",
})  # fmt: skip


class _Utility(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        if subcommand not in get_commands():
            # Where the settings fail, the commands of this service are not found, and this raises the reason.
            _ = settings.INSTALLED_APPS
            raise CommandError(_unknown(subcommand, self.prog_name))
        command = super().fetch_command(subcommand)
        # From here on a command may have begun something that it puts away.
        raise_at_interrupt()
        return command


def _unknown(name: str, program: str) -> str:
    like = get_close_matches(name, get_commands(), 1)
    meant = f" Did you mean '{like[0]}'?" if like else ""
    return f"There is no command {name!r}.{meant} '{program} help' lists all."


def run(line: Sequence[str]) -> None:
    """Run a command line whose first word is the program. Ends the process where the command fails."""
    standard_streams.prepare()
    leave_at_interrupt()
    try:
        with command_failures.in_one_line(), _written_output():
            _refuse_unusable_store(line)
            _Utility(list(line)).execute()
    except CommandError as error:
        if "--traceback" in line:
            raise
        sys.exit(f"CommandError: {error}")
    except KeyboardInterrupt:
        leave_at_interrupt()
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError as error:
        if error.filename != standard_streams.OUTPUT:
            raise
        # The reader of the output has gone, as with `| head`.
        sys.exit(ExitCode.FAILED)
    finally:
        # Python would fail at its end.
        _discard_unwritten()


def _refuse_unusable_store(line: Sequence[str]) -> None:
    asks_for_help = {"-h", "--help"} & set(line)
    if REFUSING.intersection(line[1:2]) and not asks_for_help:
        django.setup()
        # It cannot be loaded before.
        from archive_site.lib.storage import store_version

        store_version.require_usable()


@contextmanager
def _written_output() -> Iterator[None]:
    """Write what waits in the buffer of standard output, unless the command has failed."""
    try:
        yield
    except SystemExit as ended:
        if not ended.code:
            sys.stdout.flush()
        raise
    sys.stdout.flush()


def _discard_unwritten() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            standard_streams.discard(sys.stdout)
