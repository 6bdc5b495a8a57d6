"""The page of a week or a month (docs/api.md#notices)."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from archive_site.notice_causes.summaries import text_of
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.models import CoverageDay
from usage.statements.period_summary import Period, period_summary

ApiOf = Callable[[User], ApiClient]
NOW = datetime(2026, 9, 8, 10, tzinfo=UTC)
# The archive begins with it.
FIRST = call("first", ts="2026-07-01 10:00:00", credits=1)


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
        FIRST,
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
    archive(alice, *earlier, call("now", ts="2026-09-08 09:00:00", credits=5), FIRST)
    found = period_summary(alice.pk, Period.of(kind, date(2026, 9, 8)))
    assert found.before
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
    before = call("b", ts="2026-08-27 10:00:00", credits=5411.88)
    archive(alice, before, call("n", ts="2026-09-02 10:00:00", credits=now), FIRST)
    assert f"<dd data-figure>{said}</dd>" in api_of(alice).get("/summaries/week/2026-08-31").content.decode()
    notice = str(text_of(period_summary(alice.pk, Period.of("week", date(2026, 8, 31))), with_prompts=False))
    assert f"The period before: 5,411.88 credits ({said})." in notice


def shown(page: str) -> dict[str, str]:
    """The figures of a page by name."""
    return dict(re.findall(r"<dt>([^<]*)</dt><dd data-figure>([^<]*)</dd>", page))


def notice_of(user: User, period: Period) -> str:
    return str(text_of(period_summary(user.pk, period), with_prompts=False))


def read(user: User, *days: str) -> None:
    for day in days:
        CoverageDay.objects.create(archive_id=user.pk, day=day)


def test_a_period_that_begins_before_the_archive_is_compared_with_nothing(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a", ts="2026-08-30 10:00:00", credits=1), call("n", ts="2026-09-02 10:00:00", credits=17))
    page = api_of(alice).get("/summaries/month/2026-09-01").content.decode()
    figures = shown(page)
    assert (figures["The period before, at this point"], figures["Change"]) == ("–", "not enough earlier data")
    assert (figures["Credits"], figures["Calls"]) == ("17.00", "1")
    assert "days compared with" not in page
    august = Period.of("month", date(2026, 8, 1))
    assert shown(api_of(alice).get(august.path).content.decode())["Change"] == "not enough earlier data"
    assert "The period before: not enough earlier data." in notice_of(alice, august)


@pytest.mark.parametrize(("kind", "first"), [("month", "2026-06-01"), ("week", "2026-08-31"), ("week", "2026-08-03")])
def test_a_period_that_was_never_read_is_not_archived(kind: str, first: str, alice: User, api_of: ApiOf) -> None:
    archive(alice, FIRST, call("a", ts="2026-08-30 10:00:00", credits=1))
    period = Period.of(kind, date.fromisoformat(first))
    page = api_of(alice).get(period.path).content.decode()
    figures = shown(page)
    assert (figures["Credits"], figures["Calls"], figures["Change"]) == ("–", "–", "not archived")
    assert "Nothing of this period is archived." in page
    assert "No calls" not in page
    assert notice_of(alice, period).startswith(f"{period.first} to {period.last}: not archived.\n")


@pytest.mark.parametrize("is_read", [True, False])
def test_the_present_week_is_archived_once_its_days_were_read(is_read: bool, alice: User, api_of: ApiOf) -> None:
    archive(alice, FIRST, call("b", ts="2026-09-01 09:00:00", credits=4))
    if is_read:
        read(alice, "2026-09-07")
    page = api_of(alice).get("/summaries/week/2026-09-07").content.decode()
    figures = shown(page)
    credits, change = ("0.00", "▼ 100.0% less") if is_read else ("–", "not archived")
    assert (figures["Credits"], figures["Change"]) == (credits, change)
    assert figures["The period before, at this point"] == "4.00"
    assert ("No calls in this period." in page) is is_read


def test_days_that_are_not_archived_are_counted_on_both_sides(alice: User, api_of: ApiOf) -> None:
    archive(alice, FIRST, *[call(day, ts=f"2026-{day} 10:00:00", credits=2) for day in ("08-25", "09-01")])
    read(alice, "2026-08-24", "2026-08-26", "2026-08-31", "2026-09-02", "2026-09-03")
    week = Period.of("week", date(2026, 8, 31))
    page = api_of(alice).get(week.path).content.decode()
    assert shown(page)["Change"] == "unchanged"
    assert "4 of the days compared with are not archived." in page
    assert "3 days are not archived." in page
    notice = notice_of(alice, week)
    assert "The period before: 2 credits (unchanged). Days of it that are not archived: 4." in notice
    assert "Days that are not archived: 3." in notice


def test_a_period_without_calls_before_has_no_change(alice: User, api_of: ApiOf) -> None:
    archive(alice, FIRST, call("n", ts="2026-09-01 10:00:00", credits=2))
    read(alice, "2026-08-25")
    page = api_of(alice).get("/summaries/week/2026-08-31").content.decode()
    assert (shown(page)["The period before"], shown(page)["Change"]) == ("0.00", "no comparison")
    CoverageDay.objects.all().delete()
    page = api_of(alice).get("/summaries/week/2026-08-31").content.decode()
    assert (shown(page)["The period before"], shown(page)["Change"]) == ("–", "not enough earlier data")


def test_another_account_sees_its_own(filled: User, bob: User, api_of: ApiOf) -> None:
    page = api_of(bob).get("/summaries/week/2026-08-31").content.decode()
    assert "Nothing of this period is archived." in page
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
    with django_assert_max_num_queries(22):
        period_summary(filled.pk, Period.of("month", date(2026, 9, 1)))
