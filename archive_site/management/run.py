"""Runs a command of `manage.py`. Those of Django and of the queue refuse a store here that this version cannot use."""

import sys
from collections.abc import Sequence

import django
from django.core.management import execute_from_command_line

from archive_site.lib.environment import ConfigurationError

# The commands of others that change the store or serve; those of this service look for themselves.
REFUSING = frozenset({
    "changepassword", "createcachetable", "createsuperuser", "flush", "loaddata", "migrate", "qcluster",
    "remove_stale_contenttypes", "runserver",
})  # fmt: skip


def run(line: Sequence[str]) -> None:
    """Run a command line whose first word is the program. Ends the process where the command fails."""
    asks_for_help = {"-h", "--help"} & set(line)
    if REFUSING.intersection(line[1:2]) and not asks_for_help:
        django.setup()
        # It cannot be loaded before.
        from archive_site.lib.storage import store_version

        try:
            store_version.require_usable()
        except ConfigurationError as error:
            sys.exit(f"CommandError: {error}")
    execute_from_command_line(list(line))
