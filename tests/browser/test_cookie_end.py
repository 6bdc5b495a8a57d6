"""The banner for a cookie that ends soon, in a real browser."""

import re
import time
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.collecting import make_runs, note_heartbeat
from tests.browser.page_faults import violations
from tests.browser.running_instance import Instance
from tests.browser.settled import answered
from tests.browser.visits import send

pytestmark = pytest.mark.landing

DAY = timedelta(days=1)
SAID = re.compile(r"Your cookie ends on \d{4}-\d\d-\d\d \d\d:\d\d\. Copy a new one from your browser\.")


def cookie(left: timedelta) -> str:
    return f"session=somebody|{int(time.time() + left.total_seconds())}|hash0value"


def banner(page: Page) -> Locator:
    return page.locator("#banner")


def opened(page: Page, path: str) -> Page:
    """A page, after its first status."""
    with page.expect_response("**/api/status"):
        page.goto(path)
    answered(page)
    return page


@pytest.fixture(autouse=True)
def alive(page: Page, user_id: int, instance: Instance) -> None:
    """A new account; nothing is wrong with the workers."""
    note_heartbeat(instance)


def test_it_is_said_on_every_page_with_what_to_do(page: Page) -> None:
    send(page, "/api/settings", cookie=cookie(DAY))
    for path in ("/", "/records", "/runs", "/profile"):
        opened(page, path)
        expect(banner(page)).to_have_text(re.compile(SAID.pattern + " Open settings$"))
        expect(banner(page).get_by_role("link")).to_have_attribute("href", "/config")
    assert violations(page, "#banner") == {}
    opened(page, "/config")
    expect(banner(page)).to_have_text(SAID)
    expect(banner(page).get_by_role("link")).to_have_count(0)


def test_an_end_that_has_passed_is_said_until_a_collection_went_well(
    page: Page, user_id: int, instance: Instance
) -> None:
    send(page, "/api/settings", cookie=cookie(-2 * DAY))
    opened(page, "/profile")
    expect(banner(page)).to_have_text(re.compile(SAID.pattern.replace("ends", "ended")))
    make_runs(instance, user_id, ("manual", "ok", 0))
    opened(page, "/profile")
    expect(banner(page)).to_be_hidden()


def test_a_new_cookie_takes_it_away(page: Page) -> None:
    send(page, "/api/settings", cookie=cookie(DAY))
    opened(page, "/config")
    expect(banner(page)).to_be_visible()
    page.locator("#cookie").fill(cookie(9 * DAY))
    page.get_by_role("button", name="Save cookie").click()
    expect(banner(page)).to_be_hidden()


def test_it_comes_up_on_a_page_that_stays_open(page: Page) -> None:
    send(page, "/api/settings", cookie=cookie(3 * DAY))
    opened(page, "/profile")
    expect(banner(page)).to_be_hidden()
    send(page, "/api/settings", cookie=cookie(DAY))
    with page.expect_response("**/api/status"):
        page.evaluate("document.dispatchEvent(new CustomEvent('archive:signed-in'))")
    expect(banner(page)).to_have_text(re.compile(SAID.pattern))


def test_a_refused_cookie_is_said_instead(page: Page, user_id: int, instance: Instance) -> None:
    send(page, "/api/settings", cookie=cookie(DAY))
    make_runs(instance, user_id, ("manual", "failed", 4), newest=0)
    opened(page, "/profile")
    expect(banner(page)).to_contain_text("has expired")
    expect(banner(page)).not_to_contain_text("ends on")


def test_a_refused_token_without_a_cookie_is_said_to_be_one(page: Page, user_id: int, instance: Instance) -> None:
    send(page, f"/api/archives/{user_id}", credential={"token": "opaque" * 5, "user_id": "somebody"})
    make_runs(instance, user_id, ("manual", "failed", 4), newest=0)
    page.goto("/profile", wait_until="commit")
    said = re.compile(r"CodeBuddy refuses the token\. .* Open archives$")
    expect(banner(page)).to_have_text(said)
    opened(page, "/profile")
    expect(banner(page)).to_have_text(said)
    expect(banner(page).get_by_role("link")).to_have_attribute("href", "/archives")


def test_a_collection_that_failed_otherwise_is_said_instead(page: Page, user_id: int, instance: Instance) -> None:
    send(page, "/api/settings", cookie=cookie(DAY))
    make_runs(instance, user_id, ("manual", "failed", 1))
    opened(page, "/profile")
    expect(banner(page)).to_contain_text("The last collection failed.")
    expect(banner(page)).not_to_contain_text("ends on")
