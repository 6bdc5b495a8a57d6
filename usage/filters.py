"""The filters and orders of lists and sums."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from archive_site.lib.http.parameters import Days

ORDERS: Mapping[str, tuple[str, ...]] = {
    "ts_desc": ("-ts", "-request_id"),
    "ts_asc": ("ts", "request_id"),
    "credits_desc": ("-credits", "-ts", "-request_id"),
    "credits_asc": ("credits", "ts", "request_id"),
    "model_asc": ("model", "ts", "request_id"),
    "client_asc": ("client", "ts", "request_id"),
}
NEWEST_FIRST = "ts_desc"
# The column of the purpose, in records and rollups.
PURPOSE = "agent_purpose"


@dataclass(frozen=True)
class RecordFilters:
    """Selects records by a span of days, an exact model, client and purpose, and a substring of the prompt.

    None is any model, client or purpose; an empty name selects the records without one.
    """

    days: Days = Days()
    model: str | None = None
    client: str | None = None
    purpose: str | None = None
    text: str = ""

    @property
    def names(self) -> dict[str, str]:
        """The columns that are filtered by name, each with its name."""
        names = {"model": self.model, "client": self.client, PURPOSE: self.purpose}
        return {column: name for column, name in names.items() if name is not None}

    def narrowed(self, column: str, name: str) -> "RecordFilters":
        """The same filters for one model or client."""
        return replace(self, model=name) if column == "model" else replace(self, client=name)


@dataclass(frozen=True)
class Order:
    """An order of records: the columns to sort by, all in the same direction."""

    columns: tuple[str, ...]
    descending: bool

    @property
    def leads(self) -> str:
        """The first column to sort by."""
        return self.columns[0]

    def turned(self) -> "Order":
        return replace(self, descending=not self.descending)


def order_named(name: str) -> Order:
    """The order of this name in `ORDERS`; newest first for any other name."""
    columns = ORDERS.get(name, ORDERS[NEWEST_FIRST])
    return Order(tuple(column.lstrip("-") for column in columns), descending=columns[0].startswith("-"))
