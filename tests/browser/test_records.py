"""The records in a real browser: filters, search, order, pages, failures, and the export."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accounts import enter
from tests.browser.held_requests import HeldRequests
from tests.browser.records_page import panel_of, rows_of, said
from tests.browser.running_instance import Instance
from tests.browser.settled import expect_asked
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing

LIST = "**/api/records?*"
# Each cell of credits that is cut or overlaps its neighbour.
CUT = """() => [...document.querySelectorAll("td.cost")].filter((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  const [inner, outer] = [text, cell].map((node) => node.getBoundingClientRect());
  return inner.left < outer.left || inner.right > outer.right || outer.right > innerWidth;
}).map((cell) => cell.textContent)"""


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def test_the_address_holds_filters_search_order_and_size(reader: Page) -> None:
    page = reader
    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect(head(page, "Time")).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Model", exact=True).select_option("glm")
    expect(said(page)).to_have_text("1 to 40 of 40")
    page.get_by_label("Text in the prompt").fill("question 1")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("1 to 9 of 9")
    expect(rows_of(page).first.locator("mark")).to_have_text("Question 1")
    head(page, "Credits").get_by_role("button").click()
    expect(head(page, "Credits")).to_have_attribute("aria-sort", "descending")
    head(page, "Credits").get_by_role("button").click()
    expect(head(page, "Credits")).to_have_attribute("aria-sort", "ascending")
    expect(rows_of(page).first).to_contain_text("free")
    page.get_by_label("Per page").select_option("20")
    expect_asked(page, {"model": "glm", "q": "question 1", "order": "credits_asc", "size": "20"})
    page.reload()
    expect(said(page)).to_have_text("1 to 9 of 9")
    expect(page.get_by_label("Text in the prompt")).to_have_value("question 1")
    for _ in range(4):
        page.go_back()
    expect(said(page)).to_have_text("1 to 40 of 40")
    expect(page.get_by_label("Text in the prompt")).to_have_value("")
    page.go_forward()
    expect(said(page)).to_have_text("1 to 9 of 9")


def test_a_purpose_is_in_each_row_and_a_filter_of_the_address(reader: Page) -> None:
    page = reader
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/records?order=ts_asc&from=2026-09-01")
    expect(head(page, "Purpose")).to_be_visible()
    expect(rows_of(page).locator(".purpose").nth(1)).to_have_text("subagent:explore")
    expect(rows_of(page).locator(".purpose").nth(2)).to_have_text("–")
    page.get_by_label("Purpose", exact=True).select_option("subagent:explore")
    expect(said(page)).to_have_text("1 to 39 of 39")
    expect_asked(page, {"period": "custom", "from": "2026-09-01", "purpose": "subagent:explore", "order": "ts_asc"})
    expect(page.locator("#export [data-save]")).to_have_attribute(
        "href", re.compile(r"purpose=subagent%3Aexplore&order=ts_asc&format=csv&lang=en$")
    )
    page.reload()
    expect(said(page)).to_have_text("1 to 39 of 39")
    page.get_by_role("button", name="Show all purposes").click()
    expect(said(page)).to_have_text("1 to 50 of 118")
    page.goto("/records?record=bare")
    expect(panel_of(page)).to_contain_text("no purpose")
    panel_of(page).get_by_role("button", name="This purpose").click()
    # Every third of the 118 calls, and this one.
    expect(said(page)).to_have_text("1 to 40 of 40")
    expect_asked(page, {"no_purpose": "1", "record": "bare"})


def test_a_purpose_is_in_each_card_of_a_phone(reader: Page) -> None:
    page = reader
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/records?order=ts_asc&from=2026-09-01")
    expect(rows_of(page).locator(".purpose").nth(1)).to_be_visible()
    expect(rows_of(page).locator(".purpose").nth(2)).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 720})


def test_pages_turn_by_links_by_number_and_by_keys(reader: Page) -> None:
    page = reader
    page.goto("/records?size=20&order=ts_asc")
    page.get_by_role("link", name="Next").click()
    expect(said(page)).to_have_text("21 to 40 of 120")
    page.keyboard.press("n")
    expect(said(page)).to_have_text("41 to 60 of 120")
    page.keyboard.press("[")
    expect(said(page)).to_have_text("21 to 40 of 120")
    page.get_by_label("Page", exact=True).fill("99")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("101 to 120 of 120")
    expect(page.get_by_label("Page", exact=True)).to_have_value("6")
    # A new filter begins at its first page; a page beyond the end leads to the last one.
    page.get_by_label("Client", exact=True).select_option("ide")
    expect(said(page)).to_have_text("1 to 20 of 59")
    page.goto("/records?page=9")
    expect(said(page)).to_have_text("101 to 120 of 120")
    expect_asked(page, {"page": "3"})


def test_what_is_not_there_is_said(reader: Page, archives: Instance, watch: Watch) -> None:
    watch.expect(404)
    page = reader
    page.goto("/records?record=nobody's&q=nowhere&model=glm")
    expect(panel_of(page)).to_contain_text("This record is not in your archive")
    expect(page.get_by_text("No records match")).to_be_visible()
    expect(page.locator("#export")).to_be_hidden()
    page.get_by_role("button", name="Show all records").click()
    expect(said(page)).to_have_text("1 to 50 of 120")
    page.goto("/records?record=bare")
    for text in ("free", "no model", "no client", "This record has no prompt."):
        expect(panel_of(page)).to_contain_text(text)
    panel_of(page).get_by_role("button", name="This model").click()
    panel_of(page).get_by_role("button", name="This client").click()
    expect(said(page)).to_have_text("1 to 1 of 1")
    expect_asked(page, {"no_model": "1", "no_client": "1", "record": "bare"})
    expect(page.locator("#client option:checked")).to_have_text("no client")
    expect(page.locator("#export [data-save]")).to_have_attribute(
        "href", re.compile(r"\?no_model=1&no_client=1&order=ts_desc&format=csv&lang=en$")
    )
    page.goto("about:blank")
    enter(page.context, archives, "newcomer")
    page.goto("/records?record=r-1")
    expect(page.get_by_role("heading", name="Nothing is archived yet")).to_be_visible()
    expect(page.get_by_role("link", name="Go to the first steps")).to_have_attribute("href", "/")
    expect(page.locator("#archived")).to_be_hidden()


def test_a_list_that_fails_is_tried_again_and_a_long_search_says_so(reader: Page, watch: Watch) -> None:
    watch.expect(503)
    page = reader
    page.route(LIST, lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    page.goto("/records?q=bread")
    expect(page.locator("#records [data-failed]")).to_contain_text("Away.")
    page.unroute(LIST)
    held = HeldRequests(page, LIST)
    page.get_by_role("button", name="Try again").click()
    expect(said(page)).to_have_text("Searching the prompts…")
    held.take().continue_()
    expect(said(page)).to_have_text("1 to 50 of 118")
    expect(page.locator("#records [data-failed]")).to_be_hidden()


def test_the_export_has_what_is_filtered_and_sorted(reader: Page) -> None:
    page = reader
    page.goto("/records?period=custom&from=2026-09-02&to=2026-09-02&client=cli&q=QUESTION&order=credits_desc&size=20")
    page.locator("#export summary").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export 6 records").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()[1:]
    shown = [row.get_attribute("data-id") for row in rows_of(page).all()]
    assert [line.split(",")[0].strip('"') for line in lines] == shown
    assert len(shown) == 6


def test_credits_are_never_cut(reader: Page) -> None:
    page = reader
    cut = {}
    for path in ("/records", "/records?record=r-117"):
        page.goto(path)
        expect(rows_of(page).first.locator(".cost")).to_have_text("999,999,999.25")
        for width in (360, 480, 600, 768, 960, 1100, 1200, 1280, 1440, 1920, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            cut[path, width] = page.evaluate(CUT)
    assert {where: cells for where, cells in cut.items() if cells} == {}
