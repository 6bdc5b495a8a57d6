"""The handler of the application's log, loaded without Redis: its lock library loads Redis wherever it is installed.

That takes as long as all of Django's models, and the handler has no use for it.
"""

import sys

_hidden = "redis" not in sys.modules
if _hidden:
    # An entry without a module makes the import fail, as where Redis is not installed.
    sys.modules["redis"] = None  # type: ignore[assignment]
try:
    from concurrent_log_handler import ConcurrentRotatingFileHandler
finally:
    if _hidden:
        del sys.modules["redis"]

__all__ = ["ConcurrentRotatingFileHandler"]
