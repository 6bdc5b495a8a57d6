"""The base of the project's commands: a migrated store, and failures as one line with exit code 1."""

import signal
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Event
from types import FrameType
from typing import Any, TextIO

from django.core.management.base import BaseCommand, OutputWrapper

from archive_site.lib import command_failures, log_output
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage import disk_reserve, store_version

# Controls, what turns the direction of the text around it, halves of characters, and separators of lines.
_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class _Output(OutputWrapper):
    """Writes nothing that a terminal would obey, whatever a source or an account has put into a text."""

    def write(self, msg: str = "", *style: Any, **options: Any) -> None:  # type: ignore[override]  # as Django's own
        super().write(msg if msg.isprintable() else "".join(map(_shown, msg)), *style, **options)


class ArchiveCommand(BaseCommand):
    """A command that uses the store; its `run` may raise the project's errors."""

    requires_system_checks: list[str] = []
    # Whether the command holds off restores until it ends, because it may write to the store.
    writes = True
    # Whether the command serves until it is stopped; the standard output of others is their result.
    serves = False

    def __init__(self, stdout: TextIO | None = None, stderr: TextIO | None = None, **options: Any) -> None:
        super().__init__(stdout, stderr, **options)
        self.stdout, error = _Output(stdout or sys.stdout), _Output(stderr or sys.stderr)
        # In the style of errors, which Django has set.
        error.style_func = self.stderr.style_func
        self.stderr = error

    def run(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError

    def prepare_store(self, **options: Any) -> None:
        """Migrate the store to this version's schema, before `run`."""
        with write_freeze.writing():
            store_version.migrate()

    def handle(self, *args: Any, **options: Any) -> None:
        if not self.serves:
            log_output.keep_off_standard_output()
        with command_failures.in_one_line():
            disk_reserve.give_up()
            self.prepare_store(**options)
            with write_freeze.writing() if self.writes else nullcontext():
                self.run(*args, **options)


def _shown(letter: str) -> str:
    return letter if letter in "\n\t" or unicodedata.category(letter) not in _OBEYED else "\ufffd"


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
