"""The most expensive single calls (specification 4.2)."""

from typing import Any

from usage import record_order, short_form
from usage.filters import Filters


def top(user_id: int, filters: Filters, n: int) -> list[dict[str, Any]]:
    """The `n` records that cost most, in the short form; ties by time, then id, newest first."""
    return short_form.in_order(record_order.top(user_id, filters, n))
