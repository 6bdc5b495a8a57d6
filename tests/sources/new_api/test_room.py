"""A window of a gateway is held whole, so what it may take has a limit (docs/sources/new-api.md#windows)."""

import tracemalloc
from datetime import timedelta

import pytest

from accounts import config
from archive_site.lib import clock
from collection.reading.window_reader import Reading
from collection.runs.run_outcomes import OK
from collection.sources import kinds
from collection.sources.new_api import reader
from collection.sources.new_api.simulator import Gateway
from collection.sources.over_http import held_windows
from collection.sources.source import SourceFailure, Work
from collection.windows import TimeWindow, days_window
from tests.collection.collector_run import collected_by
from tests.sources.new_api.player import PlayedNewApi
from tests.sources.player import Played
from tests.sources.whole_calls import calls_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> str:
    return "new-api"


def gateway_of(played: Played) -> Gateway:
    assert isinstance(played, PlayedNewApi)
    return played._gateway


def test_a_window_with_too_large_answers_is_read_in_halves(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_BYTES", 12_000)
    assert collected_by(played.archive_id, "alice", clock.today() - timedelta(days=9)).outcome == OK
    assert calls_of(played.archive_id) == played.truth()


def test_a_minute_that_is_too_large_proves_nothing(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_BYTES", 1)
    moment = clock.now() - timedelta(hours=3)
    for number in range(40):
        gateway_of(played).rows.append(gateway_of(played).rows[0].__class__(f"many-{number}", moment, 1))
    reading = Reading()
    with kinds.opened(played.archive_id, config.instance_settings(), Work()) as source:
        list(reading.pages(source, TimeWindow(moment, moment + timedelta(seconds=30))))
    assert (reading.is_confirmed, reading.received) == (False, 0)


def test_what_is_not_read_of_a_row_is_not_held(played: Played) -> None:
    gateway = gateway_of(played)
    gateway.content = "x" * 20_000
    window = days_window(clock.today() - timedelta(days=6), clock.today())
    with kinds.opened(played.archive_id, config.instance_settings(), Work()) as source:
        tracemalloc.start()
        for _ in source.pages(window.start, window.end):
            held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert held < 2 * 1024 * 1024


def test_rows_that_never_stand_still_are_left_to_a_later_run(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its clock is ahead, so rows of the window come while it is read.
    monkeypatch.setattr(held_windows, "SETTLING", timedelta(0))
    gateway_of(played).quirks.growing = 1
    now = clock.now()
    source = kinds.opened(played.archive_id, config.instance_settings(), Work())
    with source, pytest.raises(SourceFailure) as raised:
        list(source.pages(now - timedelta(days=2), now))
    assert "moved each time" in str(raised.value)
    assert calls_of(played.archive_id) == {}
