"""Leaving a page with unsaved fields, in a real browser: the browser asks first."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.settled import arrived
from tests.browser.waiting import until

pytestmark = pytest.mark.landing


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("path", "field"), [("/config", "#user_agent"), ("/config/instance", "#timeout"), ("/profile", "#display_name")]
)
def test_leaving_with_an_unsaved_field_asks(path: str, field: str, page: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.goto(path)
    place = page.locator(field)
    before = place.input_value()
    place.click()
    page.keyboard.type("7")
    page.once("dialog", stay)
    page.get_by_role("link", name="Records", exact=True).first.click()
    until(page, lambda: asked, "the browser does not ask")
    expect(place).not_to_have_value(before)
    assert asked == ["beforeunload"]
    place.fill(before)
    page.get_by_role("link", name="Records", exact=True).first.click()
    arrived(page, "/records")
    assert asked == ["beforeunload"]


def test_a_paste_that_is_not_saved_asks_too(page: Page) -> None:
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.goto("/config")
    page.locator("#cookie").click()
    page.keyboard.type("session=1")
    page.once("dialog", leave)
    page.get_by_role("link", name="Runs", exact=True).first.click()
    arrived(page, "/runs")
    assert asked == ["beforeunload"]
