"""A damaged or missing store in the log: one line a minute of each logger, and no traceback."""

import logging

from archive_site.lib import seldom_log
from archive_site.lib.storage import store_damage

_LEFT_OUT = "is_left_out"


class ShortenedDamage(logging.Filter):
    """Takes the traceback off such a warning or error, and leaves out those that follow within a minute.

    Others have their tracebacks. So have the lines of commands, which are no warnings: their terminal has none.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or record.levelno < logging.WARNING or not store_damage.is_unusable(error):
            return not getattr(record, _LEFT_OUT, False)
        record.msg, record.args = f"{record.getMessage()}: {seldom_log.shown(str(error))}", ()
        record.exc_info = record.exc_text = None
        # The next handler gets the same record.
        is_due = seldom_log.is_due(f"damage {record.name}")
        setattr(record, _LEFT_OUT, not is_due)
        return is_due
