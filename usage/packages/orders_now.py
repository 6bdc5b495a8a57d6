"""What was paid for packages (docs/api.md#orders)."""

from collections import Counter

from archive_site.lib import clock
from usage.models import Order
from usage.packages import api_types as types
from usage.packages.order import PARTS


def orders_now(archive_id: int) -> types.OrdersOfArchive:
    """The orders of an archive, and their sums. One query."""
    orders = list(Order.objects.filter(archive_id=archive_id).order_by("-paid_at", "order_id"))
    sums = Counter[str]()
    for one in orders:
        sums[one.currency] += one.amount
    return types.OrdersOfArchive(
        items=[
            types.OrderItem(one.order_id, clock.local_text(one.paid_at), one.amount / PARTS, one.currency, one.what)
            for one in orders
        ],
        totals=[types.Money(currency, amount / PARTS) for currency, amount in sorted(sums.items())],
    )
