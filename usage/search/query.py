"""A search for an account's records with a text, in an order."""

from dataclasses import dataclass, replace

from usage.filter_sql import Where, records_by_time, sorting
from usage.filters import Order, RecordFilters, order_named


@dataclass(frozen=True)
class SearchQuery:
    """A search. `filters.text` is not empty; `order_name` is one of `ORDERS`, anything else is newest first."""

    archive_id: int
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
        return records_by_time(self.archive_id, self.filters, "r")

    def among(self, filters: RecordFilters, order_name: str) -> "SearchQuery":
        """The same search with other filters and in another order."""
        return replace(self, filters=filters, order_name=order_name)
