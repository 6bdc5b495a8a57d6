"""Saved views in a real browser, and the menus of views and filters on a phone."""

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.browser.page_faults import NARROW, overflow, violations
from tests.browser.records_page import said
from tests.browser.visits import Watch, send

pytestmark = pytest.mark.landing


def test_a_view_is_saved_opened_renewed_deleted_and_brought_back(reader: Page) -> None:
    page = reader
    page.goto("/records?model=glm&model=kimi&order=credits_desc&size=20&page=2")
    menu = page.locator("#views")
    summary = menu.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(menu).to_contain_text("A view keeps the filters")
    menu.get_by_label("Save what is shown as").fill("Two models")
    page.keyboard.press("Enter")
    expect(menu.get_by_role("status")).to_have_text("The view “Two models” is saved.")
    link = menu.get_by_role("link", name="Two models")
    expect(link).to_have_attribute("href", "/records?model=glm&model=kimi&order=credits_desc&size=20")
    expect(link).to_have_attribute("aria-current", "true")
    assert violations(page, "main", looks=[("light", 1280, {})]) == {}

    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    summary.click()
    link.press("Enter")
    expect(said(page)).to_have_text("1 to 20 of 79")
    expect(summary).to_be_focused()
    expect(link).to_be_hidden()
    page.get_by_label("Client", exact=True).select_option("ide")
    expect(said(page)).to_have_text("1 to 20 of 39")

    summary.click()
    menu.get_by_label("Save what is shown as").fill("  Two   models ")
    menu.get_by_role("button", name="Save").click()
    expect(link).to_have_attribute("href", re.compile("client=ide"))
    expect(menu.get_by_role("status")).to_have_text("The view “Two models” has the filters of this list now.")
    menu.get_by_role("button", name="Undo").click()
    expect(link).not_to_have_attribute("href", re.compile("client=ide"))
    menu.get_by_label("Save what is shown as").fill("Two models")
    menu.get_by_role("button", name="Save").click()
    expect(link).to_have_attribute("href", re.compile("client=ide"))
    menu.get_by_role("button", name="Delete the view “Two models”").click()
    expect(menu.get_by_role("status")).to_have_text("The view “Two models” is deleted.")
    expect(link).to_be_hidden()
    expect(menu.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(link).to_have_attribute("href", re.compile("client=ide"))
    menu.get_by_role("button", name="Delete the view “Two models”").click()
    expect(link).to_be_hidden()


def test_of_views_with_the_same_filters_the_one_that_was_chosen_is_marked(reader: Page) -> None:
    page = reader
    page.goto("/records?order=credits_asc&size=20")
    for name in ("Cheap", "Small"):
        assert send(page, "/api/views", name=name, query="order=credits_asc&size=20")["ok"]
    menu = page.locator("#views")
    menu.locator("summary").click()
    expect(menu.get_by_role("link", name="Small")).to_be_visible()
    expect(menu.locator("[aria-current]")).to_have_count(0)
    menu.get_by_role("link", name="Small").click()
    menu.locator("summary").click()
    expect(menu.locator("[aria-current]")).to_have_text(["Small"])
    for name in ("Cheap", "Small"):
        menu.get_by_role("button", name=f"Delete the view “{name}”").click()
        expect(menu.get_by_role("link", name=name)).to_be_hidden()


def test_a_view_that_is_saved_while_the_menu_still_loads_is_shown(reader: Page) -> None:
    page = reader
    page.goto("/records?client=cli")
    assert send(page, "/api/views", name="Older", query="client=ide")["ok"]
    reads: list[Route] = []
    held: list[tuple[Route, APIResponse]] = []

    def hold_the_first_read(route: Route) -> None:
        if reads or route.request.method != "GET":
            route.continue_()
            return
        # Before it is fetched: the next read may come meanwhile.
        reads.append(route)
        held.append((route, route.fetch()))

    page.route("**/api/views", hold_the_first_read)
    menu = page.locator("#views")
    menu.locator("summary").click()
    menu.get_by_label("Save what is shown as").fill("Newer")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.keyboard.press("Enter")
    expect(menu.get_by_role("link", name="Newer")).to_be_visible()
    [(route, answer)] = held
    with page.expect_response("**/api/views"):
        route.fulfill(response=answer)
    expect(menu.get_by_role("status")).to_have_text("The view “Newer” is saved.")
    expect(menu.get_by_role("link", name="Newer")).to_be_visible()
    for name in ("Newer", "Older"):
        menu.get_by_role("button", name=f"Delete the view “{name}”").click()
        expect(menu.get_by_role("link", name=name)).to_be_hidden()


def test_a_view_that_is_refused_says_why(reader: Page, watch: Watch) -> None:
    watch.expect(400)
    page = reader
    page.goto("/records")
    page.locator("#views summary").click()
    page.locator("#views").get_by_role("button", name="Save").click()
    expect(page.locator("#views [data-form-error]")).to_have_text("A view needs a name of at most 60 characters.")


def test_the_menus_fit_a_phone(reader: Page) -> None:
    page = reader
    page.goto("/records")
    page.set_viewport_size({"width": NARROW, "height": 700})
    for name in ("#more-filters", "#views"):
        page.locator(f"{name} summary").click()
        box = page.locator(f"{name} .pop-menu-box").bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW
        assert overflow(page, NARROW) <= 0
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 720})
