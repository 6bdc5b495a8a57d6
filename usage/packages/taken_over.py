"""Taking over packages and orders that another archive kept (docs/decisions/collection.md#packages)."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial

from usage.models import Order, Package, PackageReading, PackagesRead
from usage.packages import stored_orders, stored_packages


def take_package(archive_id: int, package: Package, readings: Sequence[PackageReading]) -> None:
    """Keep a package with its course, in the caller's transaction, unless the archive has it or no room for it.

    What was used of it before the archive read packages itself is no matter of its balance.
    """
    own = Package.objects.filter(archive_id=archive_id)
    if own.filter(resource_id=package.resource_id, cycle=package.cycle).exists():
        return
    if own.count() >= stored_packages.MOST_KEPT:
        return
    if read := PackagesRead.objects.filter(archive_id=archive_id).first():
        _leave_out_before(read.first_at, package, readings)
    package.archive_id = archive_id
    package.save(force_insert=True)
    for reading in readings:
        reading.archive_id = archive_id
    PackageReading.objects.bulk_create(readings)


def _leave_out_before(start: datetime, package: Package, readings: Sequence[PackageReading]) -> None:
    before = [one for one in readings if one.read_at <= start]
    if before:
        package.entered = max(before, key=lambda one: one.read_at).left
    if package.changed_at and package.changed_at <= start:
        package.changed_by = 0


def take_order(archive_id: int, order: Order) -> None:
    """Keep an order, in the caller's transaction, unless the archive has it or no room for it."""
    own = Order.objects.filter(archive_id=archive_id)
    if not own.filter(order_id=order.order_id).exists() and own.count() < stored_orders.MOST_KEPT:
        order.archive_id = archive_id
        order.save(force_insert=True)


def take_times(archive_id: int, read: PackagesRead) -> None:
    """Note when packages were read, unless the archive has read its own. Comes last."""
    PackagesRead.objects.get_or_create(
        archive_id=archive_id, defaults={"first_at": read.first_at, "read_at": read.read_at, "orders_at": None}
    )


def steps(from_id: int, archive_id: int) -> Iterator[Callable[[], None]]:
    """What takes all packages and orders of one archive over into another one, each to be called in a transaction."""
    for package in Package.objects.filter(archive_id=from_id):
        own = PackageReading.objects.filter(archive_id=from_id, resource_id=package.resource_id, cycle=package.cycle)
        yield partial(take_package, archive_id, package, list(own))
    for order in Order.objects.filter(archive_id=from_id):
        yield partial(take_order, archive_id, order)
    for read in PackagesRead.objects.filter(archive_id=from_id):
        yield partial(take_times, archive_id, read)
