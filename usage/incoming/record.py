"""The form in which a call reaches the archive, whatever its source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from usage.measures import Measures


@dataclass(frozen=True, slots=True)
class IncomingRecord:
    """One call from the source or from a file, converted to the archive's units.

    `amount` is in whole parts of the archive's unit, 0 where `measures` say that it is unknown; `ts` is
    `YYYY-MM-DD HH:MM:SS` in the server's zone. `measures` is None where the source gives nothing beside the amount.
    `prompt_truncated` is true where `prompt` is only the first part of the prompt. `prompt_given` is false where the
    source left the prompt out, true also for an empty one. `missing` names the fields that a file does not say, `ts`
    for its seconds, `credits` for its last decimals, `prompt` for one that is damaged, `instant` for that and the
    status of `measures`: a stored record keeps its own.
    `earlier_id` is the id under which it was stored if the source gave none then.
    """

    request_id: str
    amount: int
    model: str
    client: str
    ts: str
    prompt: str = ""
    prompt_truncated: bool = False
    agent_purpose: str = ""
    prompt_given: bool = field(default=True, compare=False)
    missing: frozenset[str] = frozenset()
    measures: Measures | None = None
    earlier_id: str = field(default="", compare=False)

    @property
    def rank(self) -> tuple[Any, ...]:
        """Of several values of one call, which no answer dates, those of the highest rank count."""
        of_measures = self.measures.rank if self.measures else ()
        return self.amount, self.ts, self.model, self.client, self.agent_purpose, of_measures

    @property
    def rank_of_retry(self) -> tuple[Any, ...]:
        """The same where a call that is tried again keeps its id: the try that began last counts."""
        at = self.measures.at if self.measures else None
        return (at.timestamp() if at else 0.0, *self.rank)


def with_last_values(records: Sequence[IncomingRecord], stored: frozenset[str]) -> Iterator[IncomingRecord]:
    """The records of a call with the values of its last one, but its first if it is new, and each with its own prompt.

    Else a page with several values of one call would change its record to and fro each time it is read.
    """
    last = {record.request_id: record for record in records}
    purposes = {record.request_id: record.agent_purpose for record in records if record.agent_purpose}
    seen = set(stored)
    for record in records:
        values = last[record.request_id]
        if values is not record and record.request_id in seen:
            names = ("amount", "model", "client", "ts", "measures")
            taken: dict[str, Any] = {name: getattr(values, name) for name in names}
            record = replace(record, agent_purpose=purposes.get(record.request_id, ""), **taken)
        seen.add(record.request_id)
        yield record


# The bits of `CallRow.missing`, by field.
MISSING = {
    "model": 1, "client": 2, "prompt_truncated": 4, "ts": 8, "agent_purpose": 16, "credits": 32, "prompt": 64,
    "instant": 128,
}  # fmt: skip


@cache
def missing_of(bits: int) -> frozenset[str]:
    """The value of `missing` for these bits."""
    return frozenset(name for name, bit in MISSING.items() if bits & bit)
