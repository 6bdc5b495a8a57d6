"""The log on standard output: whether it can be written there, and where it may not go."""

import logging
import mmap
import sys
from typing import TextIO

from archive_site.lib import seldom_log

log = logging.getLogger(__name__)
# Whether the last line of any process failed: `up` and the processes that it forks share this memory.
_failed = mmap.mmap(-1, 1)


class OutputLog(logging.StreamHandler[TextIO]):
    """The log on standard output. A line that cannot be written is said on standard error, once a minute."""

    def __init__(self) -> None:
        # A stream of its own: Python ends with an error if it cannot empty the buffer of `sys.stdout`, not of others.
        out = sys.__stdout__ and open(  # noqa: SIM115 - until the end of the process
            sys.__stdout__.fileno(), "w", encoding="utf-8", errors="backslashreplace", closefd=False
        )
        super().__init__(out)
        # Whether a line waits in the buffer of this process.
        self._waits = False

    def emit(self, record: logging.LogRecord) -> None:
        self._waits = False
        super().emit(record)
        _failed[0] = self._waits

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name of the library
        error = sys.exc_info()[1]
        self._waits = isinstance(error, OSError)
        _say(error)

    def write_again(self) -> None:
        """Write what waits in this process, or a line if the one that failed was of another process."""
        if not self._waits:
            log.info("a line of the log could not be written")
            return
        try:
            self.flush()
            _failed[0] = self._waits = False
        except OSError as error:
            _say(error)


def _say(error: BaseException | None) -> None:
    seldom_log.warn(log, "log", "the log cannot be written: %s", error)


def is_written() -> bool:
    """Whether the last line was written. After one that failed this writes again, as nothing else might for long."""
    for handler in logging.getLogger().handlers if _failed[0] else ():
        if isinstance(handler, OutputLog):
            handler.write_again()
    return not _failed[0]


def keep_off_standard_output() -> None:
    """Where the log goes to standard output: write only warnings, to standard error, since results go there."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, OutputLog):
            handler.setStream(sys.stderr)
            handler.setLevel(logging.WARNING)
