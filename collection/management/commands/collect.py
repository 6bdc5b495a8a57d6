"""Collect an account's usage from the command line, printing each step."""

from datetime import date
from threading import Event
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts import archives, config
from accounts.account_lookup import account_named
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand, stopped_by_signals
from archive_site.lib.http import parameter_parsing
from collection.models import Run
from collection.reading.collector import collect
from collection.reading.older import fetch_older
from collection.runs import run_start
from collection.runs.run_outcomes import OK


class Command(ArchiveCommand):
    help = (
        "Collect an account's usage; without days, everything since the last complete collection. With --older, "
        "everything from before the first day that was asked for; when stopped, the next one continues."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--from", dest="first", metavar="D", help="first day, YYYY-MM-DD; may be any time ago")
        parser.add_argument("--to", dest="last", metavar="D", help="last day, YYYY-MM-DD")
        parser.add_argument("--older", action="store_true", help="reach back until 90 days in a row are empty")

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        archive_id = archives.first_of(account_named(options["name"]).pk)
        first, last = self._days(options)
        if options["older"]:
            if first or last:
                raise CommandError("--older takes no days.", returncode=2)
            run, token = run_start.take_other_run(archive_id, Run.Kind.OLDER, Run.Trigger.CLI)
        else:
            span = run_start.span_of(archive_id, config.instance_settings(), first, last)
            run, token = run_start.take_run(archive_id, Run.Trigger.CLI, span)
        stop = Event()
        execute = fetch_older if options["older"] else collect
        with stopped_by_signals(stop):
            result = execute(run, token, actor="command line", stop=stop, show=self._show)
        if result.outcome is not OK:
            raise CommandError(result.run.message, returncode=1)
        self.stdout.write(result.run.message)

    def _days(self, options: dict[str, Any]) -> tuple[date | None, date | None]:
        values = {"from": options["first"], "to": options["last"]}
        return parameter_parsing.day(values, "from"), parameter_parsing.day(values, "to")

    def _show(self, line: str) -> None:
        if self.stdout.isatty():
            self.stdout.write(line, ending="")
