"""What was paid for packages (docs/api.md#orders)."""

from collections import Counter

from archive_site.lib import clock
from usage.models import Order
from usage.packages import api_types as types
from usage.packages.order import PARTS


def orders_now(archive_id: int) -> types.OrdersOfArchive:
    """The orders of an archive, and the sums of those that are not gone. One query."""
    orders = list(Order.objects.filter(archive_id=archive_id).order_by("-paid_at", "order_id"))
    sums = Counter[str]()
    for one in orders:
        if one.gone_at is None:
            sums[one.currency] += one.amount
    return types.OrdersOfArchive(
        items=[
            types.OrderItem(
                order_id=one.order_id,
                paid_at=clock.local_text(one.paid_at),
                amount=one.amount / PARTS,
                currency=one.currency,
                what=one.what,
                gone_at=clock.local_text(one.gone_at),
            )
            for one in orders
        ],
        totals=[types.Money(currency, amount / PARTS) for currency, amount in sorted(sums.items())],
    )
