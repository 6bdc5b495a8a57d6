"""A simulated service with a key: what those of all kinds share, and the faults that any of them may have."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from collection.sources.over_http.simulator_server import MANNERS, Reply, RunningSimulator

Json = dict[str, Any]
HTML = "text/html; charset=utf-8"
# Answers that any service, or a machine before it, may give.
ANSWERS: dict[str, Reply] = {
    "server_error": Reply(500, b"<h1>500</h1>", HTML),
    "bad_gateway": Reply(502, b"<h1>502</h1>", HTML),
    "unavailable": Reply(503, b"<h1>503</h1>", HTML),
    "gateway_timeout": Reply(504, b"<h1>504</h1>", HTML),
    "overload": Reply(429, b""),
    "overload_with_time": Reply(429, b"", headers=(("Retry-After", "1"),)),
    "overload_with_date": Reply(429, b"", headers=(("Retry-After", "Wed, 16 Sep 2026 10:00:01 GMT"),)),
    "page_of_html": Reply(200, b"<!doctype html><title>Welcome</title>", HTML),
    "broken_json": Reply(200, b'{"data": [{"id": "4f'),
    "a_list": Reply(200, b"[1, 2]"),
    "another_form": Reply(200, b'{"status": "ok", "result": {"entries": []}}'),
    "empty_body": Reply(200, b""),
    "redirect": Reply(302, b"", HTML, (("Location", "https://elsewhere.example/login"),)),
    "teapot": Reply(418, b'{"error": "short and stout"}'),
}


@dataclass
class Switches:
    """What an answer is like; each simulator adds its own quirks, and plays those of these that its service may have.

    `drip_seconds`, `huge_bytes`: for those manners. `hidden_seconds`: younger calls are not listed yet. `growing`: how
    many calls come after each page. `total_above`: by how many the count of calls is too large.
    """

    drip_seconds: float = 1.0
    huge_bytes: int = 128 * 1024 * 1024
    hidden_seconds: int = 0
    growing: int = 0
    total_above: int = 0


@dataclass(frozen=True)
class Asked:
    """One request. Names of headers are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: object


class SimulatedApi(RunningSimulator):
    """A service with one `key`, whose answers a subclass gives; faults come before them, by name (`ANSWERS`, `MANNERS`
    and its own). A subclass says how its key begins, and what its quirks are."""

    quirks: Switches
    quirks_of: type[Switches] = Switches
    key_begins = ""

    def __init__(
        self,
        now: Callable[[], datetime],
        *,
        days: int = 9,
        per_day: int = 15,
        seed: str = "1",
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        super().__init__(host, port)
        self.now = now
        self.key = self.key_begins + sha256(seed.encode()).hexdigest()
        self.quirks = self.quirks_of()
        # When its calls begin.
        self.moments = moments(seed, days, per_day, now())
        self.request_count = 0
        self._fault: str = ""
        self._times: int | None = None
        self._lock = Lock()
        self.prepare()

    def prepare(self) -> None:
        """Invent what it has, as a rule a call at each of its moments."""

    @property
    def faults(self) -> Switches:
        return self.quirks

    @property
    def listed_until(self) -> datetime:
        """When the newest call that is listed may have begun."""
        return self.now() - timedelta(seconds=self.quirks.hidden_seconds)

    @property
    def own_answers(self) -> Mapping[str, Reply]:
        """The answers of this service to a refused key, and others that are no data."""
        return {}

    @property
    def spoilt_rows(self) -> Mapping[str, Callable[[Json], object]]:
        """Faults of the last row of an answer."""
        return {}

    def answer(self, asked: Asked, fault: str) -> Reply:
        """The answer to a request; `fault` is one of `spoilt_rows`, or empty."""
        raise NotImplementedError

    def fail(self, name: str, times: int | None = None) -> None:
        """Let that many requests fail, all of them without a number. Raises ValueError for an unknown name."""
        if name not in {*ANSWERS, *MANNERS, *self.own_answers, *self.spoilt_rows}:
            raise ValueError(f"unknown fault {name!r}")
        self._fault, self._times = name, times

    def clear(self) -> None:
        self._fault = ""

    def respond(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        with self._lock:
            self.request_count += 1
            fault = self._fault
            if self._times is not None:
                self._times -= 1
                if not self._times:
                    self._fault, self._times = "", None
        if fault in ANSWERS:
            return ANSWERS[fault]
        if fault in self.own_answers:
            return self.own_answers[fault]
        parts = urlsplit(path)
        asked = Asked(
            method,
            parts.path,
            dict(parse_qsl(parts.query, keep_blank_values=True)),
            {name.lower(): value for name, value in headers.items()},
            _json_of(raw),
        )
        found = self.answer(asked, fault if fault in self.spoilt_rows else "")
        return replace(found, manner=fault) if fault in MANNERS else found

    def spoilt(self, rows: list[Any], fault: str) -> list[Any]:
        """The rows, the last one with its fault: a client may check only the first."""
        return [*rows[:-1], self.spoilt_rows[fault](rows[-1])] if fault and rows else rows


def json_reply(answer: object, status: int = 200) -> Reply:
    """A JSON answer, also with halves of characters."""
    return Reply(status, json.dumps(answer).encode(), "application/json")


def moments(seed: str, days: int, per_day: int, until: datetime) -> Iterator[tuple[datetime, random.Random]]:
    """Repeatable instants in UTC with milliseconds, about `per_day` of each day before `until`, each with its dice."""
    for back in range(days + 1):
        day = until.astimezone(UTC).date() - timedelta(days=back)
        dice = random.Random(f"{seed}/{day}")  # noqa: S311 - repeatable is the point here
        for _ in range(round(per_day * dice.uniform(0.8, 1.2))):
            begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
            moment = begin + timedelta(milliseconds=dice.randrange(86_400_000))
            if until - timedelta(days=days) < moment <= until:
                yield moment, dice


def _json_of(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except ValueError:
        return None
