"""What packages cost, by the orders that paid for them. Pure functions."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from usage.packages.package import Key, Kind

# A package is granted so soon after its order, and a little before by another clock.
_AFTER, _BEFORE = timedelta(hours=2), timedelta(minutes=5)
# A cycle may begin a day early.
_EARLY = timedelta(days=1)


class Bought(NamedTuple):
    """A package that may have been paid for; `size` in parts of the unit."""

    key: Key
    kind: Kind
    size: int
    granted_at: datetime | None


class Paid(NamedTuple):
    """An order; `amount` in millionths of its currency."""

    paid_at: datetime
    amount: int
    currency: str
    months: int


class Price(NamedTuple):
    """What a package cost, in millionths of a currency."""

    amount: int
    currency: str


def prices(packages: Sequence[Bought], orders: Sequence[Paid]) -> Mapping[Key, Price]:
    """The price of each package that was granted with an order: the order's, shared by size where there are several.

    An order of months pays for the cycles of a plan that begin within them, each by the same part.
    """
    of_package: dict[Key, Price] = {}
    for order in sorted(orders):
        granted = [one for one in packages if one.key not in of_package and _is_of(one, order)]
        if not granted:
            continue
        if order.months:
            for one in granted:
                of_package[one.key] = Price(order.amount // order.months, order.currency)
            continue
        whole = sum(one.size for one in granted)
        for one in granted:
            share = order.amount * one.size // whole if whole else order.amount // len(granted)
            of_package[one.key] = Price(share, order.currency)
    return of_package


def _is_of(one: Bought, order: Paid) -> bool:
    if one.granted_at is None or one.kind is Kind.GIFT or (order.months > 0) is not (one.kind is Kind.PLAN):
        return False
    if one.granted_at < order.paid_at - _BEFORE:
        return False
    if order.months:
        return _months_after(order.paid_at, one.granted_at) < order.months
    return one.granted_at <= order.paid_at + _AFTER


def _months_after(paid_at: datetime, granted_at: datetime) -> int:
    """How many months after an order a cycle began; one that began some hours early counts as on time."""
    begun = granted_at + _EARLY
    months = (begun.year - paid_at.year) * 12 + begun.month - paid_at.month
    return months - (begun.day < paid_at.day)
