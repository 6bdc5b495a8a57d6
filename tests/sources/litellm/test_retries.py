"""Calls of a spend log that are tried again, and spans that are too much for the proxy (docs/sources/litellm.md)."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from archive_site.lib import clock
from collection.models import Run
from collection.runs.run_outcomes import API, OK
from tests.collection.collector_run import collected_by
from tests.sources.player import Played
from tests.sources.whole_calls import calls_of
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("kind", ["litellm"])]


def midnight() -> datetime:
    return clock.day_start(clock.today())


@pytest.mark.parametrize(("first", "second"), [("0.02", "0.01"), ("0.01", "0.02")])
def test_of_a_call_that_is_tried_again_the_last_try_counts(
    played: Played, time: SetClock, first: str, second: str
) -> None:
    played.add(midnight() - timedelta(minutes=1), "tried-again", Decimal(first))
    assert collected_by(played.archive_id, "alice").outcome == OK
    played.remove("tried-again")
    played.add(midnight() + timedelta(minutes=2), "tried-again", Decimal(second))
    for _ in range(2):
        time.pass_by(hours=1)
        assert collected_by(played.archive_id, "alice", clock.today() - timedelta(days=1)).outcome == OK
        assert calls_of(played.archive_id) == played.truth()


def test_a_proxy_that_answers_about_no_span_fails_the_run(played: Played) -> None:
    played.play("every span takes too long")
    assert collected_by(played.archive_id, "alice").outcome == API
    assert "HTTP 504" in Run.objects.get().message
    played.play("long spans that take too long")
    assert collected_by(played.archive_id, "alice").outcome == OK
    assert calls_of(played.archive_id) == played.truth()
