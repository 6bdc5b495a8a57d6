"""What a gateway says beside its log may fail, and costs no call (docs/sources/new-api.md#windows)."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from collection.sources.new_api.reader import FORM
from collection.sources.new_api.rows import whole
from collection.sources.over_http.held_windows import page_of
from collection.sources.over_http.simulated_api import ANSWERS
from tests.sources.new_api.test_room import gateway_of
from tests.sources.new_api.test_upgrade import read_all
from tests.sources.player import Played
from tests.sources.whole_calls import calls_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> str:
    return "new-api"


@pytest.mark.parametrize("failure", ["gateway_timeout", "overload", "server_error"])
def test_a_sum_that_fails_costs_no_call(played: Played, monkeypatch: pytest.MonkeyPatch, failure: str) -> None:
    gateway = gateway_of(played)
    answer = gateway.answer

    def without_sums(*asked: object) -> object:
        is_sum = asked[0].path.endswith("/stat")  # type: ignore[attr-defined]
        return ANSWERS[failure] if is_sum else answer(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(gateway, "answer", without_sums)
    read_all(played)
    assert calls_of(played.archive_id) == played.truth() != {}


def test_a_number_of_a_million_digits_is_no_quota() -> None:
    assert whole("9" * 1_100_000) is None
    assert whole("500000") == 500_000


def test_calls_of_a_repeated_hour_are_within_their_window(settings: Any) -> None:
    settings.SERVER_ZONE = ZoneInfo("Europe/Berlin")
    # The clock goes back from 03:00 to 02:00 at 01:00 in UTC, and the window ends within the second of these hours.
    span = datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 1, 7, 29, tzinfo=UTC)
    begun = int(datetime(2026, 10, 25, 0, 30, tzinfo=UTC).timestamp())
    row = {"created_at": begun, "type": 2, "model_name": "m", "quota": 1, "prompt_tokens": 1, "completion_tokens": 1}
    page = page_of([row], 1, span, span[1], FORM)
    assert ([record.ts for record in page.records], page.outside) == (["2026-10-25 02:30:00"], 0)
