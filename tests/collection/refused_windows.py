"""A simulated upstream of two months, which may answer in another form where a window holds a certain moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from collection.sources.codebuddy.simulator import faults
from collection.sources.codebuddy.simulator.answers import CLOCK
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.simulator_server import Reply
from tests.collection.simulator_client import NOW, simulator_at
from tests.standing_clock import SetClock


def refuse(upstream: Simulator, *moments: datetime) -> None:
    """Answer each window that holds one of these aware moments in an unknown form, until another call; none end it."""
    walls = [moment.astimezone(upstream.zone).replace(tzinfo=None) for moment in moments]

    def respond(method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        reply = Simulator.respond(upstream, method, path, headers, raw)
        body = upstream.requests_seen[-1].body or {}
        start, end = (datetime.strptime(body[name], CLOCK) for name in ("startTime", "endTime"))
        is_refused = any(start <= wall <= end for wall in walls)
        return faults.WHOLE_ANSWERS["other_form"](upstream.faults) if is_refused else reply

    upstream.respond = respond  # type: ignore[method-assign]


@contextmanager
def lasting(time: SetClock) -> Iterator[Simulator]:
    """Two accounts with calls of the last ten days and the next sixty, whose cookies last as long."""
    with simulator_at(accounts=2, days=70, until=NOW + timedelta(days=60), now=time.now) as running:
        running.now = lambda: time.now
        yield running
