"""Days that are not archived, in a real browser: the figures say so, and zero is not unknown."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.accounts import enter
from tests.browser.ledger_page import LEDGER, READER
from tests.browser.overview_page import FIRST_TAB, choose_period, open_tab, open_table, part
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing


@pytest.fixture(scope="module")
def today(instance: Instance) -> date:
    return date.fromisoformat(instance.manage("shell", "-c", LEDGER.replace(READER, "unknown-reader")).split()[-1])


def shown(page: Page, instance: Instance, first: date, last: date, compared: str = "none") -> Page:
    enter(page.context, instance, "unknown-reader")
    page.goto(f"/?from={first}&to={last}&compare={compared}")
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    return page


def seal(page: Page) -> Locator:
    return part(page, "figures").locator("[data-seal]")


def test_the_seal_counts_the_days_that_are_not_archived_and_leads_to_the_ledger(
    page: Page, instance: Instance, today: date
) -> None:
    shown(page, instance, today - timedelta(days=8), today)
    expect(seal(page)).to_have_attribute("data-seal", "lacking")
    seal(page).get_by_role("link", name="2 days not archived, 1 day is not complete").click()
    expect(part(page, "coverage")).to_be_in_viewport()


def test_the_seal_says_since_when_all_calls_are_here_in_one_place(page: Page, instance: Instance, today: date) -> None:
    shown(page, instance, today - timedelta(days=8), today - timedelta(days=6))
    first, last = (f"{today - timedelta(days=back):%b %-d}" for back in (8, 6))
    expect(seal(page)).to_contain_text(
        re.compile(rf"lists from {first}.* to {last}.* is here, compared today \d\d:\d\d$")
    )
    expect(seal(page)).to_have_attribute("data-seal", "whole")
    expect(part(page, "coverage")).not_to_contain_text("missing")
    shown(page, instance, today - timedelta(days=1), today)
    expect(seal(page)).to_contain_text(f"Every call that CodeBuddy lists since {today - timedelta(days=1):%b %-d}")
    # A day that lacks a call, then one that nobody has read.
    shown(page, instance, today - timedelta(days=3), today)
    expect(seal(page)).to_have_text("1 day is not complete")
    shown(page, instance, today - timedelta(days=5), today - timedelta(days=5))
    expect(seal(page)).to_have_text("1 day not archived")
    shown(page, instance, today, today)
    expect(seal(page)).to_have_text("Today is not over yet.")


def test_nothing_is_proved_without_the_ledger(page: Page, instance: Instance, today: date, watch: Watch) -> None:
    watch.expect(503)
    page.route("**/api/coverage*", away)
    shown(page, instance, today - timedelta(days=8), today - timedelta(days=6))
    expect(part(page, "coverage").locator("[data-failed]")).to_contain_text("Away.")
    expect(seal(page)).to_have_text("")


def figure(page: Page, name: str, of: str = "figure") -> Locator:
    return part(page, "figures").locator(f"[data-{of}={name}]")


def away(route: Route) -> None:
    route.fulfill(status=503, json={"ok": False, "message": "Away."})


def test_figures_of_days_that_are_not_archived_are_unknown_rather_than_zero(
    page: Page, instance: Instance, today: date
) -> None:
    before = f"{today - timedelta(days=2)}..{today - timedelta(days=1)}"
    shown(page, instance, today - timedelta(days=5), today - timedelta(days=4), before)
    for name in ("credits", "calls", "average", "free"):
        expect(figure(page, name)).to_have_text("–")
        expect(figure(page, name, "change")).to_have_text("not archived")
    expect(figure(page, "credits", "was")).to_have_text("was 12.00")
    # One day more is known, and its calls are the value.
    shown(page, instance, today - timedelta(days=5), today - timedelta(days=3), before)
    expect(figure(page, "credits")).to_have_text("6.00")
    expect(figure(page, "credits", "change")).to_contain_text("less")
    # This day was read and has no calls.
    shown(page, instance, today - timedelta(days=7), today - timedelta(days=7), before)
    expect(figure(page, "calls")).to_have_text("0")
    expect(figure(page, "calls", "change")).to_contain_text("fewer")


def test_figures_without_calls_are_unknown_while_the_ledger_is(
    page: Page, instance: Instance, today: date, watch: Watch
) -> None:
    watch.expect(503)
    page.route("**/api/coverage*", away)
    shown(page, instance, today - timedelta(days=7), today - timedelta(days=7))
    expect(figure(page, "calls")).to_have_text("–")
    expect(figure(page, "calls", "change")).to_have_text("")
    page.unroute("**/api/coverage*")
    part(page, "coverage").get_by_role("button", name="Try again").click()
    expect(figure(page, "calls")).to_have_text("0")


@pytest.mark.thorough
def test_days_compared_with_that_are_not_archived_are_not_enough_data(
    page: Page, instance: Instance, today: date
) -> None:
    first = today - timedelta(days=3)
    shown(page, instance, first, today, f"{today - timedelta(days=5)}..{today - timedelta(days=4)}")
    for name in ("credits", "calls", "average", "free"):
        expect(figure(page, name, "was")).to_have_text("")
        expect(figure(page, name, "change")).to_have_text("not enough earlier data")
    shown(page, instance, first, today, f"{today - timedelta(days=7)}..{today - timedelta(days=7)}")
    expect(figure(page, "calls", "was")).to_have_text("was 0")


@pytest.mark.thorough
def test_the_hours_of_a_weekday_that_is_not_archived_are_hatched(page: Page, instance: Instance, today: date) -> None:
    shown(page, instance, today - timedelta(days=5), today - timedelta(days=2))
    open_tab(page)
    hours = part(page, "hours")
    expect(hours.locator("[data-legend]")).to_have_text("not archived")
    expect(hours.locator(".heat-unknown")).to_have_count(1)
    open_table(hours)
    for back in (4, 5):
        row = hours.get_by_role("row").filter(has_text=f"{today - timedelta(days=back):%a}, not archived")
        expect(row.get_by_role("cell")).to_have_text(["–"] * 24)
    shown(page, instance, today - timedelta(days=3), today - timedelta(days=2))
    open_tab(page)
    expect(hours.locator("[data-legend] li")).to_have_count(0)
    expect(hours.locator(".heat-unknown")).to_have_count(0)


def test_a_month_that_lacks_days_has_them_in_the_legend(page: Page, instance: Instance, today: date) -> None:
    shown(page, instance, today - timedelta(days=8), today)
    part(page, "days").get_by_label("Months", exact=True).check()
    expect(part(page, "days").locator("h2")).to_have_text("Months")
    expect(part(page, "days").locator("[data-legend]")).to_contain_text("not archived")
    shown(page, instance, today - timedelta(days=3), today)
    part(page, "days").get_by_label("Months", exact=True).check()
    expect(part(page, "days").locator("h2")).to_have_text("Months")
    expect(part(page, "days").locator("[data-legend]")).not_to_contain_text("not archived")


def test_the_calendar_has_no_zeros_without_the_ledger_and_keeps_one_that_it_has(
    page: Page, instance: Instance, today: date, watch: Watch
) -> None:
    watch.expect(503)
    page.route("**/api/coverage*", away)
    shown(page, instance, today - timedelta(days=8), today)
    open_tab(page)
    year = part(page, "year")
    expect(year.locator(".heat-blank")).to_have_count(1)
    expect(year.locator(".heat-0")).to_have_attribute("d", "")
    page.unroute("**/api/coverage*")
    open_tab(page, FIRST_TAB)
    part(page, "coverage").get_by_role("button", name="Try again").click()
    open_tab(page)
    expect(year.locator("[data-legend]")).to_contain_text("not archived")
    expect(year.locator(".heat-blank")).to_have_count(0)
    page.route("**/api/coverage*", away)
    choose_period(page, "Last 7 days")
    expect(year).to_have_attribute("aria-busy", "false")
    expect(year.locator("[data-legend]")).to_contain_text("not archived")
    expect(year.locator(".heat-0")).to_have_attribute("d", re.compile("^M"))


def test_the_calendar_does_not_need_the_figures_to_hatch_days(
    page: Page, instance: Instance, today: date, watch: Watch
) -> None:
    watch.expect(503)
    page.route("**/api/summary*", away)
    shown(page, instance, today - timedelta(days=8), today)
    expect(part(page, "figures").locator("[data-failed]")).to_contain_text("Away.")
    expect(part(page, "coverage").get_by_role("slider")).to_be_visible()
    open_tab(page)
    expect(part(page, "year").locator("[data-legend]")).to_contain_text("not archived")


def test_small_lines_have_a_gap_where_nothing_is_known(page: Page, instance: Instance, today: date) -> None:
    shown(page, instance, today - timedelta(days=8), today)
    for spark in (page.locator("[data-spark=credits]"), part(page, "models").locator("[data-spark]").first):
        # The two days together are one gap between two lines; day 7 is known to have no calls.
        expect(spark.locator(".spark-unknown")).to_have_count(1)
        expect(spark.locator("polyline")).to_have_count(2)


def test_a_comparison_says_that_earlier_days_are_not_archived(page: Page, instance: Instance, today: date) -> None:
    before = f"{today - timedelta(days=6)}..{today - timedelta(days=3)}"
    shown(page, instance, today - timedelta(days=2), today, before)
    words = "2 of the days compared with are not archived"
    expect(part(page, "figures").locator("[data-unknown-before]")).to_have_text(words)
    expect(part(page, "models").get_by_text(words)).to_be_visible()
    shown(page, instance, today - timedelta(days=2), today, f"{today - timedelta(days=3)}..{today - timedelta(days=3)}")
    expect(page.get_by_text("of the days compared with").locator("visible=true")).to_have_count(0)


def test_the_month_to_date_hatches_the_days_that_are_not_archived(page: Page, instance: Instance, today: date) -> None:
    shown(page, instance, today - timedelta(days=8), today)
    skipped = [today - timedelta(days=back) for back in (4, 5)]
    months = {f"{day:%B %Y}" for day in skipped}
    for month in months:
        expect(part(page, "month").locator("[data-unknown]")).to_contain_text(month)
    open_table(part(page, "month"))
    column = 0 if skipped[0].month == today.month else 1
    row = part(page, "month").get_by_role("row").nth(skipped[0].day)
    expect(row.get_by_role("cell").nth(column)).to_have_text("not archived")


def test_averages_of_hours_leave_out_days_that_are_not_archived(page: Page, instance: Instance, today: date) -> None:
    # Eight days: the weekday of day 8 also has day 1. Of 4 and 5 nothing is known, so they have no average of zero.
    shown(page, instance, today - timedelta(days=12), today - timedelta(days=1))
    open_tab(page)
    open_table(part(page, "hours"))
    # Day 3 has calls, and day 10 of the same weekday is unknown: the average is that of day 3.
    row = part(page, "hours").get_by_role("row").filter(has_text=f"{today - timedelta(days=3):%a}")
    expect(row.get_by_role("cell").first).to_have_text("2.00")


# The archive ends with the month before, as a file did, and nobody collects.
IMPORTED = """
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call

