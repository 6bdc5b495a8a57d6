"""Serve the instance: web server and workers, until Ctrl-C or SIGTERM."""

import logging
import os
import socket
import sys
from contextlib import nullcontext
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import connections

from accounts.signin.first_run import issue_token
from accounts.store_identity import open_store
from archive_site.lib import collected_static, seldom_log
from archive_site.lib.commands import ArchiveCommand
from archive_site.lib.storage import disk_reserve, store_damage
from archive_site.management import standard_streams
from archive_site.probes import WORKERS
from archive_site.serving import bind_address, web_server
from archive_site.serving.bind_address import Address
from archive_site.serving.supervisor import FolderLock, Supervisor
from backups import catalog, creation
from backups.restore import recovery
from collection.runs import import_progress
from usage.export import kept_files

log = logging.getLogger(__name__)
# Set in the environment of a process that started again.
_AGAIN = "USAGE_ARCHIVE_STARTED_AGAIN"


class Command(ArchiveCommand):
    help = "Serve the instance: the web server and the workers that collect."
    writes = False
    serves = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT", help=bind_address.HELP)
        only = parser.add_mutually_exclusive_group()
        only.add_argument("--no-worker", action="store_true", help="the web server only")
        only.add_argument("--no-web", action="store_true", help="the workers only, beside web servers of other nodes")

    def run(self, *args: Any, **options: Any) -> None:
        address = Address.parse(options["bind"])
        if not options["no_web"]:
            web_server.require_files()
        lock = FolderLock(settings.DATA_FOLDER.scheduler_lock)
        lock.take()
        with nullcontext() if options["no_web"] else address.bound() as bound:
            self._prepare()
            if collected_static.collect():
                _start_again(bound)
            os.environ[WORKERS] = "0" if options["no_worker"] else "1"
            supervisor = Supervisor(bound, worker=not options["no_worker"], say=self._say)
            supervisor.listen_to_signals()
            store_damage.expect_store()
            # Also the first line of a log on standard output, so that the probe sees at once whether it goes there.
            log.info("version %s starts", settings.VERSION)
            if bound:
                self._greet(address.listen(bound))
            else:
                self._say(f"The workers of {settings.NODE} are running.")
            supervisor.run()

    def _prepare(self) -> None:
        open_store()
        disk_reserve.keep()
        for found in (*recovery.clear_broken_restores(), *creation.clear_broken_backups()):
            log.warning("%s", found)
            self._say(found)
        import_progress.remove_files_of_the_dead()
        kept_files.note_all()
        catalog.note_all()

    def _greet(self, address: Address) -> None:
        url = f"{address.url}{settings.SERVICE_PATH}"
        self._say(f"Serving on {url}")
        token = issue_token()
        if token:
            self._say(f"First run: {url}/first-run/{token}")
            self._say("Open this link once to create the first administrator.")

    def _say(self, line: str) -> None:
        # Standard output holds lines of JSON only, where it has the log.
        out = self.stderr if settings.LOG_TO_STDOUT else self.stdout
        try:
            out.write(line)
            out.flush()
        except OSError as error:
            # The service goes on, and still ends its processes when it stops.
            seldom_log.warn(log, "output", "standard output cannot be written: %s", error.strerror)
            standard_streams.discard(out)


def _start_again(bound: socket.socket | None) -> None:
    """Replace this process by a new one after a first start or an upgrade, if `up` is its command.

    The memory of migrations and of collecting files would stay with it and with its children.
    """
    if "up" not in sys.argv[1:3] or _AGAIN in os.environ:
        return
    connections.close_all()
    sys.stdout.flush()
    variables = {**os.environ, **bind_address.hand_over(bound), _AGAIN: "1"}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], variables)  # noqa: S606 - itself
