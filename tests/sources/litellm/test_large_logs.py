"""Spend logs with more calls than are read at once, and those that leave out some (docs/sources/litellm.md)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from archive_site.lib import clock
from collection.models import Run
from collection.runs.run_outcomes import API, OK
from collection.sources.litellm import reader
from collection.sources.litellm.failures import TRUNCATED
from collection.windows import days_window
from tests.collection.collector_run import collected_by
from tests.sources.litellm.player import PlayedLiteLLM
from tests.sources.player import Played
from tests.sources.test_kit import source_of
from tests.sources.whole_calls import calls_of

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("kind", ["litellm"])]


def test_a_span_of_many_calls_is_read_in_halves_where_the_proxy_names_no_limit(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_OF_SPAN", 5)
    window = days_window(clock.today() - timedelta(days=3), clock.today() - timedelta(days=1))
    with source_of(played) as source:
        assert next(iter(source.pages(window.start, window.end))).is_capped
    assert collected_by(played.archive_id, "alice", clock.today() - timedelta(days=9)).outcome == OK
    assert calls_of(played.archive_id) == played.truth()


def test_nothing_is_stored_of_a_log_that_leaves_out_calls(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(played, PlayedLiteLLM)
    answer = played._proxy.answer

    def without_older(*asked: object) -> object:
        return replace(answer(*asked), headers=((TRUNCATED, "true"),))  # type: ignore[arg-type]

    monkeypatch.setattr(played._proxy, "answer", without_older)
    assert collected_by(played.archive_id, "alice").outcome == API
    assert Run.objects.get().message.startswith("The proxy says that it leaves out older calls")
    assert not calls_of(played.archive_id)
