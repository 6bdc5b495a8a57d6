"""The search index over prompts, updated in the transaction that changes them: that of the store's engine."""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from usage.search.sqlite.index import add, create, drop, fill, remove, stored, tidy
else:
    from usage.search.postgres.index import add, create, drop, fill, remove, stored, tidy

__all__ = ["add", "create", "drop", "fill", "remove", "stored", "tidy"]
