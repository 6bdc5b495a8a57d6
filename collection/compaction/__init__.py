"""Giving free room of the store back, in the way of its engine: `sqlite` or `postgres`."""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from collection.compaction.sqlite import compact, require_room, store_bytes
else:
    from collection.compaction.postgres import compact, require_room, store_bytes

__all__ = ["compact", "require_room", "store_bytes"]
