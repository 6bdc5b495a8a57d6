"""The privacy of prompts on the settings page, in a browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.page_faults import overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.visits import send, visitor
from tests.factories import PASSWORD

pytestmark = pytest.mark.landing


@pytest.fixture
def owner(page: Page, browser: Browser, instance: Instance) -> Iterator[Page]:
    """An account of its own: what it applies is gone."""
    send(page, "/api/users", username="privy", password=PASSWORD, password2=PASSWORD)
    visiting = visitor(browser, instance, "privy", PASSWORD)
    yield visiting
    visiting.context.close()


def test_the_choice_is_stored_and_applied(owner: Page) -> None:
    page = owner
    page.goto("/config")
    card = page.locator("#privacy")
    mode = card.get_by_label("What is kept of prompts")
    expect(mode).to_have_value("whole")
    mode.select_option(label="Hashes of their words")
    card.get_by_role("button", name="Save").click()
    expect(card.get_by_text("This is what is kept of prompts from now on.")).to_be_visible()
    assert violations(page) == {}
    assert [width for width in (320, 1280) if overflow(page, width) > 0] == []
    card.get_by_role("button", name="Apply to all calls").click()
    page.get_by_role("dialog").get_by_role("button", name="Apply", exact=True).click()
    expect(card.get_by_text(re.compile("Last applied|Being applied"))).to_be_visible()
    page.reload()
    expect(mode).to_have_value("hash")
    assert "Whole words of prompts" in page.request.get("/records").text()
