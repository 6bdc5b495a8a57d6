"""The first steps in a real browser: paste, test, collect, and the test beside the settings' paste box."""

import re

import pytest
from playwright.sync_api import Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.browser.accounts import enter, make_account
from tests.browser.page_faults import overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.test_first_run_to_totals import AGENT, collect
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing

# The same day in each zone.
# An instant that is of one day in each zone in which it may be afternoon now.
ENDED = "session=somebody|1700044200|hash"


@pytest.fixture
def beginner(page: Page, instance: Instance) -> Page:
    """The page of an account that has nothing yet."""
    make_account(instance, "beginner")
    enter(page.context, instance, "beginner")
    page.goto("/")
    return page


def test_an_empty_archive_shows_what_it_will_look_like(page: Page, user_id: int) -> None:
    page.goto("/")
    drawing = page.get_by_role("img", name="Drawing of a filled overview with invented figures")
    expect(drawing).to_be_visible()
    expect(page.get_by_text("An example, not your data")).to_be_visible()
    # A drawing has no figures for a screen reader.
    assert "5,592" not in page.locator(".example").aria_snapshot()
    assert [width for width in (320, 390, 1280) if overflow(page, width) > 0] == []
    assert violations(page) == {}
    expect(page.locator(".example")).to_contain_text("make demo")
    page.get_by_role("link", name="Import them").focus()
    page.keyboard.press("Enter")
    arrived(page, "/import")


def test_a_beginner_is_led_from_the_paste_box_to_the_charts(
    beginner: Page, instance: Instance, upstream: Simulator, watch: Watch
) -> None:
    watch.expect(409, 429)
    page = beginner
    box, test, tested = page.locator("#cookie"), page.get_by_role("button", name="Test"), page.locator("[data-tested]")
    expect(page.get_by_role("img", name="Drawing of a browser")).to_be_visible()

    test.click()
    expect(page.locator("#cookie-error")).to_have_text("Paste a cookie first.")
    instance.forget_counts()
    box.fill(ENDED)
    test.click()
    expect(tested).to_contain_text("The cookie expired on 2023-11-15")
    expect(box).to_have_value(ENDED)
    test.click()
    expect(tested).to_contain_text(re.compile(r"wait \d+ seconds"))

    instance.forget_counts()
    box.fill(f"curl '{upstream.base_url}{upstream.path}' -H 'Cookie: {upstream.cookie()}' -H 'User-Agent: {AGENT}'")
    expect(tested).to_be_empty()
    test.click()
    expect(tested).to_contain_text(re.compile(r"The cookie works\..*Newest call: \d{4}-", re.DOTALL))
    expect(page.get_by_role("button", name="Collect now")).to_be_disabled()
    steps = page.locator(".way > li")
    expect(steps.locator("nth=0")).not_to_have_attribute("data-done", "")
    page.get_by_role("button", name="Save cookie").click()
    expect(page.get_by_text("Your cookie is set")).to_be_visible()
    expect(page.get_by_role("button", name="Collect now")).to_be_focused()
    expect(steps).to_have_count(3)
    expect(page.locator(".way > li[data-done='']")).to_have_count(2)
    expect(steps.nth(2)).not_to_have_attribute("data-done", "")
    page.reload()
    expect(steps).to_have_count(3)
    expect(page.locator(".way > li[data-done='']")).to_have_count(2)
    expect(steps.nth(2)).not_to_have_attribute("data-done", "")
    # The paste box is opened again where it was.
    page.get_by_role("button", name="Change it").press("Enter")
    expect(box).to_be_focused()
    arrived(page, re.compile("/$"))

    collect(page)
    expect(page.get_by_role("heading", name="First steps")).to_be_hidden()
    expect(page.locator("[data-step-progress]")).to_have_text(re.compile(r"^[1-9][\d,]* calls read, [\d,]+ stored\.$"))
    expect(page.locator("#overview")).to_be_visible()

    instance.forget_counts()
    page.goto("/config")
    test.click()
    expect(tested).to_contain_text("The cookie works.")


def test_a_cookie_is_tested_as_soon_as_it_is_saved_and_a_refused_one_ticks_nothing(
    page: Page, user_id: int, upstream: Simulator, instance: Instance
) -> None:
    instance.forget_counts()
    page.goto("/")
    steps = page.locator(".way > li[data-done]")
    page.locator("#cookie").fill(ENDED)
    page.get_by_role("button", name="Save cookie").click()
    expect(page.locator("[data-tested]")).to_contain_text("The cookie expired on 2023-11-15")
    expect(steps).to_have_count(0)
    instance.forget_counts()
    page.locator("#cookie").fill(upstream.cookie())
    page.get_by_role("button", name="Save cookie").click()
    expect(steps).to_have_count(2)
