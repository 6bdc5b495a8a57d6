"""Which records are meant, and in which order: what every list and sum is asked with."""

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


@dataclass(frozen=True)
class RecordFilters:
    """Which records: a span of days, an exact model and client, a substring of the prompt.

    None is any model or client; the empty text selects the records that have none.
    """

    days: Days = Days()
    model: str | None = None
    client: str | None = None
    text: str = ""

    @property
    def names(self) -> dict[str, str]:
        """The columns that must equal a name, each with it."""
        names = {"model": self.model, "client": self.client}
        return {column: name for column, name in names.items() if name is not None}

    def narrowed(self, column: str, name: str) -> "RecordFilters":
        """The same with one model or client."""
        return replace(self, model=name) if column == "model" else replace(self, client=name)


@dataclass(frozen=True)
class Order:
    """An order of records: the columns that it compares, all in one direction."""

    columns: tuple[str, ...]
    descending: bool

    @property
    def leads(self) -> str:
        """The column that is compared first."""
        return self.columns[0]

    def turned(self) -> "Order":
        return replace(self, descending=not self.descending)


def order_named(name: str) -> Order:
    """The order of this name in `ORDERS`; the newest first for any other name."""
    columns = ORDERS.get(name, ORDERS[NEWEST_FIRST])
    return Order(tuple(column.lstrip("-") for column in columns), descending=columns[0].startswith("-"))
