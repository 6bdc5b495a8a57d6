"""What is left of an archive's packages, when it expires, and what was lost (docs/api.md#packages)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Min

from archive_site.lib import clock
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.forecast.known_days import known_days
from usage.forecast.likely_sums import usual_hours
from usage.models import Order, Package, PackageReading, PackagesRead
from usage.packages import api_types as types
from usage.packages.consumption import spent
from usage.packages.going_on import LONGEST, Outlook, Usable, outlook
from usage.packages.order import PARTS
from usage.packages.package import Key, Kind, State, state_of
from usage.packages.prices import Bought, Paid, Price, prices

# Packages with their course, and readings of each, in one answer.
MOST_COURSES, MOST_READINGS = 100, 50
_NEVER = datetime.max


class Shown:
    """A package with its state of now."""

    def __init__(self, row: Package, now: datetime) -> None:
        self.row = row
        self.state = state_of(State(row.state), row.left, row.expires_at, now)
        # Naive and local, as pages and answers have it.
        self.ends = clock.local_time(row.expires_at) if row.expires_at else None

    @property
    def key(self) -> Key:
        return Key(self.row.resource_id, self.row.cycle)


@dataclass(frozen=True)
class Likely:
    """The packages of an archive, of which the valid ones come first to end first, and how they will be used up."""

    read: PackagesRead | None
    shown: Sequence[Shown]
    valid: Sequence[Shown]
    outlook: Outlook

    def is_read_since(self, since: datetime) -> bool:
        return self.read is not None and self.read.read_at >= since


def likely(archive_id: int) -> Likely:
    """The packages of an archive with what is likely. Five queries."""
    now = clock.now()
    read = PackagesRead.objects.filter(archive_id=archive_id).first()
    shown = [Shown(row, now) for row in Package.objects.filter(archive_id=archive_id)] if read else []
    valid = sorted((one for one in shown if one.state is State.VALID), key=lambda one: (one.ends or _NEVER, one.key))
    return Likely(read, shown, valid, _outlook(archive_id, valid, clock.local_time(now)))


def packages_now(archive_id: int) -> types.PackagesOfArchive:
    """What is left, package by package, and what was lost. Eight queries at most."""
    now, unit, found = clock.now(), unit_of(archive_id), likely(archive_id)
    read, shown, valid = found.read, found.shown, found.valid
    over = [one for one in shown if one.state is not State.VALID]
    over.sort(key=lambda one: (one.ends or _NEVER, one.key), reverse=True)
    lasts_until = found.outlook.lasts_until
    paid = _prices(archive_id, shown) if shown else {}
    courses = _courses(archive_id, [*valid, *over][:MOST_COURSES], unit)
    unused = {one.key: found.outlook.unused.get(place) for place, one in enumerate(valid)}
    return types.PackagesOfArchive(
        items=[
            _item(one, unit, unused.get(one.key), courses.get(one.key, []), paid.get(one.key))
            for one in (*valid, *over)
        ],
        left=unit.number(sum(one.row.left for one in valid)),
        expiring={str(days): unit.number(_expiring(valid, now + timedelta(days=days))) for days in types.AHEAD},
        credit_prices=_credit_prices(shown, paid, unit),
        lost=[types.LostCredits(month, unit.number(amount)) for month, amount in _lost(archive_id, shown)],
        read_at=clock.local_text(read.read_at) if read else None,
        lasts_until=lasts_until.isoformat(" ", "seconds") if lasts_until else None,
        balance=_balance(archive_id, read, shown, unit) if read else None,
    )


def _outlook(archive_id: int, valid: Sequence[Shown], now: datetime) -> Outlook:
    if not valid:
        return Outlook(None)
    days = known_days(archive_id, now.date())
    usable = [Usable(Kind(one.row.kind), one.row.left, one.ends) for one in valid]
    return outlook(usable, usual_hours(days, now, (now + LONGEST).date()))


def _courses(
    archive_id: int, shown: Sequence[Shown], unit: Unit
) -> Mapping[tuple[str, str], list[types.ReadingOfPackage]]:
    """The newest readings of these packages, oldest first."""
    found: dict[tuple[str, str], list[types.ReadingOfPackage]] = defaultdict(list)
    names, cycles = {one.row.resource_id for one in shown}, {one.row.cycle for one in shown}
    readings = PackageReading.objects.filter(archive_id=archive_id, resource_id__in=names, cycle__in=cycles)
    for one in readings.order_by("resource_id", "cycle", "-read_at").iterator():
        own = found[one.resource_id, one.cycle]
        if len(own) < MOST_READINGS:
            size, left = unit.number(one.size), unit.number(one.left)
            own.append(types.ReadingOfPackage(clock.local_text(one.read_at), size, left, one.state))
    return {key: own[::-1] for key, own in found.items()}


def _prices(archive_id: int, shown: Sequence[Shown]) -> Mapping[Key, Price]:
    paid = Order.objects.filter(archive_id=archive_id, gone_at=None)
    rows = paid.values_list("paid_at", "amount", "currency", "months")
    bought = [Bought(one.key, Kind(one.row.kind), one.row.size, one.row.granted_at) for one in shown]
    return prices(bought, [Paid(*row) for row in rows])


def _credit_prices(shown: Sequence[Shown], paid: Mapping[Key, Price], unit: Unit) -> list[types.PriceOfCredits]:
    """What a credit cost, by month of the grant and currency."""
    amounts, sizes = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for one in shown:
        price, granted_at = paid.get(one.key), one.row.granted_at
        if price and granted_at and one.row.size > 0 and one.state is not State.REFUNDED:
            month = f"{clock.local_time(granted_at):%Y-%m}", price.currency
            amounts[month] += price.amount
            sizes[month] += one.row.size
    return [
        types.PriceOfCredits(*month, round(amounts[month] / PARTS / (sizes[month] / unit.one), 6))
        for month in sorted(amounts, reverse=True)
    ]


def _item(
    one: Shown, unit: Unit, unused: float | None, readings: Sequence[types.ReadingOfPackage], price: Price | None
) -> types.PackageItem:
    row = one.row
    return types.PackageItem(
        resource_id=row.resource_id,
        name=row.name,
        kind=row.kind,
        size=unit.number(row.size),
        left=unit.number(row.left),
        granted_at=clock.local_text(row.granted_at),
        expires_at=clock.local_text(row.expires_at),
        state=one.state.value,
        changed_at=clock.local_text(row.changed_at),
        price=types.PriceOfPackage(price.amount / PARTS, price.currency) if price else None,
        read_at=clock.local_text(row.read_at),
        unused=None if unused is None else unit.number(round(unused)),
        readings=list(readings),
    )


def _expiring(valid: Sequence[Shown], until: datetime) -> int:
    return sum(one.row.left for one in valid if one.row.expires_at is not None and one.row.expires_at <= until)


def _lost(archive_id: int, shown: Sequence[Shown]) -> list[tuple[str, int]]:
    """What was left at the end of packages, by month."""
    by_month = Counter[str]()
    lost = [one for one in shown if one.state is State.EXPIRED and one.row.left > 0]
    early = _seen_expired(archive_id) if any(map(_may_have_ended_early, lost)) else {}
    for one in lost:
        # One without an end, or that ended before it, was lost when it was seen to be.
        seen = clock.local_time(early.get(one.key, one.row.read_at))
        ended = min(one.ends or seen, seen) if one.key in early else one.ends or seen
        by_month[f"{ended:%Y-%m}"] += one.row.left
    return sorted(by_month.items(), reverse=True)


def _may_have_ended_early(one: Shown) -> bool:
    """Whether the source may have said that a package has ended before its end came."""
    return one.row.is_over and one.row.expires_at is not None and one.row.read_at < one.row.expires_at


def _seen_expired(archive_id: int) -> Mapping[Key, datetime]:
    """When each package of an archive was first seen to have ended."""
    ended = PackageReading.objects.filter(archive_id=archive_id, state=State.EXPIRED).values_list(
        "resource_id", "cycle"
    )
    return {Key(name, cycle): first for name, cycle, first in ended.annotate(first=Min("read_at"))}


def _balance(archive_id: int, read: PackagesRead, shown: Sequence[Shown], unit: Unit) -> types.BalanceOfPackages:
    """The packages' own account of the time since they were first read, beside that of the calls."""
    shown = [one for one in shown if one.row.expires_at is None or one.row.expires_at > read.first_at]
    granted = sum(one.row.entered for one in shown)
    taken_back = sum(one.row.left for one in shown if one.state is State.REFUNDED)
    changed = sum(one.row.changed_by for one in shown) - taken_back
    left = sum(one.row.left for one in shown if one.state in (State.VALID, State.USED_UP))
    lost = sum(one.row.left for one in shown if one.state is State.EXPIRED)
    used, archived = granted + changed - left - lost, spent(archive_id, read.first_at, read.read_at)
    return types.BalanceOfPackages(
        since=clock.local_text(read.first_at),
        granted=unit.number(granted),
        changed=unit.number(changed),
        left=unit.number(left),
        lost=unit.number(lost),
        used=unit.number(used),
        archived=unit.number(archived),
        difference=unit.number(used - archived),
    )
