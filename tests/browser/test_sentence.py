"""The sentence before the figures, in a real browser; tests/scripts/sentence.test.mjs holds what it says."""

from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accounts import enter
from tests.browser.ledger_page import LEDGER, READER
from tests.browser.overview_page import part
from tests.browser.running_instance import Instance
from tests.browser.test_unknown_days import away
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing
NAME = "sentence-reader"


@pytest.fixture(scope="module")
def today(instance: Instance) -> date:
    return date.fromisoformat(instance.manage("shell", "-c", LEDGER.replace(READER, NAME)).split()[-1])


def sentence(page: Page) -> Locator:
    return part(page, "figures").locator("[data-sentence]")


def shown(page: Page, instance: Instance, first: date, last: date, more: str = "compare=none") -> Page:
    enter(page.context, instance, NAME)
    page.goto(f"/?from={first}&to={last}&{more}")
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    return page


def test_its_nouns_lead_to_what_they_name(page: Page, instance: Instance, today: date) -> None:
    first, last = today - timedelta(days=8), today - timedelta(days=6)
    shown(page, instance, first, last)
    expect(sentence(page)).to_contain_text(f"{first} to {last}: 12.00 credits. The most expensive call cost 2.00 on ")
    sentence(page).get_by_role("link", name="most expensive call").click()
    expect(page.locator("#record")).to_contain_text("why")
    shown(page, instance, first, last, f"compare={last}..{last}")
    expect(sentence(page)).to_contain_text(f"{first} to {last}: 12.00 credits, 100.0% more than ")
    sentence(page).get_by_role("link").nth(2).click()
    expect(part(page, "figures").locator("[data-figure=credits]")).to_have_text("6.00")


@pytest.mark.thorough
def test_days_that_are_not_complete_are_compared_with_nothing(page: Page, instance: Instance, today: date) -> None:
    first = today - timedelta(days=3)
    shown(page, instance, first, today - timedelta(days=1), f"compare={today - timedelta(days=8)}..{first}")
    expect(sentence(page)).to_contain_text(f"{first} to {today - timedelta(days=1)}: 18.00 archived credits. The most")
    shown(page, instance, today - timedelta(days=5), today - timedelta(days=4))
    expect(sentence(page)).to_have_text(f"{today - timedelta(days=5)} to {today - timedelta(days=4)}: not archived.")


def test_it_leaves_out_what_could_not_be_read(page: Page, instance: Instance, today: date, watch: Watch) -> None:
    watch.expect(503)
    first, last = today - timedelta(days=8), today - timedelta(days=6)
    page.route("**/api/top*", away)
    shown(page, instance, first, last)
    expect(sentence(page)).to_have_text(f"{first} to {last}: 12.00 credits.")
    page.route("**/api/summary*", away)
    page.reload()
    expect(part(page, "figures")).to_contain_text("Away.")
    expect(sentence(page)).to_have_text("")
