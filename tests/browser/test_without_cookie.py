"""An account without a cookie in a real browser: the frame leads to the cookie, and nothing there is an alarm."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.collecting import make_runs, rows_of
from tests.browser.running_instance import Instance
from tests.browser.settled import answered, arrived
from tests.browser.visits import send, token_of
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing


def test_the_frame_leads_to_the_cookie_until_one_is_set(page: Page, user_id: int, gated: GatedSimulator) -> None:
    send(page, "/api/settings", cookie="__clear__")
    page.goto("/profile")
    link, button = page.locator("#set-cookie"), page.locator("#collect")
    answered(page)
    expect(button).to_be_hidden()
    link.click()
    arrived(page, "/config#cookie-part")
    page.locator("#cookie").fill(gated.cookie())
    page.get_by_role("button", name="Save cookie").click()
    expect(link).to_be_hidden()
    expect(button).to_be_visible()
    page.locator("#cookie-clear").click()
    page.locator("#clear-dialog [value=clear]").click()
    expect(button).to_be_hidden()
    expect(link).to_be_visible()


def test_beside_the_first_steps_it_leads_to_them(page: Page, user_id: int) -> None:
    page.goto("/")
    expect(page.locator("#set-cookie")).to_have_attribute("href", "#first-steps")
    expect(page.locator("#collect")).to_be_hidden()


def test_a_run_without_a_cookie_is_kept_and_is_no_alarm(page: Page, user_id: int) -> None:
    refused = page.request.post("/api/collect", data={}, headers={"X-CSRF-Token": token_of(page.context)})
    assert (refused.status, refused.json()["error"]) == (409, "no_cookie")
    page.goto("/runs")
    answered(page)
    expect(rows_of(page).locator(".outcome")).to_have_text("No cookie")
    last = page.locator("#last-run")
    expect(last).to_contain_text("Nothing was collected")
    expect(last).to_have_attribute("data-outcome", "none")
    expect(page.locator("#banner")).to_contain_text("No cookie is set")
    expect(page.locator("#banner")).not_to_contain_text("failed")
    send(page, "/api/settings", cookie="session=1|2|3")
    page.reload()
    answered(page)
    expect(last).to_have_attribute("data-outcome", "none")
    expect(page.locator("#banner")).to_be_hidden()


def test_a_run_that_failed_otherwise_is_an_alarm_as_ever(page: Page, user_id: int, instance: Instance) -> None:
    send(page, "/api/settings", cookie="session=1|2|3")
    make_runs(instance, user_id, ("manual", "failed", 5))
    page.goto("/runs")
    expect(page.locator("#last-run")).to_have_attribute("data-outcome", "failed")
    expect(page.locator("#banner")).to_contain_text("The last collection failed")


def test_the_palette_does_not_offer_to_collect(page: Page, user_id: int) -> None:
    page.goto("/runs")
    answered(page)
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to")
    expect(palette.get_by_role("option", name="Sign out", exact=True)).to_be_attached()
    expect(palette.get_by_role("option", name="Collect", exact=True)).to_have_count(0)
