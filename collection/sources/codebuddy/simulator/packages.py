"""The simulated upstream's packages of credits and orders: those of an account, and the answers about them.

The calls of an account use its packages up, the earliest end first, at equal ends plans before gifts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal
from uuid import uuid4
from zoneinfo import ZoneInfo

from collection.sources.codebuddy.simulator.answers import CLOCK, Json, Moment, html_reply, json_reply, refusal
from collection.sources.codebuddy.simulator.data import SimulatedCall
from collection.sources.over_http.simulator_server import Reply
from usage.amounts.units import CREDITS

PLAN, GIFT, ADD_ON = 4, 1, 2
VALID, REFUNDED, EXPIRED, USED_UP = range(4)
ROUTE = "get-user-resource"
PAID, FREE = f"{ROUTE}-paid-packages", f"{ROUTE}-free-packages"
ORDERS = "get-order-list"
MEMBER = "get-enterprise-user-usage"
ROUTES = (ROUTE, PAID, FREE, MEMBER)
_NOTHING = Decimal(0)
_LEAST = Decimal(1).scaleb(-CREDITS.digits)


@dataclass
class SimulatedPackage:
    """One package of `size` credits; `begins` and `ends` are naive wall clock. A plan has months, each of this size.

    `taken` are credits that the vendor took back by itself; `is_refunded` packages are over.
    """

    resource_id: str
    code: str
    name: str
    type: int
    size: Decimal
    begins: datetime
    ends: datetime
    taken: Decimal = _NOTHING
    is_refunded: bool = False

    def grants(self, wall: datetime) -> Iterator["_Grant"]:
        """The package's spans with credits that have begun, oldest first: of a plan its months."""
        if self.type != PLAN:
            yield _Grant(self, self.begins, self.ends, self.size - self.taken)
            return
        begin = self.begins
        while begin <= wall and begin < self.ends:
            end = min(_next_month(begin), self.ends)
            is_present = end > wall
            yield _Grant(self, begin, end - timedelta(seconds=1), self.size - (self.taken if is_present else 0))
            begin = end


@dataclass
class SimulatedOrder:
    """An order of some `pieces`, of `months` or of `years`; `created` is naive wall clock, `amount` the text that is
    sent."""

    order_id: str
    created: datetime
    amount: str
    product: str = "sp_sim_pack"
    currency: str = "CNY"
    status: str = "finished"
    pieces: int = 1
    months: int = 0
    years: int = 0


@dataclass
class _Grant:
    package: SimulatedPackage
    begins: datetime
    ends: datetime
    left: Decimal

    @property
    def order(self) -> tuple[datetime, bool, str]:
        return self.ends, self.package.type == GIFT, self.package.resource_id

    def status(self, wall: datetime) -> int:
        if self.package.is_refunded:
            return REFUNDED
        if self.ends < wall:
            return EXPIRED
        return VALID if self.left > 0 or self.package.type == PLAN else USED_UP


