"""Standard input, output and error of a command, also where they are closed or cannot be written."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from django.core.management.base import OutputWrapper

OUTPUT = "standard output"


class _Output(io.TextIOWrapper):
    """Its errors name it, as those of a file do."""

    def write(self, text: str, /) -> int:
        with _named():
            return super().write(text)

    def flush(self) -> None:
        with _named():
            super().flush()


class _Error(io.TextIOWrapper):
    """It has no errors: there is nowhere to say them."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            # What waits would fail at the next fork.
            discard(self)
            return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def prepare() -> None:
    """Replace the streams of this process, unless they are replaced already."""
    _keep_numbers()
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - until the end of the process
    if sys.stdout is sys.__stdout__:
        sys.stdout = _replaced(sys.stdout, 1, _Output)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _replaced(sys.stderr, 2, _Error)


def discard(stream: TextIO | OutputWrapper) -> None:
    """Drop what a stream could not write. What is written to it later is tried again."""
    number = stream.fileno()
    kept = os.dup(number)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), number)
    try:
        stream.flush()
    finally:
        os.dup2(kept, number)
        os.close(kept)


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, OUTPUT) from None


def _keep_numbers() -> None:
    """Take the numbers of streams that are closed: a file of the service would get them, and what is printed."""
    while (free := os.open(os.devnull, os.O_RDONLY)) <= 2:
        os.set_inheritable(free, True)
    os.close(free)


def _replaced(before: TextIO | None, number: int, kind: type[io.TextIOWrapper]) -> io.TextIOWrapper:
    """A stream like the one before, which is None where it is closed."""
    buffer = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    if not isinstance(before, io.TextIOWrapper):
        return kind(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    at_once = before.line_buffering or before.write_through
    return kind(buffer, encoding=before.encoding, errors=before.errors, line_buffering=at_once)
