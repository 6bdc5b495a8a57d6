"""The days of the periods, counted from the server's day."""

from datetime import date

import pytest

from usage import periods
from usage.periods import Span

TODAY = date(2026, 3, 1)  # a Sunday


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("today", "2026-03-01", "2026-03-01"),
        ("yesterday", "2026-02-28", "2026-02-28"),
        ("7", "2026-02-23", "2026-03-01"),
        ("30", "2026-01-31", "2026-03-01"),
        ("90", "2025-12-02", "2026-03-01"),
        ("month", "2026-03-01", "2026-03-01"),
        ("last-month", "2026-02-01", "2026-02-28"),
    ],
)
def test_a_period_has_its_days(name: str, first: str, last: str) -> None:
    assert periods.periods(TODAY)[name].bounds() == {"from": first, "to": last}


def test_all_days_have_no_bounds() -> None:
    assert periods.periods(TODAY)["all"].bounds() == {}


def test_every_period_has_its_days_and_is_offered() -> None:
    assert {one.name: one.bounds for one in periods.offered(TODAY)} == {
        name: span.bounds() for name, span in periods.periods(TODAY).items()
    }
    assert [one.name for one in periods.offered(TODAY)] == list(periods.NAMES)


@pytest.mark.parametrize("today", ["2026-03-01", "2026-03-02", "2024-12-31"])
def test_the_calendar_begins_with_a_monday_a_year_ago_or_just_before(today: str) -> None:
    year = periods.calendar_year(date.fromisoformat(today))
    assert year.first is not None
    assert year.first.weekday() == 0
    assert 364 <= (date.fromisoformat(today) - year.first).days <= 370
    assert year.bounds()["to"] == today


def test_a_span_covers_others() -> None:
    early, late = date(2026, 1, 1), date(2026, 2, 1)
    assert periods.cover([Span(late, late), Span(early, early)]) == Span(early, late)
    assert periods.cover([Span(early, late), Span()]) == Span()
    assert periods.cover([Span(early, None), Span(late, late)]) == Span(early, None)
