"""Packages and orders of an archive, for tests of files that have them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from usage.models import Order, Package, PackageReading, PackagesRead
from usage.packages import stored_orders, stored_packages
from usage.packages.order import Orders, SeenOrder
from usage.packages.package import Key, Kind, Packages, SeenPackage, State

FIRST = datetime(2026, 9, 1, 8, tzinfo=UTC)
MODELS = (Package, PackageReading, Order, PackagesRead)
ALL_OF_IT = {model: [field.name for field in model._meta.concrete_fields][1:] for model in MODELS}


def seen(name: str, left: int, *, size: int = 1_000_000_000, state: State = State.VALID) -> SeenPackage:
    return SeenPackage(
        key=Key(name, "2026-09" if name == "plan" else ""),
        code=f"code-{name}",
        name=f"{name} 积分包",
        kind=Kind.PLAN if name == "plan" else Kind.GIFT,
        size=size,
        left=left,
        used=None if name == "plan" else size - left,
        granted_at=FIRST - timedelta(days=10),
        expires_at=None if name == "plan" else FIRST + timedelta(days=30),
        state=state,
        renews=True if name == "plan" else None,
    )


def keep_packages(archive_id: int, first: datetime = FIRST, names: tuple[str, ...] = ("plan", "gift", "old")) -> None:
    """Keep packages that were read three times, one of them used up, and two orders, one of them refunded."""
    for hours, left in ((0, 900_000_000), (5, 700_000_000), (30, 0)):
        packages = [
            seen(name, 0 if name == "old" and not left else max(left, 250_000_000), size=10**9 + hours * 10**7)
            for name in names
        ]
        looked_for = [one.key for one in packages]
        stored_packages.store(archive_id, Packages(packages, looked_for, 0, first + timedelta(hours=hours)))
    orders = [
        SeenOrder("o-1", first, Decimal("19.9"), "CNY", "plan", 1),
        SeenOrder("o-2", first + timedelta(hours=2), Decimal(6), "CNY", "gift"),
    ]
    stored_orders.store(archive_id, Orders(orders, 0, first))
    stored_orders.store(
        archive_id, Orders(orders[:1], 0, first + timedelta(days=1), whole_since=first - timedelta(days=90))
    )


def kept_packages(archive_id: int) -> list[Any]:
    """All that is kept of packages and orders."""
    return [
        [
            [str(value) for value in row]
            for row in model.objects.filter(archive_id=archive_id).order_by("pk").values_list(*names)
        ]
        for model, names in ALL_OF_IT.items()
    ]
