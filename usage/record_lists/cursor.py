"""Places in lists in an order of time, so that a long walk stays stable while records come in (docs/api.md#records)."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, replace

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.filter_sql import records_by_time
from usage.filters import ORDERS, RecordFilters, order_named
from usage.incoming import values as incoming_values


@dataclass(frozen=True)
class Cursor:
    """The place after a record in an order of time."""

    order: str
    ts: str
    request_id: str

    @classmethod
    def read(cls, text: str) -> "Cursor | None":
        """The cursor of a text that `as_text` made; None for any other text."""
        try:
            found = json.loads(urlsafe_b64decode(text.encode() + b"=="))
        except (ValueError, binascii.Error, RecursionError):
            return None
        if not isinstance(found, list) or [*map(type, found)] != [str, str, str]:
            return None
        order, ts, request_id = found
        # As records store them: a text that no database takes would be an error of the server.
        is_place = clock.is_whole_time(ts) and incoming_values.text(request_id) == request_id
        return cls(order, ts, request_id) if is_place and goes_by_time(order) else None

    def as_text(self) -> str:
        """The cursor as a text for an address."""
        return urlsafe_b64encode(json.dumps([self.order, self.ts, self.request_id]).encode()).decode().rstrip("=")

    @property
    def day(self) -> str:
        return self.ts[: len("2026-09-07")]

    def is_before(self, ts: str, request_id: str) -> bool:
        """Whether a record comes after this place."""
        place, key = (self.ts, self.request_id), (ts, request_id)
        return key < place if order_named(self.order).descending else key > place

    def from_its_day(self, filters: RecordFilters) -> RecordFilters | None:
        """The filters without the days that come before this place; None if no day is left."""
        day, (first, last) = clock.parse_day(self.day), (filters.days.first, filters.days.last)
        if order_named(self.order).descending:
            last = min(last, day) if last and day else day
        else:
            first = max(first, day) if first and day else day
        return None if first and last and first > last else replace(filters, days=Days(first, last))

    def count_passed(self, archive_id: int, filters: RecordFilters) -> int:
        """How many records of its day, among those that the filters find, do not come after this place."""
        day = clock.parse_day(self.day)
        if not day or not filters.days.may_hold(day):
            return 0
        where = records_by_time(archive_id, replace(filters, days=Days(day, day)), "r")
        compare = ">=" if order_named(self.order).descending else "<="
        join, like, needle = "", "", []
        if filters.text:
            join = "JOIN usage_prompt p ON p.record_id = r.id"
            verified, value = prompt_match.verified(filters.text)
            like, needle = f"AND {verified}", [value]
        [(passed,)] = fetch(
            f"SELECT COUNT(*) FROM usage_record r {join} WHERE {where.conditions} "  # noqa: S608 - constant parts, bound values
            f"AND (r.ts, r.request_id) {compare} (%s, %s) {like}",
            [*where.values, self.ts, self.request_id, *needle],
        )
        return int(passed)


def goes_by_time(order: str) -> bool:
    """Whether an order, one of `ORDERS`, is one of time."""
    return order in ORDERS and order_named(order).leads == "ts"
