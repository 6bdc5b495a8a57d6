"""An account of OpenRouter whose credits are used up while its generations are read (docs/sources/openrouter.md)."""

from datetime import timedelta

import pytest

from archive_site.lib import clock
from collection.runs.run_outcomes import API, OK
from tests.collection.collector_run import collected_by
from tests.sources.openrouter.player import PlayedOpenRouter
from tests.sources.player import Played
from tests.sources.whole_calls import calls_of

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("kind", ["openrouter"])]


@pytest.mark.parametrize("most", [0, 5])
def test_what_came_before_the_credits_were_used_up_is_stored(
    played: Played, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    assert isinstance(played, PlayedOpenRouter)
    router, given = played._router, 0
    answer = router.answer

    def until_nothing_is_left(*asked: object) -> object:
        nonlocal given
        given += asked[0].path == "/generation"  # type: ignore[attr-defined]
        is_over = given > most and asked[0].path == "/generation"  # type: ignore[attr-defined]
        return router.own_answers["no_credits"] if is_over else answer(*asked)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(router, "answer", until_nothing_is_left)
        assert collected_by(played.archive_id, "alice", clock.today() - timedelta(days=9)).outcome == API
    assert len(calls_of(played.archive_id)) == most
    assert collected_by(played.archive_id, "alice", clock.today() - timedelta(days=9)).outcome == OK
    assert calls_of(played.archive_id) == played.truth()
