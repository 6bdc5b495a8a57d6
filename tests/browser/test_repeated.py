"""What repeats, in a real browser: groups of calls whose prompts begin alike (docs/api.md#repeated)."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.accounts import enter
from tests.browser.records_page import said
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing

ANSWER = "**/api/repeated*"


def part_of(page: Page) -> Locator:
    return page.locator("#repeated")


def test_a_group_says_what_it_cost_and_leads_to_its_records(reader: Page) -> None:
    reader.goto("/repeated?period=all")
    row = part_of(reader).locator("tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator("[data-prompt]")).to_have_text("Question 117 about bread")
    expect(row.locator("[data-calls]")).to_have_text("118")
    expect(row.locator("[data-models] li")).to_have_text(
        ["glm 40 calls, 1,000,000,028.25", "claude 39 calls, 29.25", "kimi 39 calls, 28.25"], use_inner_text=True
    )
    expect(row.locator("[data-cheapest]")).to_have_text("kimi: about 85.47")
    row.get_by_role("link").click()
    expect(said(reader)).to_have_text("1 to 50 of 118")
    assert "q=Question" in reader.url


def test_filters_choose_the_calls(reader: Page) -> None:
    reader.goto("/repeated?period=all")
    reader.get_by_label("Model", exact=True).select_option("kimi")
    expect(part_of(reader).locator("[data-calls]")).to_have_text("39")
    expect(part_of(reader).locator("[data-cheapest]")).to_have_text("–")
    reader.get_by_label("Model", exact=True).select_option("rare model")
    expect(part_of(reader)).to_contain_text("No prompt repeats among these calls.")
    expect(part_of(reader).locator("table")).to_be_hidden()


def test_the_page_says_how_far_an_upgrade_is(reader: Page) -> None:
    def unfinished(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "prepared": 45})

    reader.route(ANSWER, unfinished)
    reader.goto("/repeated?period=all")
    expect(part_of(reader).get_by_role("status").first).to_contain_text("45.0% of your calls have been prepared")
    # The page asks again meanwhile, and leaves before that is answered.
    reader.unroute_all(behavior="ignoreErrors")
    reader.reload()
    expect(part_of(reader).locator("[data-calls]")).to_have_text("118")
    expect(part_of(reader).locator("[data-preparing]")).to_be_hidden()


def test_a_failure_can_be_tried_again(reader: Page, watch: Watch) -> None:
    watch.allowed = {503}
    reader.route(ANSWER, lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    reader.goto("/repeated?period=all")
    expect(part_of(reader).get_by_role("alert")).to_contain_text("Away.")
    reader.unroute(ANSWER)
    part_of(reader).get_by_role("button", name="Try again").click()
    expect(part_of(reader).locator("[data-calls]")).to_have_text("118")


def test_an_empty_archive_says_what_will_be_here(page: Page, archives: Instance) -> None:
    enter(page.context, archives, "newcomer")
    page.goto("/repeated")
    expect(page.get_by_role("heading", name="Nothing is archived yet")).to_be_visible()
    expect(part_of(page)).to_be_hidden()


def test_the_menu_and_the_overview_lead_to_it(reader: Page) -> None:
    reader.goto("/?period=all")
    link = reader.locator("[data-part=top] [data-repeated]")
    expect(link).to_have_attribute("href", "/repeated?period=all")
    reader.locator("#own-name").click()
    reader.locator(".menu-items").get_by_role("link", name="What repeats").click()
    expect(reader.get_by_role("heading", name="What repeats")).to_be_visible()
