"""The pages of settings in a real browser: sections with an index, one Save for each, and the page of the instance."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accounts import enter, make_account
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, send


def saves(page: Page) -> Locator:
    return page.locator("main [type=submit]:visible")


@pytest.mark.landing
@pytest.mark.parametrize("path", ["/config", "/config/instance"])
def test_the_index_leads_to_each_section(path: str, page: Page) -> None:
    page.goto(path)
    index = page.get_by_role("navigation", name="Sections")
    links = index.locator('a[href^="#"]')
    assert links.count() == page.locator(".parts > section").count() > 2
    last = links.last
    last.focus()
    page.keyboard.press("Enter")
    place = page.locator((last.get_attribute("href") or "") + " h2")
    expect(place).to_be_in_viewport()
    # The bar, which stays in sight, does not cover it.
    bar = page.locator(".bar").bounding_box()
    box = place.bounding_box()
    assert bar
    assert box
    assert box["y"] >= bar["y"] + bar["height"]


@pytest.mark.landing
@pytest.mark.parametrize("old", ["instance", "allow_register", "schedule_times"])
def test_an_old_address_leads_to_the_page_of_the_instance(old: str, page: Page) -> None:
    page.goto(f"/config#{old}")
    arrived(page, f"/config/instance#{old}")
    expect(page.locator(f"#{old}")).to_be_in_viewport()


def test_an_ordinary_account_finds_no_instance_settings(page: Page, instance: Instance, watch: Watch) -> None:
    watch.expect(403)
    make_account(instance, "ordinary")
    enter(page.context, instance, "ordinary")
    page.goto("/config#instance")
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Instance settings")).to_have_count(0)
    page.goto("/config/instance")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not allowed")


@pytest.mark.landing
def test_a_section_shows_its_save_while_something_is_changed(page: Page) -> None:
    page.goto("/config/instance")
    expect(saves(page)).to_have_count(0)
    field = page.locator("#timeout")
    before = field.input_value()
    field.fill("41")
    page.locator("#allow_register").click()
    expect(saves(page)).to_have_count(2)
    page.locator("#allow_register").click()
    expect(saves(page)).to_have_count(1)
    field.fill(before)
    expect(saves(page)).to_have_count(0)
    field.fill("41")
    field.press("Tab")
    saves(page).focus()
    page.keyboard.press("Enter")
    form = page.locator("form", has=field)
    expect(form.get_by_text("Saved.")).to_be_focused()
    expect(saves(page)).to_have_count(0)
    send(page, "/api/settings", timeout=before)


@pytest.mark.landing
def test_the_profile_and_the_settings_are_as_wide_as_the_first_steps(page: Page, user_id: int) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    found = set()
    for path in ("/", "/config", "/config/instance", "/profile", "/import"):
        page.goto(path)
        found.add(round(page.locator("main").evaluate("node => node.getBoundingClientRect().width")))
    assert len(found) == 1


@pytest.mark.landing
def test_the_fields_of_an_import_have_a_readable_width(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/import")
    # Else shown only for a file whose encoding is in doubt.
    page.locator("#encodings").evaluate("field => { field.hidden = false; }")
    for field in page.locator("#choose > .field :is(input, select)").all():
        box = field.bounding_box()
        assert box
        assert box["width"] <= 560
