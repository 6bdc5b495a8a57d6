"""Lines of the log that anybody can cause: at most one a minute of a kind, and what came is short and printable."""

import logging
import threading
import time

_SECONDS = 60.0
_SHOWN = 120
_lock = threading.Lock()
_last: dict[str, float] = {}


def warn(log: logging.Logger, kind: str, line: str, *values: object) -> None:
    """Write a warning, unless one of this kind was written in the last 60 seconds in this process."""
    if is_due(kind):
        log.warning(line, *values)


def is_due(kind: str) -> bool:
    """Whether no line of this kind was written in the last 60 seconds in this process; one is written now."""
    now = time.monotonic()
    with _lock:
        if now - _last.get(kind, -_SECONDS) < _SECONDS:
            return False
        _last[kind] = now
    return True


def shown(text: str, most: int = _SHOWN) -> str:
    """A text that others sent, in quotes: printable ASCII, and no more than the first `most` characters."""
    quoted = ascii(text[:most])
    return quoted if len(text) <= most and len(quoted) <= most + 2 else f"{quoted[:most]}..."
