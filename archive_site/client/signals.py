"""What Ctrl-C and SIGTERM do: they end the process at once, or raise where something is to be put away or said."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from archive_site.client.outcome import ExitCode


def leave_at_interrupt() -> None:
    """Let Ctrl-C end the process without a word. A traceback while modules are loaded would help nobody."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


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
