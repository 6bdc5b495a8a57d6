"""The days that a span is compared with (docs/api.md#comparison)."""

from datetime import date

import pytest

from archive_site.lib.http.parameter_parsing import Days
from usage.reads.earlier_days import earlier_days

TODAY = date(2026, 3, 31)


def days(first: str, last: str) -> Days:
    return Days(date.fromisoformat(first), date.fromisoformat(last))


def before(kind: str, span: Days, today: date = TODAY) -> tuple[str, str] | None:
    found = earlier_days(kind, span, today)
    return (str(found.first), str(found.last)) if found else None


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (("2026-03-31", "2026-03-31"), ("2026-03-30", "2026-03-30")),
        (("2026-03-25", "2026-03-31"), ("2026-03-18", "2026-03-24")),
        (("2026-03-02", "2026-03-08"), ("2026-02-23", "2026-03-01")),
        # Calendar months.
        (("2026-02-01", "2026-02-28"), ("2026-01-01", "2026-01-31")),
        (("2026-01-01", "2026-01-31"), ("2025-12-01", "2025-12-31")),
        (("2025-01-01", "2025-12-31"), ("2024-01-01", "2024-12-31")),
        # A month so far: the days that a shorter month lacks end with its last day.
        (("2026-03-01", "2026-03-31"), ("2026-02-01", "2026-02-28")),
    ],
)
def test_the_period_before(span: tuple[str, str], expected: tuple[str, str]) -> None:
    assert before("previous", days(*span)) == expected


def test_a_month_so_far_has_the_same_days_of_the_month_before() -> None:
    so_far = days("2026-09-01", "2026-09-22")
    assert before("previous", so_far, date(2026, 9, 22)) == ("2026-08-01", "2026-08-22")
    # On its last day too: August has one more day.
    whole = days("2026-09-01", "2026-09-30")
    assert before("previous", whole, date(2026, 9, 30)) == ("2026-08-01", "2026-08-30")
    assert before("previous", whole) == ("2026-08-01", "2026-08-31")


def test_the_first_day_of_a_month_is_a_day_like_any_other() -> None:
    assert before("previous", days("2026-09-01", "2026-09-01"), date(2026, 9, 1)) == ("2026-08-31", "2026-08-31")


@pytest.mark.parametrize(
    ("kind", "span", "expected"),
    [
        ("month", ("2026-03-05", "2026-03-20"), ("2026-02-05", "2026-02-20")),
        ("month", ("2026-03-30", "2026-03-30"), ("2026-02-28", "2026-02-28")),
        ("month", ("2026-02-01", "2026-02-28"), ("2026-01-01", "2026-01-31")),
        ("year", ("2024-02-29", "2024-03-02"), ("2023-02-28", "2023-03-02")),
        ("year", ("2025-02-01", "2025-02-28"), ("2024-02-01", "2024-02-29")),
    ],
)
def test_the_same_days_a_month_or_a_year_ago(kind: str, span: tuple[str, str], expected: tuple[str, str]) -> None:
    assert before(kind, days(*span)) == expected


@pytest.mark.parametrize("kind", ["previous", "month", "year"])
def test_the_calendar_does_not_reach_back_further_than_its_first_day(kind: str) -> None:
    assert before(kind, days("0001-01-01", "0001-01-05")) is None
