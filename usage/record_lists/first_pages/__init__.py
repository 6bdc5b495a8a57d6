"""Pages near the beginning of a list, whole and in one query, where that is faster on the store's engine."""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from usage.record_lists.first_pages.sqlite import rows_among_first
else:
    from usage.record_lists.first_pages.postgres import rows_among_first

__all__ = ["rows_among_first"]
