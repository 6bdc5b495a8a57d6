"""What Ctrl-C and SIGTERM do: they end the process at once, or raise where something is to be put away or said."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from archive_site.client.outcome import ExitCode


def leave_at_interrupt() -> None:
    """Let Ctrl-C end the process without a word. A traceback while modules are loaded would help nobody."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def hear_interrupts() -> None:
    """Let a thread do that: the main one sees a Ctrl-C that comes just before it begins to wait only after that.

    For programs that never fork. A pipe takes the place of a stream that is closed, so then there is none.
    """
    if signal.getsignal(signal.SIGINT) is _leave and None not in (sys.stdin, sys.stdout, sys.stderr):
        coming, seen = os.pipe()
        os.set_blocking(seen, False)
        signal.set_wakeup_fd(seen)
        threading.Thread(target=_look, args=[coming], daemon=True).start()


def _look(coming: int) -> None:
    """End the process at a Ctrl-C, as long as that is what it does."""
    while number := os.read(coming, 1):
        if number[0] == signal.SIGINT and signal.getsignal(signal.SIGINT) is _leave:
            os._exit(ExitCode.INTERRUPTED)


def raise_at_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, where it would end the process without a word."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def interrupt_raises() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt."""
    with _handled(signal.SIGINT, signal.default_int_handler):
        yield


@contextmanager
def termination_raises() -> Iterator[None]:
    """SIGTERM raises SystemExit."""
    with _handled(signal.SIGTERM, _end):
        yield


@contextmanager
def _handled(number: signal.Signals, handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    before = signal.getsignal(number)
    # As under nohup, or in the background of a script.
    if before is signal.SIG_IGN:
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(ExitCode.INTERRUPTED)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(ExitCode.TERMINATED)
