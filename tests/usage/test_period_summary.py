"""The page of a week or a month (docs/api.md#notices)."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from archive_site.notice_causes.summaries import text_of
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.period_summary import Period, period_summary

ApiOf = Callable[[User], ApiClient]
NOW = datetime(2026, 9, 8, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _now(at: Callable[[datetime], None]) -> None:
    at(NOW)


@pytest.fixture
def filled(alice: User) -> User:
    archive(
        alice,
        *[
            call(f"d{n}", ts=f"2026-09-0{n} 09:00:00", credits=n, model="model-x", prompt=f"prompt {n}")
            for n in (1, 2, 3)
        ],
        call("y1", ts="2026-09-04 10:00:00", credits=0.5, model="model-y"),
        call("b1", ts="2026-08-27 10:00:00", credits=13),
        call("n1", ts="2026-09-07 10:00:00", credits=99),
    )
    return alice


@pytest.mark.parametrize(
    ("kind", "day", "first", "last"),
    [("week", "2026-09-03", "2026-08-31", "2026-09-06"), ("week", "2026-08-31", "2026-08-31", "2026-09-06"),
     ("week", "2026-09-06", "2026-08-31", "2026-09-06"), ("month", "2026-02-28", "2026-02-01", "2026-02-28")],
)  # fmt: skip
def test_a_period_holds_its_days(kind: str, day: str, first: str, last: str) -> None:
    period = Period.of(kind, date.fromisoformat(day))
    assert (str(period.first), str(period.last)) == (first, last)
    assert period.before.last == period.first - timedelta(days=1)
    assert period.after.first == period.last + timedelta(days=1)


def test_a_week_is_compared_with_the_one_before(filled: User) -> None:
    found = period_summary(filled.pk, Period.of("week", date(2026, 9, 1)))
    assert (found.figures.credits, found.figures.calls, found.change) == (6_500_000, 4, -500)
    assert [(model.name, model.credits) for model in found.models] == [("model-x", 6.0), ("model-y", 0.5)]
    assert [one.request_id for one in found.dearest] == ["d3", "d2", "d1", "y1"]
    assert found.is_over
    assert found.forecast


@pytest.mark.parametrize(
    ("kind", "points"),
    [
        ("week", ("2026-09-01 11:59:59", "2026-09-01 12:01:00")),
        ("month", ("2026-08-08 11:59:59", "2026-08-08 12:01:00")),
    ],
)
def test_one_that_is_not_over_is_compared_with_as_much_of_the_one_before(
    kind: str, points: tuple[str, str], alice: User, api_of: ApiOf
) -> None:
    earlier = [call(ts, ts=ts, credits=amount) for ts, amount in zip(points, (4, 100), strict=True)]
    archive(alice, *earlier, call("now", ts="2026-09-08 09:00:00", credits=5))
    found = period_summary(alice.pk, Period.of(kind, date(2026, 9, 8)))
    assert (found.before.credits, found.change) == (4_000_000, 250)
    page = api_of(alice).get(found.period.path).content.decode()
    assert "The period before, at this point</dt><dd data-figure>4.00</dd>" in page


def test_only_the_present_month_has_a_forecast(filled: User) -> None:
    assert period_summary(filled.pk, Period.of("month", date(2026, 8, 1))).forecast is None
    assert not period_summary(filled.pk, Period.of("month", date(2026, 9, 1))).is_over


def test_the_page_has_it(filled: User, api_of: ApiOf) -> None:
    page = api_of(filled).get("/summaries/week/2026-08-31").content.decode()
    for words in ("2026-08-31 to 2026-09-06", "6.50", "▼ 50.0% less", "model-y", "prompt 3", "week/2026-09-07"):
        assert words in page, words
    assert "99.00" not in page


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (5419.82, "▲ 0.1% more"), (5403.94, "▼ 0.1% less"), (5412, "unchanged"), (0, "▼ 100.0% less"),
        (5411.88 * 11, "▲ 1,000.0% more"),
    ],
)  # fmt: skip
def test_the_change_is_rounded_once_and_said_as_on_the_overview(
    now: float, said: str, alice: User, api_of: ApiOf
) -> None:
    archive(
        alice, call("b", ts="2026-08-27 10:00:00", credits=5411.88), call("n", ts="2026-09-02 10:00:00", credits=now)
    )
    assert f"<dd data-figure>{said}</dd>" in api_of(alice).get("/summaries/week/2026-08-31").content.decode()
    notice = str(text_of(period_summary(alice.pk, Period.of("week", date(2026, 8, 31))), with_prompts=False))
    assert f"The period before: 5,411.88 credits ({said})." in notice


def test_another_account_sees_its_own(filled: User, bob: User, api_of: ApiOf) -> None:
    page = api_of(bob).get("/summaries/week/2026-08-31").content.decode()
    assert "No calls in this period." in page
    assert "prompt 3" not in page


@pytest.mark.parametrize(
    ("path", "to"),
    [("week", "week/2026-08-31"), ("month", "month/2026-08-01"), ("week/2026-09-03", "week/2026-08-31"),
     ("month/2026-09-03", "month/2026-09-01")],
)  # fmt: skip
def test_a_day_within_leads_to_the_first(path: str, to: str, filled: User, api_of: ApiOf) -> None:
    answer = api_of(filled).get(f"/summaries/{path}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/summaries/{to}")


@pytest.mark.parametrize("path", ["year", "year/2026-01-01", "week/2026-09-20", "week/nothing", "week/1969-01-01"])
def test_what_is_no_period_is_not_found(path: str, filled: User, api_of: ApiOf) -> None:
    assert api_of(filled).get(f"/summaries/{path}").status_code == 404


def test_it_costs_few_queries(filled: User, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(20):
        period_summary(filled.pk, Period.of("month", date(2026, 9, 1)))