@dataclass
class Shelf:
    """The packages of one account, and the quirks of the answers about them.

    `form` is that of the listing; `outdated` routes answer with a page 401; `is_member`: of an enterprise, which has
    none of its own. `texts`: codes and counts come as texts. `data_null`: an answer has no data. `most_orders` come at
    once, however many are asked for, and the number of all is not said where they are `uncounted`. `unshown` are ids of
    packages that are used, and shown nowhere. For as long as `ended_stay` the listing shows what has ended as valid, of
    a plan in place of its next month.
    """

    packages: list[SimulatedPackage] = field(default_factory=list)
    orders: list[SimulatedOrder] = field(default_factory=list)
    form: Literal["response", "plain", "resources"] = "response"
    outdated: set[str] = field(default_factory=set)
    is_member: bool = False
    texts: bool = False
    data_null: bool = False
    most_orders: int = 100
    uncounted: bool = False
    unshown: set[str] = field(default_factory=set)
    ended_stay: timedelta = timedelta(0)

    def answer(
        self, route: str, body: Json, headers: dict[str, str], calls: Sequence[SimulatedCall], moment: Moment
    ) -> Reply:
        """The answer to a request, after the calls so far."""
        wall = moment.wall
        if route == ORDERS:
            return self._orders(body, wall)
        if route == MEMBER:
            return self._member(headers, wall)
        if route in self.outdated:
            return html_reply(401, "401 Authorization Required")
        if self.data_null:
            return _good(None)
        shown, at = self._of_all(calls, wall), wall
        if route == ROUTE:
            at = wall - self.ended_stay
            shown = self._of_now(calls, wall, at)
        wanted = body.get("Status", [VALID])
        shown = [
            grant for grant in shown
            if grant.status(at) in wanted and grant.package.resource_id not in self.unshown
        ]  # fmt: skip
        if self.is_member or "x-enterprise-id" in headers:
            shown = []
        if route != ROUTE:
            codes = body.get("PackageCodes")
            if not isinstance(codes, list) or not codes:
                return refusal(400, 10001, "invalid parameters")
            # Codes of the other route are dropped without a word.
            shown = [
                grant for grant in shown
                if grant.package.code in codes and (grant.package.type == GIFT) == (route == FREE)
            ]  # fmt: skip
        number, size = int(body.get("PageNumber", 1)), min(int(body.get("PageSize", 100)), 200)
        page = shown[(number - 1) * size : number * size]
        if self.form == "resources" and route == ROUTE:
            return _good({"resources": [_resource(grant) for grant in page]})
        accounts: Json = {
            "TotalCount": str(len(shown)) if self.texts else len(shown),
            "Accounts": [_account(grant, moment.zone, at) for grant in page],
        }
        if self.form == "response" and route == ROUTE:
            accounts = {"Response": {"Data": {**accounts, "TotalDosage": 0}}}
        return _good(accounts, "0" if self.texts else 0)

    def _member(self, headers: dict[str, str], wall: datetime) -> Reply:
        """The limit of a member of an enterprise in this month, a fifth of it used."""
        if not self.is_member or not headers.get("x-enterprise-id"):
            return refusal(400, 10001, "invalid parameters")
        first = wall.replace(day=1, hour=0, minute=0, second=0)
        cycle = {
            "cycleStartTime": first.strftime(CLOCK),
            "cycleEndTime": (_next_month(first) - timedelta(seconds=1)).strftime(CLOCK),
            "cycleResetTime": _next_month(first).strftime(CLOCK),
        }
        return _good({"credit": 200.5, "limitNum": 1000, **cycle})

    def _orders(self, body: Json, wall: datetime) -> Reply:
        """The orders of the states that were asked for, else of all, newest first; each in a group of its own."""
        wanted = body.get("Status")
        shown = [one for one in self.orders if (wanted is None or one.status in wanted) and one.created <= wall]
        shown.sort(key=lambda one: one.created, reverse=True)
        page = shown[int(body.get("Offset", 0)) :][: min(int(body.get("Limit", 10)), self.most_orders)]
        groups = [{"BigOrderId": f"big-{one.order_id}", "OrderInfos": [_order(one)]} for one in page]
        total = {} if self.uncounted else {"TotalCount": str(len(shown))}
        return _good({"Response": {"Data": groups, **total}})

    def left(self, calls: Sequence[SimulatedCall], wall: datetime) -> Decimal:
        """The true credits that are left and can still be used."""
        return sum((grant.left for grant in self._of_now(calls, wall, wall) if grant.status(wall) == VALID), _NOTHING)

    def _of_now(self, calls: Sequence[SimulatedCall], wall: datetime, at: datetime) -> list[_Grant]:
        """The grants that had not ended at a time, by end; of a plan the first such month."""
        used = [grant for grant in self._used(calls, wall) if grant.ends >= at or grant.package.is_refunded]
        first: dict[str, _Grant] = {}
        for grant in sorted(used, key=lambda grant: grant.order):
            first.setdefault(grant.package.resource_id, grant)
        return [*first.values()]

    def _of_all(self, calls: Sequence[SimulatedCall], wall: datetime) -> list[_Grant]:
        """The last grant of each package, the last end first."""
        last = {grant.package.resource_id: grant for grant in self._used(calls, wall)}
        return sorted(last.values(), key=lambda grant: grant.order, reverse=True)

    def _used(self, calls: Sequence[SimulatedCall], wall: datetime) -> list[_Grant]:
        """All grants that have begun, used up as far as the calls of their time did."""
        grants = [
            grant for package in self.packages for grant in package.grants(wall) if grant.begins <= wall
        ]  # fmt: skip
        in_order = sorted(grants, key=lambda grant: grant.order)
        for call in calls:
            cost = call.credits
            for grant in in_order:
                if cost <= 0:
                    break
                if grant.begins <= call.time <= grant.ends and grant.left > 0:
                    taken = min(cost, grant.left)
                    grant.left -= taken
                    cost -= taken
        return grants


