"""Run a demonstration without an upstream account: a simulated upstream, a filled archive, and the pages."""

import multiprocessing
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connections

from accounts import archives, config
from accounts.account_creation import create_account
from accounts.credentials import credential
from accounts.models import INSTANCE, User
from accounts.passwords.password_warnings import least_length
from accounts.store_identity import open_store
from archive_site.lib import clock
from archive_site.lib.commands import ArchiveCommand
from archive_site.lib.locks import file_lock
from archive_site.serving import bind_address
from collection.models import Run
from collection.reading.collector import collect
from collection.runs import run_start
from collection.runs.run_outcomes import OK
from collection.sources.codebuddy.simulator.simulator import Simulator

NAME = "demo"
DAYS = 90
# The simulated account also has calls in the future, so that new ones arrive while the demo runs.
DAYS_AHEAD = 7


class Command(ArchiveCommand):
    help = "Serve a demonstration with a simulated upstream. 'make demo' uses a separate data folder."
    writes = False
    serves = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT", help=bind_address.HELP)

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        if User.objects.exclude(username=NAME).exists():
            raise CommandError("This data folder is in use: set ARCHIVE_HOME to an empty one for the demo.")
        # Before anything is written that a demo which runs already goes by.
        if settings.DATA_FOLDER.scheduler_lock.exists() and file_lock.is_held(settings.DATA_FOLDER.scheduler_lock):
            raise CommandError(f"Another demo already runs on {settings.DATA_FOLDER.home}.")
        bind_address.Address.parse(options["bind"]).bound().close()
        archive_id = archives.first_of(self._account().pk)
        with _upstream() as (base_url, cookie):
            given = {"api_base": base_url, "token_base": base_url, "captcha_policy": "off"}
            config.write(given, archive_id=INSTANCE, may_edit_instance=True)
            credential.store(archive_id, cookie)
            # What the second reading finds unchanged is settled.
            for _ in range(2):
                self._fill(archive_id)
            call_command("up", bind=options["bind"], stdout=self.stdout)

    def _account(self) -> User:
        found = User.objects.filter(username=NAME).first()
        if found:
            self.stdout.write(f"Account: {NAME} (its password was printed at the first start)")
            return found
        # As long as ARCHIVE_PASSWORD_STRICT may require.
        password = secrets.token_urlsafe(96)[: max(16, least_length() - 3)] + "-7a"
        user = create_account(NAME, password, password, is_admin=True)
        self.stdout.write(f"Account: {NAME}\nPassword: {password} (printed this once)")
        return user

    def _fill(self, archive_id: int) -> None:
        first = clock.today() - timedelta(days=DAYS - 1)
        span = run_start.span_of(archive_id, config.instance_settings(), first, None)
        run, token = run_start.take_run(archive_id, Run.Trigger.CLI, span)
        result = collect(run, token, actor="command line")
        if result.outcome is not OK:
            raise CommandError(result.run.message)
        self.stdout.write(result.run.message)


@contextmanager
def _upstream() -> Iterator[tuple[str, str]]:
    """Address and cookie of the simulated upstream, which has threads: `up` forks, so it is in a separate process."""
    ours, theirs = multiprocessing.Pipe()
    connections.close_all()
    process = multiprocessing.get_context("fork").Process(target=_simulate, args=[theirs, os.getpid()], daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _simulate(pipe: Connection, demo: int) -> None:
    """Simulate the upstream until this command ends, even if it is killed."""
    # Ctrl-C reaches this process, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    until = datetime.now(UTC) + timedelta(days=DAYS_AHEAD)
    with Simulator(days=DAYS + DAYS_AHEAD, per_day=60, until=until) as simulator:
        pipe.send((simulator.base_url, simulator.cookie()))
        while os.getppid() == demo:
            time.sleep(1)
