"""Asking for the orders of an account, and reading them (docs/upstream.md#orders)."""

import json
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import secrets_of
from collection.sources.codebuddy.rows import good_payload
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.over_http.answer_json import object_of
from collection.sources.over_http.asking import Asking
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.unusable import broken, unknown_form
from collection.sources.source import UnusableAnswer
from usage.incoming.values import UnreadableRow, count, label, moment_of_years, number, request_id, text
from usage.packages.order import MOST_OF_AMOUNT, Orders, SeenOrder

ROUTE = "../pay/get-order-list"
# Orders and requests of one reading, and for how long orders are asked for.
LIMIT, MOST, MOST_REQUESTS = 100, 1_000, 20
SPAN = timedelta(days=3 * 365)
_A_DAY = timedelta(days=1)
# Those that are paid; the numbers are what the vendor's other lists call them.
_PAID = ("processing", "delivered", "finished")
_STATES = {*_PAID, "2", "3", "4", ""}
# Months of the units of time in which a plan is bought; what is bought once has another unit.
_MONTHS = {"m": 1, "y": 12}
_MOST_MONTHS = 120


def read(asking: Asking, settings: UpstreamSettings, now: datetime, *, are_known: bool) -> Orders:
    """The orders, newest first, by a request for each hundred, or for as many as come at once; where no answer counts
    them, until one brings no other.

    Raises SourceFailure and ReadingStopped.
    """
    zone = settings.upstream_zone
    start, end = (moment.astimezone(zone).replace(microsecond=0).isoformat() for moment in (now - SPAN, now))
    body: dict[str, object] = {
        "Limit": LIMIT,
        "PayMode": "prePay",
        "Status": list(_PAID),
        "OrderType": "desc",
        "CreateStartTime": start,
        "CreateEndTime": end,
    }
    found: dict[str, SeenOrder] = {}
    unreadable = 0
    offset, is_whole, is_counted = 0, False, True
    for _ in range(MOST_REQUESTS):
        asked = settings.request(json.dumps({**body, "Offset": offset}).encode(), ROUTE, of_enterprise=False)
        answer, asked_at = asking.ask(asked, tries=1)
        try:
            page = read_orders(answer, zone, settings.secrets)
        except UnusableAnswer:
            if is_counted or not found:
                raise
            # What comes after the last page has many forms.
            break
        new = {one.order_id: one for one in page.orders if one.order_id not in found}
        found |= new
        unreadable += page.unreadable
        offset += page.received
        is_counted = is_counted and page.total is not None
        is_whole = is_counted and page.received < LIMIT and offset >= (page.total or 0)
        if is_whole or not new or offset >= MOST:
            break
    if is_whole and not found and are_known:
        # That nothing at all was paid is more likely an answer that says nothing, unless it shows what was not paid.
        del body["Status"]
        asked = settings.request(json.dumps({**body, "Offset": 0}).encode(), ROUTE, of_enterprise=False)
        page = read_orders(asking.ask(asked, tries=1)[0], zone, settings.secrets)
        is_whole = page.total is not None and page.received > len(page.orders) == 0 and page.received >= page.total
    since = now - SPAN + _A_DAY if is_whole and are_known and not unreadable else None
    return Orders(list(found.values()), unreadable, asked_at, since)


class OrdersOfAnswer(NamedTuple):
    """The paid orders of an answer, how many could not be read, and how many groups it and the whole list have, None
    where it does not say.

    Where the source counts orders instead, pages overlap. Then, and without a count, no list is taken for whole.
    """

    orders: list[SeenOrder]
    unreadable: int
    received: int
    total: int | None


def read_orders(answer: Answer, zone: ZoneInfo, cookie: str) -> OrdersOfAnswer:
    """The paid orders of an answer. Raises SourceFailure."""
    payload = good_payload(answer, cookie)
    response = object_of(object_of(payload.get("data")).get("Response"))
    listed = response.get("Data")
    total = count(response.get("TotalCount"))
    if listed is None and (payload.get("data") is None or total == 0):
        return OrdersOfAnswer([], 0, 0, total)
    if not isinstance(listed, list):
        raise unknown_form(Message("rows_not_list"), payload, secrets_of(cookie))
    rows = [row for one in listed for row in _infos(one)]
    if len(rows) > MOST:
        raise broken(Message("rows_too_many", count=f"{MOST:,}"))
    found: dict[str, SeenOrder] = {}
    unreadable = 0
    for row in rows:
        if isinstance(row, dict) and text(row.get("Status")).strip().lower() not in _STATES:
            continue
        try:
            order = _read(row, zone)
        except UnreadableRow:
            unreadable += 1
        else:
            found.setdefault(order.order_id, order)
    return OrdersOfAnswer(list(found.values()), unreadable, len(listed), total)


def _infos(one: object) -> list[object]:
    found = one.get("OrderInfos") if isinstance(one, dict) else None
    return found if isinstance(found, list) else []


def _read(row: object, zone: ZoneInfo) -> SeenOrder:
    """Raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    pieces = count(row.get("GoodsNum"), 10**6) or 1
    unit = _MONTHS.get(text(row.get("TimeUnit")).strip().lower(), 0)
    months = (count(row.get("TimeSpan"), _MOST_MONTHS // unit) or 0) * unit if unit else 0
    name = label(row.get("SubProductCode")) or label(row.get("ProductCode"))
    return SeenOrder(
        order_id=request_id(row.get("OrderId")),
        paid_at=moment_of_years(row.get("CreateTime"), zone),
        amount=_amount(row),
        currency=text(row.get("Currency")).strip().upper()[:8] or "CNY",
        what=f"{name} × {pieces}" if pieces > 1 else name,
        months=months,
    )


def _amount(row: dict[str, object]) -> Decimal:
    """What was paid, in the currency: whole numbers are its hundredths, as in the vendor's prices.

    Raises UnreadableRow.
    """
    given = row.get("RealTotalCost")
    found = number(given)
    if found is None or not 0 <= found < MOST_OF_AMOUNT:
        raise UnreadableRow(Message("credit_not_number"))
    return found if "." in text(given) else found / 100
