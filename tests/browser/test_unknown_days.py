"""Days that are not archived, in a real browser: the figures say so, and zero is not unknown."""

from datetime import date, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.overview_page import part
from tests.browser.running_instance import Instance
from tests.browser.test_ledger import LEDGER, READER
from tests.browser.visits import enter


@pytest.fixture(scope="module")
def today(instance: Instance) -> date:
    return date.fromisoformat(instance.manage("shell", "-c", LEDGER.replace(READER, "unknown-reader")).split()[-1])


def shown(page: Page, instance: Instance, first: date, last: date, compared: str = "none") -> Page:
    enter(page.context, instance, "unknown-reader")
    page.goto(f"/?from={first}&to={last}&compare={compared}")
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    return page


def test_the_figures_count_the_days_that_are_not_archived_and_lead_to_the_ledger(
    page: Page, instance: Instance, today: date
) -> None:
    shown(page, instance, today - timedelta(days=8), today)
    link = part(page, "figures").get_by_role("link", name="2 days not archived")
    link.click()
    expect(part(page, "coverage")).to_be_in_viewport()
    shown(page, instance, today - timedelta(days=3), today)
    expect(part(page, "figures").locator("[data-unknown]")).to_be_hidden()


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
    part(page, "month").get_by_text("View as table").click()
    column = 0 if skipped[0].month == today.month else 1
    row = part(page, "month").get_by_role("row").nth(skipped[0].day)
    expect(row.get_by_role("cell").nth(column)).to_have_text("not archived")


def test_averages_of_hours_leave_out_days_that_are_not_archived(page: Page, instance: Instance, today: date) -> None:
    # Eight days: the weekday of day 8 also has day 1. Of 4 and 5 nothing is known, so they have no average of zero.
    shown(page, instance, today - timedelta(days=12), today - timedelta(days=1))
    part(page, "hours").get_by_text("View as table").click()
    # Day 3 has calls, and day 10 of the same weekday is unknown: the average is that of day 3.
    row = part(page, "hours").get_by_role("row").filter(has_text=f"{today - timedelta(days=3):%a}")
    expect(row.get_by_role("cell").first).to_have_text("2.00")
