"""The filters and orders of lists and sums."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from archive_site.lib.http.parameter_parsing import Days

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

# A name, several names, or None for any. An empty name selects the records without one.
Choice = str | tuple[str, ...] | None


@dataclass(frozen=True)
class RecordFilters:
    """Selects records by a span of days, by exact models, clients and purposes, and by a substring of the prompt.

    `is_free`, `has_prompt`, `credits_above` (in parts of the unit), `tokens_above` (of all kinds) and `hour` (of the
    wall clock) are filters of lists only; None is any. `tells_unknown`: of calls without an amount, which are stored as
    0, none is free.
    """

    days: Days = Days()
    model: Choice = None
    client: Choice = None
    purpose: Choice = None
    text: str = ""
    is_free: bool | None = None
    has_prompt: bool | None = None
    credits_above: int | None = None
    tokens_above: int | None = None
    hour: int | None = None
    tells_unknown: bool = False

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The columns that are filtered by name, each with its names."""
        chosen = {"model": self.model, "client": self.client, PURPOSE: self.purpose}
        return {
            column: (names,) if isinstance(names, str) else names
            for column, names in chosen.items()
            if names is not None
        }

    @property
    def need_records(self) -> bool:
        """Whether only the records can answer: no rollup has sums by prompt, or by the credits or tokens of a call."""
        is_of_known = self.tells_unknown and self.is_free is not None
        of_call = (self.has_prompt, self.credits_above, self.tokens_above)
        return any(each is not None for each in of_call) or is_of_known

    @property
    def go_by_groups(self) -> bool:
        """Whether the groups of the rollups lead to the records faster than an index in the order of a list."""
        return bool(self.names) or self.has_prompt is not None or self.hour is not None

    def has_one(self, column: str) -> bool:
        """Whether the filters select exactly one name of a column."""
        return len(self.names.get(column, ())) == 1

    def order(self, name: str) -> "Order":
        """The order of this name; oldest first for an order by model or client if the filters select only one."""
        order = order_named(name)
        return order_named("ts_asc") if self.has_one(order.leads) else order

    def narrowed(self, column: str, names: str | tuple[str, ...]) -> "RecordFilters":
        """The same filters for one or several names of a column."""
        if column == PURPOSE:
            return replace(self, purpose=names)
        return replace(self, model=names) if column == "model" else replace(self, client=names)


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
