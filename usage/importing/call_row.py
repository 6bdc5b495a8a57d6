"""A row of a file as an import takes it, or leaves it out."""

import json
from typing import NamedTuple

from archive_site.lib.stored_message import Message
from usage import measures_form
from usage.incoming.record import IncomingRecord, missing_of

# Characters of a cell that are shown.
_VALUE_SHOWN = 40
# Why a row is left out that is not whole.
_OF_CUT_ROWS = frozenset(
    {"row_too_short", "row_not_csv", "credit_not_number", "credit_empty", "time_unreadable", "time_empty"}
)


class CallRow(NamedTuple):
    """One call, in the columns in which it waits to be compared or stored.

    `missing` has the bits of what its source does not say (`usage.incoming.record`), `measures` those of the file of an
    account as JSON, empty for none. A tuple, because a million of them
    are made, and they go into a table as they are.
    """

    request_id: str
    credits: int
    model: str
    client: str
    ts: str
    prompt: str
    truncated: bool | int
    purpose: str
    missing: int
    measures: str = ""

    def record(self) -> IncomingRecord:
        """The call in the form in which it reaches the archive."""
        request_id, credits, model, client, ts, prompt, truncated, purpose, missing, measures = self
        return IncomingRecord(
            request_id,
            credits,
            model,
            client,
            ts,
            prompt,
            bool(truncated),
            purpose,
            missing=missing_of(missing),
            measures=measures_form.read(json.loads(measures)) if measures else None,
        )


class LeftOut(NamedTuple):
    """Why a row is left out; with the column and the beginning of the cell that is the reason, where it is one."""

    why: Message
    column: str = ""
    value: str = ""

    def reason(self) -> Message:
        if not self.column:
            return self.why
        return Message("import_cell", column=shown(self.column), value=self.value, why=self.why)

    def at_the_end(self) -> "LeftOut":
        """The same of the last row of a file, whose last line has no end."""
        return self._replace(why=Message("row_may_be_cut", why=self.why)) if self.why.code in _OF_CUT_ROWS else self


def shown(value: str, around: int = 0) -> str:
    """The part of a cell that is shown: from its beginning, or around a place in it."""
    start = max(0, around - _VALUE_SHOWN // 2)
    part = value[start : start + _VALUE_SHOWN]
    return f"{'…' if start else ''}{part}{'…' if start + len(part) < len(value) else ''}"
