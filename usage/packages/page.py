"""The page of the packages of credits (docs/api.md#pages)."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.compression import compressed
from usage import rates
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.packages.api_types import PackageItem, PackagesOfArchive
from usage.packages.orders_now import orders_now
from usage.packages.package import Kind, State
from usage.packages.packages_now import packages_now
from usage.record_payloads import amount, figure

KINDS: dict[str, str | Promise] = {
    Kind.PLAN: _("Plan"),
    Kind.ADD_ON: pgettext_lazy("package", "Bought beside"),
    Kind.GIFT: pgettext_lazy("package", "Gift"),
}
STATES: dict[str, str | Promise] = {
    State.VALID: pgettext_lazy("package", "valid"),
    State.USED_UP: pgettext_lazy("package", "used up"),
    State.EXPIRED: pgettext_lazy("package", "expired"),
    State.REFUNDED: pgettext_lazy("package", "refunded"),
}
# Orders that the page has.
MOST_ORDERS = 50
# The drawing of a course, in its own units.
WIDTH, HEIGHT = 100, 24


@compressed
@signed_in_page
def page(request: AccountRequest) -> HttpResponse:
    """What is left, package by package, what was lost, and how that fits the calls."""
    archive_id = archives.of_page(request)
    found, unit, now = packages_now(archive_id), unit_of(archive_id), clock.local_time(clock.now())
    items = [_item(one, unit, now) for one in found.items]
    context = {
        "found": found,
        "valid": [one for one in items if one["is_valid"]],
        "over": [one for one in items if not one["is_valid"]],
        "left": amount(found.left, unit),
        "expiring": [(int(days), amount(left, unit)) for days, left in found.expiring.items()],
        "lost": [(lost.month, figure(lost.amount, unit)) for lost in found.lost],
        "balance": _balance(found, unit),
        "credit_prices": [(one.month, f"{one.amount:,.4f}", one.currency) for one in found.credit_prices],
        **_rate(archive_id, found),
        **_orders(archive_id),
    }
    return render(request, "packages.html", context)


def _rate(archive_id: int, found: PackagesOfArchive) -> dict[str, object]:
    """The rate of the archive, and the newest price of a credit where that is another one and may be the rate."""
    rate = rates.rates_of([archive_id]).get(archive_id)
    context: dict[str, object] = {"rate": rate, "archive_id": archive_id}
    for newest in found.credit_prices[:1]:
        price = rates.Rate(Decimal(f"{newest.amount:.6f}").normalize(), newest.currency)
        if price != rate and price.unit in rates.MONEY and price.amount > 0:
            context["newest_price"] = price.text, price.unit
    return context


def _orders(archive_id: int) -> dict[str, object]:
    found = orders_now(archive_id)
    return {
        "orders": [
            {
                "what": one.what,
                "paid_at": one.paid_at,
                "amount": f"{one.amount:,.2f}",
                "currency": one.currency,
                "state": STATES[State.REFUNDED] if one.gone_at else "",
            }
            for one in found.items[:MOST_ORDERS]
        ],
        "more_orders": max(0, len(found.items) - MOST_ORDERS),
        "totals": [(f"{one.amount:,.2f}", one.currency) for one in found.totals],
    }


def _item(one: PackageItem, unit: Unit, now: datetime) -> dict[str, object]:
    is_valid = one.state == State.VALID
    return {
        "id": one.resource_id,
        "name": one.name or one.resource_id,
        "kind": KINDS[one.kind],
        "state": STATES[one.state],
        "is_valid": is_valid,
        "size": figure(one.size, unit),
        "left": figure(one.left, unit),
        "granted_at": one.granted_at,
        "expires_at": one.expires_at,
        "changed_at": one.changed_at,
        "price": f"{one.price.amount:,.2f} {one.price.currency}" if one.price else "",
        "of_one": f"{one.price.amount / one.size:,.4f} {one.price.currency}" if one.price and one.size > 0 else "",
        # What is lost of one that ends soon is worth a word, a rest of rounding is not.
        "unused": figure(one.unused, unit) if one.unused is not None else None,
        "is_wasted": one.unused is not None and one.unused >= max(one.size / 100, 0.01),
        "course": _course(one, now),
        "readings": [
            {
                "at": each.read_at,
                "size": figure(each.size, unit),
                "left": figure(each.left, unit),
            }
            for each in reversed(one.readings)
        ],
    }


def _course(one: PackageItem, now: datetime) -> str:
    """The points of a line of what was left from the first reading until now, or the end if that was before."""
    first = datetime.fromisoformat(one.readings[0].read_at) if one.readings else now
    end = min(now, datetime.fromisoformat(one.expires_at)) if one.expires_at else now
    span = (end - first).total_seconds()
    most = max((each.size for each in one.readings), default=0)
    if span <= 0 or most <= 0:
        return ""
    points: list[tuple[float, float]] = []
    for each in one.readings:
        across = min(max((datetime.fromisoformat(each.read_at) - first).total_seconds() / span, 0), 1) * WIDTH
        points.append((across, HEIGHT - min(max(each.left / most, 0), 1) * HEIGHT))
    points.append((WIDTH, points[-1][1]))
    return " ".join(f"{across:.1f},{down:.1f}" for across, down in points)


def _balance(found: PackagesOfArchive, unit: Unit) -> dict[str, str] | None:
    balance = found.balance
    if balance is None:
        return None
    names: Sequence[str] = ("granted", "changed", "left", "lost", "used", "archived", "difference")
    return {"since": balance.since, **{name: figure(getattr(balance, name), unit) for name in names}}
