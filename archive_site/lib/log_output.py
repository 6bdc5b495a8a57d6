"""Where the log may not go."""

import logging
import sys


def keep_off_standard_output() -> None:
    """Where the log goes to standard output: write only warnings, to standard error, since results go there."""
    for handler in logging.getLogger().handlers:
        if handler.get_name() == "stdout" and isinstance(handler, logging.StreamHandler):
            handler.setStream(sys.stderr)
            handler.setLevel(logging.WARNING)
