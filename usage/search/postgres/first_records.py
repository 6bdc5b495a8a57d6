"""Strategy: compare the first records of the order, a part after the other, without an index of the prompts."""

from itertools import chain

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from usage import prompt_match
from usage.filter_sql import Where, by_name, by_values, records_by_time, sorting
from usage.record_lists.list_sums import Bucket, calls_by, first_group, touched
from usage.search.query import SearchQuery


class FirstRecords:
    """The first records of a search's order, or of its first model or client; `ids` are those that match, in order."""

    def __init__(self, search: SearchQuery):
        self.ids: list[int] = []
        self._user_id = search.archive_id
        self._filters = first_group(search.archive_id, search.filters, search.order_name) or search.filters
        self._by = self._filters.order(search.order_name)
        self._compared = 0
        # The index of time has no names: by days, only records that have them are read.
        self._days: list[tuple[Bucket, int]] | None = None
        if self._by.leads == "ts" and self._filters.go_by_groups:
            self._days = calls_by(self._user_id, self._filters, "day", descending=self._by.descending)

    @property
    def patience(self) -> float:
        """How many times as many records as expected to compare at once: an index is read no further than to the last
        record that is wanted, days are read whole."""
        return 2.0 if self._days is None else 1.0

    def compare(self, records: int, wanted: int) -> None:
        """Go on to about this many records in all, or until `wanted` of them match."""
        part = self._in_order(records) if self._days is None else self._of_days(records)
        self._compared = records
        if not part:
            return
        verified, needle = prompt_match.verified(self._filters.text)
        compared = f"p.record_id = r.id AND {engine.not_by_index(verified)}"
        rows = fetch(
            # One prompt after the other: without statistics of prompts all of a small table would be read.
            f"SELECT r.id FROM (SELECT id, {', '.join(self._by.columns)} FROM usage_record WHERE {part.conditions}) r, "  # noqa: S608 - constant parts, bound values
            f"LATERAL (SELECT 1 FROM usage_prompt p WHERE {compared} OFFSET 0) matching "
            f"ORDER BY {sorting(self._by, 'r')} LIMIT %s",
            [*part.values, needle, wanted - len(self.ids)],
        )
        # Records that came since the last part push some of it into this one.
        self.ids = list(dict.fromkeys(chain(self.ids, chain.from_iterable(rows))))

    def _in_order(self, records: int) -> Where:
        where = records_by_time(self._user_id, self._filters)
        return Where(
            f"{where.conditions} ORDER BY {sorting(self._by)} LIMIT %s OFFSET %s",
            [*where.values, records - self._compared, self._compared],
        )

    def _of_days(self, records: int) -> Where | None:
        """The records of the days, whole, that come after those that were compared."""
        before, until = (touched(self._days or [], 0, number)[0] for number in (self._compared, records))
        days = [day for (day,) in until[len(before) :]]
        if not days:
            return None
        more = [*by_name(self._filters), *by_values(self._filters)]
        conditions = ["user_id = %s", f"day IN ({marks(days)})", *(one.conditions for one in more)]
        # Sorted before the prompts are joined, none is read after the last one that is wanted.
        return Where(
            f"{' AND '.join(conditions)} ORDER BY {sorting(self._by)} OFFSET 0",
            [self._user_id, *days, *(value for one in more for value in one.values)],
        )
