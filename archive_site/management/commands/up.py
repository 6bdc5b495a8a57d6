"""Serve the instance: web server and workers, until Ctrl-C or SIGTERM."""

import logging
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import connections

from accounts.first_run import issue_token
from accounts.store_identity import open_store
from archive_site.cross_app.probes import WORKERS
from archive_site.lib import collected_static
from archive_site.lib.commands import ArchiveCommand
from archive_site.serving.supervisor import Address, FolderLock, Supervisor
from backups import catalog, creation
from backups.restore import recovery
from usage.export import kept_files

log = logging.getLogger(__name__)
# Set in the environment of a process that started again.
_AGAIN = "USAGE_ARCHIVE_STARTED_AGAIN"


class Command(ArchiveCommand):
    help = "Serve the instance: the web server and the workers that collect."
    writes = False
    serves = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT")
        only = parser.add_mutually_exclusive_group()
        only.add_argument("--no-worker", action="store_true", help="the web server only")
        only.add_argument("--no-web", action="store_true", help="the workers only, beside web servers of other nodes")

    def run(self, *args: Any, **options: Any) -> None:
        address = Address.parse(options["bind"])
        lock = FolderLock(settings.DATA_FOLDER.scheduler_lock)
        lock.take()
        if not options["no_web"]:
            address.require_free()
        open_store()
        for found in (*recovery.clear_broken_restores(), *creation.clear_broken_backups()):
            log.warning("%s", found)
            self._say(found)
        kept_files.note_all()
        catalog.note_all()
        if collected_static.collect():
            _start_again()
        os.environ[WORKERS] = "0" if options["no_worker"] else "1"
        web, worker = not options["no_web"], not options["no_worker"]
        supervisor = Supervisor(address, web=web, worker=worker, say=self._say)
        supervisor.listen_to_signals()
        if web:
            self._greet(address)
        else:
            self._say(f"The workers of {settings.NODE} are running.")
        supervisor.run()

    def _greet(self, address: Address) -> None:
        self._say(f"Serving on {address.url}")
        token = issue_token()
        if token:
            self._say(f"First run: {address.url}/first-run/{token}")
            self._say("Open this link once to create the first administrator.")

    def _say(self, line: str) -> None:
        # Standard output holds lines of JSON only, where it has the log.
        out = self.stderr if settings.LOG_TO_STDOUT else self.stdout
        out.write(line)
        out.flush()


def _start_again() -> None:
    """Replace this process by a new one after a first start or an upgrade, if `up` is its command.

    The memory of migrations and of collecting files would stay with it and with its children.
    """
    if "up" not in sys.argv[1:3] or _AGAIN in os.environ:
        return
    connections.close_all()
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, _AGAIN: "1"})  # noqa: S606 - itself
