"""What of the log is left out, and where it may not go."""

import logging
import re
import sys


class HeartbeatsAtDebug(logging.Filter):
    """Gives the queue's lines about tasks of every few minutes the level DEBUG; their failures keep theirs."""

    def __init__(self, tasks: list[str]):
        super().__init__()
        names = "|".join(map(re.escape, tasks))
        # "Enqueued" has only a number; the line that names the task follows.
        self._routine = re.compile(rf"Enqueued \[|\.(?:{names})'|\[(?:{names})\]$")

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.INFO or not self._routine.search(record.getMessage()):
            return True
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        return logging.getLogger(record.name).isEnabledFor(logging.DEBUG)


def keep_off_standard_output() -> None:
    """Where the log goes to standard output: write only warnings, to standard error, since results go there."""
    for handler in logging.getLogger().handlers:
        if handler.get_name() == "stdout" and isinstance(handler, logging.StreamHandler):
            handler.setStream(sys.stderr)
            handler.setLevel(logging.WARNING)
