"""The handler of the application's log, loaded without Redis: its lock library loads Redis wherever it is installed.

That takes as long as all of Django's models, and the handler has no use for it.
"""

from archive_site.lib.hidden_modules import hidden

with hidden("redis"):
    from concurrent_log_handler import ConcurrentRotatingFileHandler

__all__ = ["ConcurrentRotatingFileHandler"]
