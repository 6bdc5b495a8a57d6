"""The simulated upstream's sums of days."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

from collection.sources.codebuddy.simulator.answers import CLOCK, Json, json_reply, refusal
from collection.sources.codebuddy.simulator.data import SimulatedCall
from collection.sources.over_http.simulator_server import Reply

ROUTE = "get-user-daily-usage"
_DAY = timedelta(days=1)


@dataclass
class DailySums:
    """The quirks of the daily sums of one account: those of `wrong` days are larger, those of days `left_out`
    are not given. `needs_enterprise`: without the header X-Enterprise-Id it is refused."""

    wrong: dict[date, Decimal] = field(default_factory=dict)
    left_out: set[date] = field(default_factory=set)
    needs_enterprise: bool = False

    def answer(self, body: Json, headers: dict[str, str], calls: Sequence[SimulatedCall], wall: datetime) -> Reply:
        """The answer to a request, after the calls so far; `wall` is naive wall clock."""
        if self.needs_enterprise and not headers.get("x-enterprise-id"):
            return refusal(400, 10001, "invalid parameters")
        try:
            start, end = (datetime.strptime(str(body.get(name)), CLOCK) for name in ("startTime", "endTime"))
        except ValueError:
            return refusal(400, 10001, "invalid parameters")
        last = min(end, wall).date()
        days = [start.date() + number * _DAY for number in range((last - start.date()).days + 1)]
        rows = [
            {"date": str(day), "credit": float(round(self._sum(day, calls), 2))}
            for day in days
            if day not in self.left_out
        ]
        data = {"total": len(rows), "data": rows}
        return json_reply(200, {"code": 0, "msg": "OK", "requestId": uuid4().hex, "data": data})

    def _sum(self, day: date, calls: Sequence[SimulatedCall]) -> Decimal:
        spent = sum((call.credits for call in calls if call.time.date() == day), Decimal(0))
        return spent + self.wrong.get(day, Decimal(0))
