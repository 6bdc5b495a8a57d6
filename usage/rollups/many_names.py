"""Months with too many names to keep their sums: reading these would take more than reading their days."""

from archive_site.lib.storage.sql import fetch
from usage.filters import PURPOSE

# The most that a month that is kept has of each of these.
_MOST = 2_000
_KEYS = ("model", "client", PURPOSE, f"{PURPOSE}, model", f"{PURPOSE}, client")
_COUNT = """
    SELECT COUNT(*) FROM (SELECT DISTINCT {} FROM usage_daypurposegroup
    WHERE user_id = %s AND day >= %s AND day <= %s LIMIT %s) AS names"""


def has_many_names(archive_id: int, month: str) -> bool:
    """Whether a month has too many models, clients, purposes, or pairs of them."""
    values = [archive_id, f"{month}-01", f"{month}-31", _MOST + 1]
    return any(fetch(_COUNT.format(columns), values)[0][0] > _MOST for columns in _KEYS)
