"""The most expensive single calls (specification 4.2)."""

from typing import Any

from usage import record_pages, short_key_form
from usage.filters import RecordFilters


def top(user_id: int, filters: RecordFilters, n: int) -> list[dict[str, Any]]:
    """The `n` records that cost most, in the short form; ties by time, then id, newest first."""
    return short_key_form.in_order(record_pages.top(user_id, filters, n))
