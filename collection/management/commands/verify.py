"""Compare an account's records with the source, print each difference, and change nothing."""

import argparse
import logging
import sys
from threading import Event
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts import archives, config
from accounts.account_lookup import account_named
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand, stopped_by_signals
from archive_site.lib.http import parameter_parsing
from archive_site.lib.stored_message import Message
from collection.runs import lease
from collection.runs.run_outcomes import CollectionEnded
from collection.sources import kinds
from collection.sources.source import ReadingStopped, SourceFailure, Work
from collection.verification import verification, verification_start
from collection.verification.comparison import Comparison, Line

log = logging.getLogger(__name__)

EQUAL, DIFFERENT, NOT_COMPARED = 0, 1, 2
EPILOG = f"""\
Each line has five fields, separated by tabs: what differs, the request id, the time, the value here, the value at the
upstream; a missing value is "-". The first field is one of missing_here, missing_there, credits, model, client, time,
unreadable; then day_calls and day_credits give the sums of each day. The last line states the result in words.

exit codes: {EQUAL} equal, {DIFFERENT} different, {NOT_COMPARED} could not be compared (such as a busy instance, an
expired cookie, an upstream that does not answer, wrong days, Ctrl-C)"""


class Command(ArchiveCommand):
    help = "Compare an account's records with the upstream, day by day, and change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("name", metavar="NAME")
        parser.add_argument(
            "--from", dest="first", metavar="D", help="first day, YYYY-MM-DD; else the first that the upstream may give"
        )
        parser.add_argument("--to", dest="last", metavar="D", help="last day, YYYY-MM-DD; else yesterday")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stop = Event()
        self.code = NOT_COMPARED
        try:
            with stopped_by_signals(self.stop):
                super().handle(*args, **options)
        except CommandError as error:
            raise CommandError(str(error), returncode=NOT_COMPARED) from None
        except BrokenPipeError:
            # The reader of the output has gone.
            pass
        except Exception:
            # Python's own exit code would state a difference. The traceback goes to the log file only.
            log.info("a verification failed", exc_info=True)
            raise CommandError("Something went wrong; the log has the cause.", returncode=NOT_COMPARED) from None
        if self.code != EQUAL:
            sys.exit(self.code)

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        archive_id = archives.first_of(account_named(options["name"]).pk)
        values = {"from": options["first"], "to": options["last"]}
        asked = parameter_parsing.day(values, "from"), parameter_parsing.day(values, "to")
        comparison = Comparison(archive_id, *verification_start.days_to_verify(archive_id, *asked))
        try:
            self._compare(comparison)
        except (CollectionEnded, SourceFailure) as failure:
            raise CommandError(str(failure.message)) from None
        except ReadingStopped:
            raise CommandError("Stopped before all days were compared.") from None
        self.stdout.write(str(comparison.message()))
        self.stdout.flush()
        self.code = EQUAL if comparison.is_equal else DIFFERENT

    def _compare(self, comparison: Comparison) -> None:
        stops = [self.stop]

        def should_stop() -> bool:
            return any(stop.is_set() for stop in stops)

        instance = config.instance_settings()
        with (
            kinds.opened(comparison.archive_id, instance, Work(should_stop, self._show)) as source,
            lease.kept(lease.take_or_refuse(archive_id=comparison.archive_id)) as lost,
        ):
            stops.append(lost)
            verification.compare(comparison, source, emit=self._print, tell=self._show)

    def _print(self, line: Line) -> None:
        self.stdout.write("\t".join(map(_field, line)))

    def _show(self, line: Message) -> None:
        if self.stderr.isatty():
            self.stderr.write(str(line), self.style.NOTICE)


def _field(value: str) -> str:
    """A value without characters that end a field or a line, or change the terminal."""
    printable = (sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in value)
    return "".join(printable) or "-"
