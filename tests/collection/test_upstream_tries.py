"""When the upstream client tries again, gives up, or is stopped."""

import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic
from typing import Any

import pytest

from collection.sources.codebuddy.reader import Upstream
from collection.sources.over_http import asking
from collection.sources.source import ReadingStopped, SourceFailure
from tests.collection.scripted_upstream import ScriptedUpstream, Step, answer, drip, hang, raw, reset, rows
from tests.collection.upstream_call import END, HTML, START, Asked, settings
from tests.silent_port import silent_port
from tests.standing_clock import SetClock

# Another try


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_overload_is_tried_again(status: int) -> None:
    asked = Asked(answer(status, HTML), rows({}))
    assert asked.page.received == 1
    assert asked.notes == [f"HTTP {status}, waiting 2 s, try 2 of 5"]


def test_waits_grow_and_after_five_tries_it_is_an_api_failure() -> None:
    asked = Asked(answer(503))
    assert (asked.outcome, len(asked.server.requests), sum(asked.waits)) == ("api", 5, 2 + 4 + 8 + 16)
    assert "5 tries (HTTP 503)" in asked.message


@pytest.mark.parametrize("step", [reset, raw(b""), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")])
def test_a_connection_that_breaks_off_is_tried_again(step: Step) -> None:
    def broken(connection: Any, server: ScriptedUpstream) -> None:
        step(connection, server)
        connection.close() if step is reset else connection.shutdown(2)

    asked = Asked(broken, rows({}))
    assert asked.page.received == 1
    assert asked.notes == ["the connection to 127.0.0.1 failed or broke off, waiting 2 s, try 2 of 5"]


def test_a_host_that_nobody_serves_is_tried_again_and_named() -> None:
    with silent_port() as port, pytest.raises(SourceFailure, match="connection to 127.0.0.1 failed") as caught:
        Upstream(settings(f"http://127.0.0.1:{port}"), sleep=lambda seconds: None).page(START, END, 1)
    assert caught.value.outcome == "api"


@pytest.mark.parametrize(("asked", "waited"), [("7", 7), ("3600", 60), ("soon", 2), ("-1", 2)])
def test_retry_after_in_seconds_is_honoured_up_to_60(asked: str, waited: float) -> None:
    assert sum(Asked(answer(429, Retry_After=asked), rows({})).waits) == waited


@pytest.mark.parametrize("header", ["0", "1", "Mon, 07 Sep 2026 00:00:00 GMT"])
def test_a_retry_after_below_our_own_waits_does_not_stop_them_from_growing(header: str) -> None:
    assert sum(Asked(answer(429, Retry_After=header)).waits) == 2 + 4 + 8 + 16


def test_retry_after_as_a_date_is_honoured() -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < sum(Asked(answer(503, Retry_After=until), rows({})).waits) <= 30


def test_the_moment_asked_for_is_that_of_the_try_that_was_answered(time: SetClock) -> None:
    begun = time.now

    def late(connection: Any, server: ScriptedUpstream) -> None:
        time.pass_by(seconds=7)
        answer(503)(connection, server)

    assert Asked(late, rows({})).page.asked_at == begun + timedelta(seconds=7)


def test_that_moment_is_by_the_clock_that_is_given() -> None:
    with ScriptedUpstream(rows({})) as server, Upstream(settings(server.url), now=lambda: END) as client:
        assert client.page(START, END, 1).asked_at == END


# Deadline and stop


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client looks up from its waiting not twice but a hundred times a second."""
    monkeypatch.setattr(asking, "GLANCE", 0.01)


@pytest.mark.thorough
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(
    "step",
    [
        hang,
        drip(b""),
        drip(b"HTTP/1.1 200 OK\r\nX-Slow: "),
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"),
        drip(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n270f\r\n{"),
    ],
    ids=["silence", "status", "header", "body", "body to the end", "chunk"],
)
def test_the_timeout_is_a_deadline_for_the_request_as_a_whole(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAITS", ())
    monkeypatch.setattr(asking, "TRIES", 1)
    asked = Asked(step, timeout=30.0, an_hour_passes=True)
    assert "no whole answer within 30 s" in asked.message
    assert asked.left


@pytest.mark.thorough
@pytest.mark.usefixtures("often")
def test_after_a_deadline_the_next_try_has_a_connection_of_its_own() -> None:
    asked = Asked(hang, rows({}), timeout=30.0, an_hour_passes=True)
    assert asked.page.received == 1
    assert asked.server.connections == 2
    assert asked.notes == ["no whole answer within 30 s, waiting 2 s, try 2 of 5"]


@pytest.mark.thorough
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("step", [hang, drip(b""), drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")])
def test_a_request_that_hangs_is_stopped_long_before_its_deadline(step: Step) -> None:
    with ScriptedUpstream(step) as server:
        client = Upstream(settings(server.url, timeout=30.0), should_stop=lambda: bool(server.requests))
        started = monotonic()
        with pytest.raises(ReadingStopped):
            client.page(START, END, 1)
        assert monotonic() - started < 20
        assert server.left.wait(60)


def test_a_wait_between_tries_is_stopped_within_half_a_second() -> None:
    naps: list[float] = []
    with ScriptedUpstream(answer(503, Retry_After="60")) as server:
        client = Upstream(settings(server.url), should_stop=lambda: len(naps) == 3, sleep=naps.append)
        with client, pytest.raises(ReadingStopped):
            client.page(START, END, 1)
    assert naps == [0.5, 0.5, 0.5]


def test_a_stop_before_the_request_sends_nothing() -> None:
    with ScriptedUpstream(hang) as server:
        with pytest.raises(ReadingStopped):
            Upstream(settings(server.url), should_stop=lambda: True).page(START, END, 1)
        assert server.requests == []


@pytest.mark.usefixtures("often")
def test_the_stop_is_asked_for_in_the_callers_thread() -> None:
    threads: list[int] = []

    def stop() -> bool:
        threads.append(threading.get_ident())
        return len(threads) == 2

    with ScriptedUpstream(hang) as server, pytest.raises(ReadingStopped):
        Upstream(settings(server.url), should_stop=stop).page(START, END, 1)
    assert threads == [threading.get_ident()] * 2
