"""Lists of records with a search text: their ids, by page or in chunks, and their sums."""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from usage.search.sqlite.plan import chunks, page, sums
else:
    from usage.search.postgres.plan import chunks, page, sums

__all__ = ["chunks", "page", "sums"]
