"""What sources give of a call beside its amount (docs/decisions/records.md#amounts-are-whole-numbers)."""

from dataclasses import astuple, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Provenance(StrEnum):
    """Where the amount of a call comes from.

    `billed`: taken from the payer, 0 included. `included`: covered by a plan. `estimated`: tokens times a list of
    prices, whoever computed it. `unknown`: there is no amount. Their order stays: it is how they are stored.
    """

    BILLED = "billed"
    INCLUDED = "included"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """How a call ended. A refund takes an amount back, as a row of its own. Their order stays: it is how they are
    stored."""

    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"
    REFUND = "refund"


class What(StrEnum):
    """What a payer counts of a day (docs/decisions/collection.md#proofs); only answered calls count."""

    CALLS = "calls"
    AMOUNT = "amount"
    TOKENS_IN = "tokens_in"
    TOKENS_OUT = "tokens_out"
    CACHE_READ = "cache_read"
    CACHE_WRITE = "cache_write"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a call; no token counts twice."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Measures:
    """What a source gives of a call beside its amount; `at` is its aware instant in UTC.

    A `young` one may be filled in by its service (docs/decisions/files.md#rows-without-ids).
    """

    provenance: Provenance = Provenance.BILLED
    tokens: Tokens | None = None
    at: datetime | None = None
    status: Status = Status.OK
    young: bool = field(default=False, compare=False)

    @property
    def rank(self) -> tuple[Any, ...]:
        """As `rank` of a record; billed is the highest provenance."""
        tokens = astuple(self.tokens) if self.tokens else ()
        at = self.at.timestamp() if self.at else 0.0
        return -list(Provenance).index(self.provenance), tokens, at, -list(Status).index(self.status)


# What the record of a source has that gives nothing beside the amount.
NO_MEASURES = Measures()
