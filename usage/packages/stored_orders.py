"""Keeps the orders of archives (docs/decisions/collection.md#packages)."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from usage.models import Order, PackagesRead
from usage.packages.order import PARTS, Orders

# Orders of an archive that are kept.
MOST_KEPT = 1_000
# They are rare: so often they are asked for.
EVERY = timedelta(hours=20)


def are_due(archive_id: int, now: datetime) -> bool:
    """Whether orders were not asked for lately; where packages were never read, nothing says when they were."""
    read = PackagesRead.objects.filter(archive_id=archive_id).first()
    return read is None or read.orders_at is None or read.orders_at + EVERY <= now


def has_any(archive_id: int) -> bool:
    """Whether the archive has orders that are not gone."""
    return Order.objects.filter(archive_id=archive_id, gone_at=None).exists()


def note_asked(archive_id: int, at: datetime) -> None:
    """Note that orders were asked for, also where they were refused."""
    PackagesRead.objects.filter(archive_id=archive_id).update(orders_at=at)


def store(archive_id: int, orders: Orders) -> bool:
    """Keep what a source showed, in the caller's transaction; gives whether anything changed. Orders that it shows no
    more stay; where the list is whole, they are noted as gone: the money came back."""
    known = {one.order_id: one for one in Order.objects.filter(archive_id=archive_id)}
    room = MOST_KEPT - len(known)
    shown = [
        Order(
            archive_id=archive_id,
            order_id=each.order_id,
            paid_at=each.paid_at,
            amount=int(each.amount * PARTS),
            currency=each.currency,
            what=each.what,
            months=each.months,
        )
        for each in orders.seen
    ]
    new = [one for one in shown if one.order_id not in known][:room]
    changed = [one for one in shown if one.order_id in known and _facts(one) != _facts(known[one.order_id])]
    gone = _gone(known.values(), orders)
    Order.objects.bulk_create(new)
    for one in (*changed, *gone):
        one.save(force_update=True)
    return bool(new or changed or gone)


def _gone(known: Iterable[Order], orders: Orders) -> list[Order]:
    """The known orders that a whole list has no more, with the time."""
    if orders.whole_since is None:
        return []
    shown = {each.order_id for each in orders.seen}
    gone = [one for one in known if one.gone_at is None and one.order_id not in shown]
    gone = [one for one in gone if one.paid_at > orders.whole_since]
    for one in gone:
        one.gone_at = orders.asked_at
    return gone


def _facts(one: Order) -> tuple[object, ...]:
    return one.paid_at, one.amount, one.currency, one.what, one.months, one.gone_at