today, reader = clock.today(), make_user("import-reader")
last = today.replace(day=1) - timedelta(days=1)
archive(reader, *(
    call(f"r{back}", ts=f"{last - timedelta(days=back)} 00:00:00", credits=2, prompt="why") for back in range(70)
))
"""


@pytest.mark.thorough
def test_a_month_of_which_nothing_was_read_is_not_archived_whatever_today_is(page: Page, instance: Instance) -> None:
    instance.manage("shell", "-c", IMPORTED)
    enter(page.context, instance, "import-reader")
    for period in ("month", "today"):
        page.goto(f"/?period={period}")
        expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
        expect(figure(page, "credits")).to_have_text("–")
        expect(figure(page, "credits", "change")).to_have_text("not archived")
        expect(part(page, "figures").locator("[data-sentence]")).to_have_text(re.compile(": not archived.$"))


def test_days_to_come_are_said_to_be_so_and_are_compared_with_nothing(
    page: Page, instance: Instance, today: date
) -> None:
    first, last = today + timedelta(days=3), today + timedelta(days=34)
    shown(page, instance, first, last, "previous")
    figures = part(page, "figures")
    expect(figures.locator("[data-sentence]")).to_have_text(f"{first} to {last}: still to come.")
    expect(seal(page)).to_have_text("Still to come.")
    expect(figures.locator("[data-window]")).to_have_text(f"{first} to {last}")
    for name in ("credits", "calls", "average", "free"):
        expect(figure(page, name)).to_have_text("–")
        expect(figure(page, name, "change")).to_have_text("")
        expect(figure(page, name, "was")).to_have_text("")
    page.goto(f"/?from={first}")
    expect(seal(page)).to_have_text("Still to come.")
