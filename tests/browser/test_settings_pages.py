"""The pages of settings in a real browser: sections with an index, one Save for each, and the page of the instance."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accounts import enter, make_account
from tests.browser.page_faults import violations
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, send
from tests.browser.waiting import until


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


@pytest.mark.landing
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
    expect(saves(page)).to_have_count(1)
    expect(page.get_by_text("2 unsaved changes")).to_be_visible()
    page.locator("#allow_register").click()
    expect(page.get_by_text("1 unsaved change")).to_be_visible()
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


@pytest.mark.thorough_after(1)
@pytest.mark.landing
@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize(
    ("path", "first", "last"),
    [("/config/instance", "#timeout", "#backup_keep"), ("/profile", "#display_name", "[data-sessions] ~ .row .btn")],
)
def test_the_bar_stays_in_sight_and_covers_no_field(path: str, first: str, last: str, width: int, page: Page) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(path)
    page.locator(first).fill("41")
    bar = page.locator(".save-row[data-bar]")
    expect(bar).to_be_in_viewport(ratio=1)
    place = page.locator(last)
    # As Tab does from the field before it.
    place.evaluate("field => field.focus()")
    expect(bar).to_be_in_viewport(ratio=1)
    until(page, lambda: 0 < bottom(place) <= top(bar), "the bar covers the field")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    card = page.locator("main .card").last
    until(page, lambda: bottom(card) <= top(bar), "the bar covers the last card")
    assert violations(page) == {}
    page.locator(first).fill(page.locator(first).get_attribute("value") or "")


@pytest.mark.landing
def test_the_bar_saves_the_changes_of_all_sections(page: Page) -> None:
    page.goto("/config/instance")
    before = {name: page.locator(f"#{name}").input_value() for name in ("timeout", "backup_keep")}
    page.locator("#timeout").fill("42")
    page.locator("#backup_keep").fill("9")
    expect(page.get_by_text("2 unsaved changes")).to_be_visible()
    saves(page).click()
    expect(page.get_by_text("Saved.")).to_have_count(2)
    expect(saves(page)).to_have_count(0)
    page.reload()
    assert [page.locator(f"#{name}").input_value() for name in before] == ["42", "9"]
    send(page, "/api/settings", **before)


@pytest.mark.landing
def test_what_is_refused_stays_in_the_bar_and_what_is_kept_is_named(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/config/instance")
    before = page.locator("#page_size").input_value()
    page.locator("#page_size").fill("50")
    page.locator("#timeout").fill("9999")
    saves(page).click()
    expect(page.locator("#timeout-error")).to_be_visible()
    expect(page.locator("#timeout")).to_be_focused()
    expect(page.get_by_text("Saved: Rows per page.")).to_be_attached()
    expect(page.get_by_text("1 unsaved change")).to_be_visible()
    page.locator("#timeout").fill("30")
    send(page, "/api/settings", page_size=before)


@pytest.mark.landing
def test_code_name_limits_and_default_show_on_demand(page: Page, browser: Browser, instance: Instance) -> None:
    page.goto("/config/instance")
    code = page.get_by_text("page_size", exact=True)
    expect(code).to_be_hidden()
    summary = page.locator(".setting", has=page.locator("#page_size")).locator("summary")
    expect(summary).to_have_text("?Details: Rows per page")
    summary.focus()
    page.keyboard.press("Enter")
    expect(code).to_be_visible()
    expect(page.locator(".more[open] dl")).to_have_text(
        re.compile(r"Key\s*page_size\s*Accepted\s*20 to 1000\s*Default\s*200")
    )
    assert violations(page) == {}
    page.keyboard.press("Enter")
    expect(code).to_be_hidden()
    context = browser.new_context(base_url=instance.url, has_touch=True, viewport={"width": 390, "height": 800})
    enter(context, instance)
    touched = context.new_page()
    touched.goto("/config/instance")
    touched.locator(".setting", has=touched.locator("#page_size")).locator("summary").tap()
    expect(touched.get_by_text("page_size", exact=True)).to_be_visible()
    context.close()


def top(place: Locator) -> float:
    box = place.bounding_box()
    assert box
    return box["y"]


def bottom(place: Locator) -> float:
    box = place.bounding_box()
    assert box
    return box["y"] + box["height"]


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
