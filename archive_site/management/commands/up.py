"""Serve the instance: web server and workers, until Ctrl-C or SIGTERM."""

import logging
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser

from accounts.first_run import issue_token
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from archive_site.serving.supervisor import Address, FolderLock, Supervisor
from backups import creation
from backups.restore import recovery

log = logging.getLogger(__name__)


class Command(ArchiveCommand):
    help = "Serve the instance: the web server and the workers that collect."
    writes = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT")
        parser.add_argument("--no-worker", action="store_true", help="the web server only")

    def run(self, *args: Any, **options: Any) -> None:
        address = Address.parse(options["bind"])
        lock = FolderLock(settings.DATA_FOLDER.scheduler_lock)
        lock.take()
        address.require_free()
        open_store()
        for found in (*recovery.clear_broken_restores(), *creation.clear_broken_backups()):
            log.warning("%s", found)
            self._say(found)
        # Pages need neither the build files nor the type declarations.
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["build", "*.d.ts"])
        supervisor = Supervisor(address, worker=not options["no_worker"], say=self._say)
        supervisor.listen_to_signals()
        self._greet(address)
        supervisor.run()

    def _greet(self, address: Address) -> None:
        self._say(f"Serving on {address.url}")
        token = issue_token()
        if token:
            self._say(f"First run: {address.url}/first-run/{token}")
            self._say("Open this link once to create the first administrator.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
