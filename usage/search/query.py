"""A search for an account's records with a text, in an order, and the comparison that decides about a match."""

from dataclasses import dataclass, replace

from django.db import connection

from usage.filter_sql import Where, records_by_time, sorting
from usage.filters import Order, RecordFilters, order_named

_ESCAPES = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class SearchQuery:
    """A search. `filters.text` is not empty; `order_name` is one of `ORDERS`, anything else is newest first."""

    user_id: int
    filters: RecordFilters
    order_name: str

    @property
    def order(self) -> Order:
        return order_named(self.order_name)

    @property
    def sorting(self) -> str:
        """The terms of ORDER BY for records `r`."""
        return sorting(self.order, "r")

    @property
    def where(self) -> Where:
        """The filters without the text, as conditions on a record `r`."""
        return records_by_time(self.user_id, self.filters, "r")

    def among(self, filters: RecordFilters, order_name: str) -> "SearchQuery":
        """The same search with other filters and in another order."""
        return replace(self, filters=filters, order_name=order_name)


def verified(text: str) -> tuple[str, str]:
    """The condition that a prompt `p` contains the text, with A to Z in either case, and its value.

    SQLite's LIKE ignores the case of exactly these letters; for other engines the condition converts them.
    """
    if connection.vendor == "sqlite":
        return "p.text LIKE %s ESCAPE '\\'", f"%{text.translate(_ESCAPES)}%"
    small = _CAPITALS.lower()
    needle = text.translate(str.maketrans(_CAPITALS, small))
    return f"POSITION(%s IN TRANSLATE(p.text, '{_CAPITALS}', '{small}')) > 0", needle
