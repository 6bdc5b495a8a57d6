"""Which records are meant, and in which order: what every list and sum is asked with."""

from collections.abc import Mapping
from dataclasses import dataclass

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

    def of_rollup(self) -> dict[str, str]:
        """The conditions that a rollup's rows are looked up by; the text is none of them."""
        first, last = self.days.first, self.days.last
        conditions = {
            "day__gte": first.isoformat() if first else None,
            "day__lte": last.isoformat() if last else None,
            "model": self.model,
            "client": self.client,
        }
        return {name: value for name, value in conditions.items() if value is not None}
