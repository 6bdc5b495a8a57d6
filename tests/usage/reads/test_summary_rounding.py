"""GET /api/summary: the decimals of credits, averages and changes (docs/api.md#summary)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from tests.usage.record_factories import archive, on
from usage.reads.summary import percent_change, tenths_of_percent

Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
PATH = "/api/summary"


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [(0, 5, None), (0, 0, None), (4, 4, 0), (3, 4, 33.33), (3, 2, -33.33), (5, 0, -100), (1, 10**6, 99_999_900)],
)
def test_a_change_has_two_decimals_and_none_where_nothing_was_before(
    before: int, now: int, change: float | None
) -> None:
    assert percent_change(before, now) == change


@pytest.mark.parametrize(
    ("before", "now", "tenths"),
    [
        (0, 5, None),
        (4, 4, 0),
        (541188, 541982, 1),
        (541188, 540394, -1),
        (2000, 2003, 2),
        (2000, 1997, -2),
        (3, 0, -1000),
    ],
)
def test_pages_round_a_change_once_half_away_from_zero(before: int, now: int, tenths: int | None) -> None:
    assert tenths_of_percent(before, now) == tenths


def test_credits_and_averages_have_six_decimals(alice: User, ask: Ask) -> None:
    archive(
        alice, *(on("2026-09-01", str(number), credits=0.1) for number in range(3)), on("2026-09-01", "x", credits=0)
    )
    archive(alice, *(on("2026-09-01", f"y{number}", credits=0.000001) for number in range(3)))
    assert (ask()["credits"], ask()["avgPerCall"]) == (0.300003, 0.042858)


def test_sums_of_a_thousand_tenths_do_not_drift(alice: User, ask: Ask) -> None:
    archive(alice, *(on("2026-09-01", str(number), credits=0.1) for number in range(1000)))
    assert ask()["credits"] == 100
