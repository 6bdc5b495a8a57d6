"""Changes of stored records that wait for the last page of a reading, since a call may come again on another page
(docs/decisions/collection.md#windows-that-are-read-again)."""

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter

from usage.incoming.record import IncomingRecord

# A reading that changes more stores them in parts, so that memory has a bound.
MOST_HELD = 1000
# The first and the last wall clock of a window, as the `ts` of records.
WallClocks = tuple[str, str]


class HeldChanges:
    """The changes of one reading; without them a call with two values would change to and fro in each run.

    Where a call `keeps_id_in_retry`, the try that began last counts.
    """

    def __init__(self, *, keeps_id_in_retry: bool = False) -> None:
        self._rank = attrgetter("rank_of_retry" if keeps_id_in_retry else "rank")
        self._changes: list[tuple[IncomingRecord, IncomingRecord]] = []
        self._stored_as_they_came: set[str] = set()

    @property
    def is_full(self) -> bool:
        return len(self._changes) >= MOST_HELD

    def add(
        self, records: Iterable[IncomingRecord], changes: list[tuple[IncomingRecord, IncomingRecord]], asked: WallClocks
    ) -> None:
        """Keep the changes of a page, each as the stored record and the one that came, of all its records.

        `asked` are the first and the last wall clock of the window. A record from outside of it may still be given
        there, so it counts as one that came.
        """
        self._stored_as_they_came |= {record.request_id for record in records} - {new.request_id for _, new in changes}
        self._stored_as_they_came |= {old.request_id for old, _ in changes if not asked[0] <= old.ts <= asked[1]}
        self._changes += changes

    def take(self) -> list[IncomingRecord]:
        """The records that came, with the values of the highest rank that came for their call, and own prompts."""
        best: dict[str, IncomingRecord] = {}
        for old, new in self._changes:
            key = new.request_id
            came = [new, old] if key in self._stored_as_they_came else [new]
            best[key] = max(came if key not in best else [best[key], *came], key=self._rank)
        records = [_with_values(new, best[new.request_id]) for _, new in self._changes]
        self._changes = []
        self._stored_as_they_came |= best.keys()
        return records

    def clear(self) -> None:
        """Forget a reading that has ended."""
        self._changes = []
        self._stored_as_they_came = set()


def _with_values(record: IncomingRecord, values: IncomingRecord) -> IncomingRecord:
    return replace(
        record,
        amount=values.amount,
        model=values.model,
        client=values.client,
        ts=values.ts,
        agent_purpose=values.agent_purpose or record.agent_purpose,
        measures=values.measures,
    )
