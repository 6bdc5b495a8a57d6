"""A plain client of the simulator, and the frozen clock its tests share."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import requests

from collection.sources.codebuddy.simulator.simulator import SimulatedCall, Simulator

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 9, 7, 23, 59, 30, tzinfo=SHANGHAI)
WEEK = ("2026-09-01 00:00:00", "2026-09-07 23:59:59")

Window = tuple[str, str]


def simulator_at(now: datetime = NOW, **options: Any) -> Simulator:
    """A small simulator whose clock stands still."""
    settings: dict[str, Any] = {"days": 10, "per_day": 20, "now": lambda: now}
    return Simulator(**settings | options)


class Client:
    """Asks one simulator for pages over real HTTP; follows no redirect."""

    def __init__(self, simulator: Simulator, account: int = 0) -> None:
        self.simulator = simulator
        self.session = requests.Session()
        self.session.headers["Cookie"] = simulator.cookie(account)

    def ask(
        self,
        window: Window = WEEK,
        page: int = 1,
        size: int = 50,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        **options: Any,
    ) -> requests.Response:
        """One request; `body` replaces the parameters."""
        body = body or {"startTime": window[0], "endTime": window[1], "pageNum": page, "pageSize": size}
        url = self.simulator.base_url + self.simulator.path
        options = {"timeout": 10, "allow_redirects": False} | options
        return self.session.post(url, json=body, headers=headers, **options)

    def rows(self, window: Window = WEEK, page: int = 1, size: int = 5000) -> list[Any]:
        """The rows of one page that must be answered well."""
        answer = self.ask(window, page, size)
        assert answer.status_code == 200, answer.text
        rows: list[Any] = answer.json()["data"]["data"]
        return rows


def in_week(simulator: Simulator, account: int = 0) -> list[SimulatedCall]:
    """The true calls within `WEEK`, newest first."""
    first, last = (datetime.fromisoformat(text) for text in WEEK)
    return [call for call in simulator.rows(account) if first <= call.time <= last][::-1]