def usual_packages(number: int, start: datetime, per_day: int) -> list[SimulatedPackage]:
    """What an account with about `per_day` calls a day may have, from `start` (naive wall clock) on."""
    month = Decimal(max(per_day, 1) * 100)
    first = start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    name, after = f"sim-{number}", first.replace(year=first.year + 3)
    ends_of_gift, ends_of_more = start + timedelta(days=60), start + timedelta(days=365)
    return [
        SimulatedPackage(f"{name}-plan", "TCACA_sim_plan", "Monthly plan", PLAN, month, first, after),
        SimulatedPackage(f"{name}-gift", "TCACA_sim_gift", "Welcome gift", GIFT, month / 5, start, ends_of_gift),
        SimulatedPackage(f"{name}-more", "TCACA_sim_more", "Extra credits", ADD_ON, month * 4, start, ends_of_more),
    ]


def usual_orders(packages: Sequence[SimulatedPackage]) -> list[SimulatedOrder]:
    """What was paid for these packages: for a plan year by year, for what was added once, for gifts nothing."""
    orders = []
    for one in packages:
        if one.type == PLAN:
            years = range(one.ends.year - one.begins.year)
            begun = [one.begins.replace(year=one.begins.year + year) for year in years]
            price = _price(one.size * 12)
            orders += [
                SimulatedOrder(f"{one.resource_id}-{number}", created, price, "sp_sim_plan", years=1)
                for number, created in enumerate(begun, 1)
            ]
        elif one.type == ADD_ON:
            orders.append(SimulatedOrder(one.resource_id, one.begins, _price(one.size)))
    return orders


def _price(credits: Decimal) -> str:
    """An amount of CNY, a hundredth for each credit."""
    return f"{credits / 100:.2f}"


def _good(data: Json | None, code: int | str = 0) -> Reply:
    return json_reply(200, {"code": code, "msg": "OK", "requestId": uuid4().hex, "data": data})


def _account(grant: _Grant, zone: ZoneInfo, wall: datetime) -> Json:
    package = grant.package
    size = package.size - package.taken
    cycle = {
        "CycleCapacitySizePrecise": _text(size),
        "CycleCapacityUsedPrecise": _text(size - grant.left),
        "CycleCapacityRemainPrecise": _text(grant.left),
        "CycleStartTime": grant.begins.strftime(CLOCK),
        "CycleEndTime": grant.ends.strftime(CLOCK),
    }
    is_plan = package.type == PLAN
    # Of plans the numbers without a cycle are wrong.
    used = _NOTHING if is_plan else size - grant.left
    return {
        "ResourceId": package.resource_id,
        "PackageCode": package.code,
        "PackageName": package.name,
        "CapacityType": package.type,
        "CapacitySizePrecise": _text(size),
        "CapacityUsedPrecise": _text(used),
        "CapacityRemainPrecise": _text(size - used),
        "CreateTime": _milliseconds(package.begins, zone),
        "DeductionEndTime": _milliseconds(package.ends, zone),
        "RemainCycles": 0,
        "TotalCycles": 12 if is_plan else 1,
        "AutoRenewFlag": int(is_plan),
        "Status": grant.status(wall),
        **cycle,
    }


def _order(order: SimulatedOrder) -> Json:
    return {
        "OrderId": order.order_id,
        "Status": order.status,
        "CreateTime": order.created.strftime(CLOCK),
        "RealTotalCost": order.amount,
        "VoucherDecline": "0",
        "Currency": order.currency,
        "ProductCode": "p_tcaca",
        "SubProductCode": order.product,
        "TimeSpan": str(order.years or order.months or 1),
        "TimeUnit": "y" if order.years else "m" if order.months else "p",
        "GoodsNum": str(order.pieces),
    }


def _resource(grant: _Grant) -> Json:
    package = grant.package
    return {
        "remaining": float(grant.left),
        "total": float(package.size - package.taken),
        "name": package.name,
        "expire_at": grant.ends.strftime(CLOCK),
    }


def _text(credits: Decimal) -> str:
    return format(credits.quantize(_LEAST).normalize(), "f")


def _milliseconds(wall: datetime, zone: ZoneInfo) -> int:
    return int(wall.replace(tzinfo=zone).timestamp() * 1000)


def _next_month(begin: datetime) -> datetime:
    return begin.replace(year=begin.year + begin.month // 12, month=begin.month % 12 + 1)
