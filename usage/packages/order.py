"""An order as a source shows it: money that was paid for packages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

# Amounts are kept in whole parts of this.
PARTS = 1_000_000
MOST_OF_AMOUNT = Decimal(10**9)


@dataclass(frozen=True)
class SeenOrder:
    """An order that was paid at the aware instant `paid_at`: an amount of a currency, for this many `months`, 0 where
    it is for none."""

    order_id: str
    paid_at: datetime
    amount: Decimal
    currency: str
    what: str
    months: int = 0


@dataclass(frozen=True)
class Orders:
    """What a source showed at the aware instant `asked_at`; `unreadable` counts those that could not be read.

    `whole_since`: all that were paid after this instant are among them; None where some may be missing.
    """

    seen: Sequence[SeenOrder]
    unreadable: int
    asked_at: datetime
    whole_since: datetime | None = None
