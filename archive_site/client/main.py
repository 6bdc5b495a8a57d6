"""Runs one verb of the command line, and ends with its exit code."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress

from archive_site.client import collect, export, reads, records, status
from archive_site.client.access import access_of
from archive_site.client.arguments import parser
from archive_site.client.connection import Server
from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.screen import Screen
from archive_site.client.signals import interrupt_raises
from archive_site.client.verb import Call, Verb

VERBS: dict[str, Verb] = {
    "summary": reads.summary,
    "daily": reads.daily,
    "top": reads.top,
    "records": records.records,
    "export": export.export,
    "collect": collect.collect,
    "status": status.status,
}


def main(arguments: Sequence[str]) -> int:
    """Run the client; give the exit code of the process. Raises SystemExit for wrong usage, and for help."""
    words = parser()
    if not arguments:
        words.print_help(sys.stderr)
        return ExitCode.USAGE
    options = words.parse_args(arguments)
    if options.verb not in VERBS:
        words.error(f"'{options.verb}' has to be the first word.")
    screen = Screen()
    try:
        return _ended(options, screen)
    except KeyboardInterrupt:
        _leave_pipe()
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _leave_pipe()
        return ExitCode.BROKEN_PIPE
    except OSError as error:
        _leave_pipe()
        screen.note(f"the output cannot be written: {error.strerror}.")
        return ExitCode.FAILED


def _ended(options: Namespace, screen: Screen) -> ExitCode:
    with interrupt_raises():
        try:
            code = _run(options, screen)
            screen.flush()
        except Failure as failure:
            screen.note(failure.message)
            return failure.code
    return code


def _run(options: Namespace, screen: Screen) -> ExitCode:
    access = access_of(options, os.environ)
    if access.is_open_to_listeners and screen.is_watched:
        screen.note("warning: over http:// everybody on the way can read the token.")

    def note(text: str) -> None:
        if screen.is_watched:
            screen.note(text)

    return VERBS[options.verb](Call(options, Server(access, options.timeout, note), screen))


def _leave_pipe() -> None:
    """Keep Python from writing the rest at its end, which would fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
