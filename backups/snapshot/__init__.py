"""A consistent copy of the live store as an SQLite file, made while the service runs
(docs/decisions/backups.md#the-snapshot).

The way depends on the store's engine: `sqlite` or `postgres`. `copied_store` checks the copy and removes what a backup
does not hold.
"""

from archive_site.lib.storage import engine
from backups.snapshot.copied_store import counts, drop_ways_in, require_sound

if engine.IS_SQLITE:
    from backups.snapshot.sqlite import expected_bytes, take
else:
    from backups.snapshot.postgres import expected_bytes, take

__all__ = ["counts", "drop_ways_in", "expected_bytes", "require_sound", "take"]
