"""What packages cost, by the orders that paid for them. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import NamedTuple

from usage.packages.package import Key, Kind

# A package is granted so soon after its order, and a little before by another clock.
_AFTER, _BEFORE = timedelta(hours=2), timedelta(minutes=5)
# A cycle may begin a day before it is paid.
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

    An order of months pays for the cycles of plans that begin within them, each month by the same part. Orders of one
    instant are one. One that pays for nothing in this way pays for what was granted with it, whatever its unit of time.
    """
    granted: dict[Paid, list[Bought]] = defaultdict(list)
    paid = _joined(orders)
    # The orders with which a plan began, or went on.
    of_plan: dict[str, set[Paid]] = defaultdict(set)
    for one in packages:
        of_plan[one.key.resource_id].update(order for order in paid if _is_of(one, order) and _is_soon(one, order))
    for one in packages:
        if fitting := [order for order in paid if _is_of(one, order)]:
            own = [order for order in fitting if order in of_plan[one.key.resource_id]]
            # Only a plan may go on with an order at another time.
            if own or one.kind is Kind.PLAN or not _goes_by_cycles(one):
                granted[_nearest(one, own or fitting)].append(one)
    of_package = _shared(granted)
    rest = [order._replace(months=0) for order in paid if order not in granted]
    with_others: dict[Paid, list[Bought]] = defaultdict(list)
    for one in packages:
        if one.key not in of_package and (fitting := [order for order in rest if _is_with(one, order)]):
            with_others[_nearest(one, fitting)].append(one)
    return {**_shared(with_others), **of_package}


def _shared(granted: Mapping[Paid, Sequence[Bought]]) -> dict[Key, Price]:
    """The price of each of these packages: of an order of months, the part of its month."""
    of_package: dict[Key, Price] = {}
    for order, bought in granted.items():
        by_month: dict[int, list[Bought]] = defaultdict(list)
        for one in bought:
            begun = one.granted_at if order.months else None
            by_month[_months_after(order.paid_at, begun) if begun else 0].append(one)
        for alike in by_month.values():
            whole = sum(one.size for one in alike)
            for one in alike:
                share = Fraction(one.size, whole) if whole else Fraction(1, len(alike))
                of_package[one.key] = Price(round(order.amount * share / max(1, order.months)), order.currency)
    return of_package


def _joined(orders: Sequence[Paid]) -> Sequence[Paid]:
    """Orders of the same instant, as of one purchase, in one."""
    sums = Counter[tuple[datetime, str, int]]()
    for one in orders:
        sums[one.paid_at, one.currency, one.months] += one.amount
    return [Paid(paid_at, amount, currency, months) for (paid_at, currency, months), amount in sums.items()]


def _nearest(one: Bought, orders: Sequence[Paid]) -> Paid:
    """The last of these orders before a package was granted; the first after it where the other clock is late."""
    before = [order for order in orders if one.granted_at and order.paid_at <= one.granted_at]
    return max(before) if before else min(orders)


def _is_soon(one: Bought, order: Paid) -> bool:
    return one.granted_at is not None and one.granted_at <= order.paid_at + _AFTER


def _goes_by_cycles(one: Bought) -> bool:
    """Whether it is one cycle of what is paid for months."""
    return one.kind is Kind.PLAN or (one.kind is Kind.ADD_ON and one.key.cycle != "")


def _is_of(one: Bought, order: Paid) -> bool:
    if (order.months > 0) is not _goes_by_cycles(one):
        return False
    if order.months and one.granted_at is not None:
        return 0 <= _months_after(order.paid_at, one.granted_at) < order.months
    return _is_with(one, order)


def _is_with(one: Bought, order: Paid) -> bool:
    """Whether a package that may have been paid for was granted at about the time of an order."""
    if one.granted_at is None or one.kind is Kind.GIFT:
        return False
    before = _EARLY if one.kind is Kind.PLAN else _BEFORE
    return one.granted_at >= order.paid_at - before and _is_soon(one, order)


def _months_after(paid_at: datetime, granted_at: datetime) -> int:
    """How many months after an order a cycle began; one that began some hours early counts as on time."""
    begun = granted_at + _EARLY
    months = (begun.year - paid_at.year) * 12 + begun.month - paid_at.month
    return months - (begun.day < paid_at.day)
