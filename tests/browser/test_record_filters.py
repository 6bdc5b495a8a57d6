"""Several names, the filters of the list, its sums, and the search as one types in a real browser."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.held_requests import HeldRequests
from tests.browser.overview_page import calls
from tests.browser.page_faults import MODAL, violations
from tests.browser.records_page import rows_of, said
from tests.browser.settled import expect_asked, quiet
from tests.browser.visits import Watch
from tests.browser.waiting import until

pytestmark = pytest.mark.landing

MODELS = "new URLSearchParams(location.search).getAll('model')"
LIST = "**/api/records?*"


def sums(page: Page) -> Any:
    return page.locator("#records [data-sums]")


def expect_names(page: Page, names: list[str]) -> None:
    """Wait until the address has these models."""
    until(page, lambda: page.evaluate(MODELS) == names, f"the address has {names}")


# Several names.


def test_several_models_are_chosen_by_keyboard(reader: Page) -> None:
    page = reader
    page.goto("/records")
    model = page.get_by_label("Model", exact=True)
    model.select_option(label="Several…")
    dialog = page.get_by_role("dialog", name="Several models")
    expect(dialog.get_by_label("Find a name")).to_be_focused()
    assert violations(page, MODAL) == {}
    # A phone has the pickers in a menu.
    page.set_viewport_size({"width": 1280, "height": 720})
    page.keyboard.type("glm")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    dialog.get_by_label("Find a name").fill("KIM")
    expect(dialog.get_by_role("checkbox")).to_have_count(2)
    dialog.get_by_label("kimi").press("Space")
    dialog.get_by_label("Find a name").press("Enter")
    expect(said(page)).to_have_text("1 to 50 of 79")
    expect(model).to_be_focused()
    expect_names(page, ["glm", "kimi"])
    expect(model.locator("option:checked")).to_have_text("glm, kimi")
    expect(page.locator("#export [data-save]")).to_have_attribute("href", re.compile("model=glm&model=kimi&"))
    page.reload()
    expect(said(page)).to_have_text("1 to 50 of 79")
    page.get_by_role("button", name="Show all models").click()
    expect(said(page)).to_have_text("1 to 50 of 120")


def test_the_dialog_shows_what_is_chosen_and_changes_nothing_when_it_is_left(reader: Page) -> None:
    page = reader
    page.goto("/records?model=glm&model=claude")
    expect(said(page)).to_have_text("1 to 50 of 79")
    page.get_by_label("Model", exact=True).select_option(label="Several…")
    dialog = page.get_by_role("dialog", name="Several models")
    expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(2)
    dialog.get_by_label("glm").uncheck()
    page.keyboard.press("Escape")
    expect(said(page)).to_have_text("1 to 50 of 79")
    expect_names(page, ["glm", "claude"])
    page.get_by_label("Model", exact=True).select_option(label="Several…")
    dialog.get_by_label("glm").uncheck()
    dialog.get_by_role("button", name="Show these").click()
    expect(said(page)).to_have_text("1 to 39 of 39")
    expect_names(page, ["claude"])


def test_the_overview_takes_several_names_from_the_address(overview: Page) -> None:
    page = overview
    names = "model=model-2&model=model-7"
    both = page.request.get(f"/api/summary?{names}").json()["calls"]
    assert both == sum(page.request.get(f"/api/summary?{name}").json()["calls"] for name in names.split("&")) > 0
    page.goto(f"/?period=all&{names}")
    expect(calls(page)).to_have_text(f"{both:,}")
    expect(page.locator("#model option:checked")).to_have_text("model-2, model-7")
    expect(page.locator("[data-part] [data-failed]:visible")).to_have_count(0)


# The filters of the list and its sums.


def test_the_head_sums_what_the_filters_find(reader: Page) -> None:
    page = reader
    page.goto("/records?to=2026-09-09&from=2026-09-01")
    answer = page.request.get("/api/records?to=2026-09-09&from=2026-09-01&sums=1").json()
    expect(sums(page)).to_have_text(re.compile(r"^Sum [\d,.]+ · average [\d,.]+ · [\d.]+ ?% free$"))
    assert answer["sums"]["freeShare"] == round(answer["sums"]["free"] / answer["total"] * 100, 2)
    page.goto("/records?q=needle")
    expect(sums(page)).to_have_text("Sum 12.50 · average 12.50 · 0.0% free")
    page.goto("/records?q=nowhere")
    expect(page.get_by_text("No records match")).to_be_visible()
    expect(sums(page)).to_be_hidden()


def test_the_filters_of_the_list_are_in_its_menu_and_in_the_address(reader: Page) -> None:
    page = reader
    page.goto("/records?page=2")
    menu = page.locator("#more-filters")
    summary = menu.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Free or billed").select_option("0")
    expect(said(page)).to_have_text("1 to 50 of 102")
    page.get_by_label("Credits above").fill("1.25")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("1 to 18 of 18")
    page.get_by_label("Prompt", exact=True).select_option("1")
    expect(summary).to_have_text("More filters · 3")
    expect_asked(page, {"free": "0", "credits_above": "1.25", "with_prompt": "1"})
    expect(page.locator("#export [data-save]")).to_have_attribute(
        "href", re.compile("free=0&with_prompt=1&credits_above=1.25")
    )
    page.keyboard.press("Escape")
    expect(page.get_by_label("Credits above")).to_be_hidden()
    expect(summary).to_be_focused()
    page.reload()
    expect(said(page)).to_have_text("1 to 18 of 18")
    summary.click()
    page.get_by_role("button", name="Remove these filters").click()
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect(summary).to_have_text("More filters")
    page.go_back()
    expect(said(page)).to_have_text("1 to 18 of 18")


def test_an_hour_is_chosen_in_the_menu_and_stays_in_the_address(reader: Page) -> None:
    page = reader
    page.goto("/records?page=2")
    summary = page.locator("#more-filters summary")
    summary.click()
    page.get_by_label("Hour", exact=True).select_option(label="08:00 to 08:59")
    expect(said(page)).to_have_text("1 to 10 of 10")
    expect(summary).to_have_text("More filters · 1")
    expect_asked(page, {"hour": "8"})
    expect(page.locator("#export [data-save]")).to_have_attribute("href", re.compile(r"[?&]hour=8(&|$)"))
    page.reload()
    expect(said(page)).to_have_text("1 to 10 of 10")
    summary.click()
    page.get_by_label("Hour", exact=True).select_option(label="All hours")
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect_asked(page, {})
    # The form that /api/dims gives is as good.
    page.goto("/records?hour=08")
    expect(page.get_by_label("Hour", exact=True)).to_have_value("8")
    expect(said(page)).to_have_text("1 to 10 of 10")
    page.goto("/records?hour=1")
    page.get_by_role("button", name="Show all records").click()
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect_asked(page, {})


def test_the_line_for_print_names_the_filters_of_the_list(reader: Page) -> None:
    reader.goto("/records?free=0&with_prompt=1&credits_above=1.5&hour=8")
    line = reader.locator("[data-filters-said]")
    expect(line).to_have_text(
        "All days · Cost: billed · Prompt: with a prompt · Credits above 1.5 · Hour: 08:00 to 08:59"
    )
    reader.locator("#more-filters summary").click()
    reader.get_by_role("button", name="Remove these filters").click()
    expect(line).to_have_text("All days")


def test_values_that_do_not_hold_leave_the_address(reader: Page) -> None:
    reader.goto("/records?free=9&credits_above=abc&hour=24&order=none&with_prompt=1&model=glm")
    expect(said(reader)).to_have_text(re.compile("of 40$"))
    expect_asked(reader, {"with_prompt": "1", "model": "glm"})
    assert reader.evaluate("history.length") == 2


# Search as one types.


def test_the_list_follows_the_text_after_a_rest(reader: Page) -> None:
    page = reader
    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    page.get_by_label("Text in the prompt").press_sequentially("question 11", delay=20)
    expect(said(page)).to_have_text("1 to 9 of 9")
    expect_asked(page, {"q": "question 11"})
    expect(page.get_by_label("Text in the prompt")).to_be_focused()
    page.get_by_label("Text in the prompt").press_sequentially("7")
    expect(said(page)).to_have_text("1 to 1 of 1")
    page.go_back()
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect(page.get_by_label("Text in the prompt")).to_have_value("")


@pytest.mark.own_context
def test_one_request_is_under_way_and_the_last_text_wins(reader: Page) -> None:
    page = reader
    page.clock.install()
    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    held = HeldRequests(page, LIST)
    field = page.get_by_label("Text in the prompt")
    field.fill("question 1")
    first = held.take()
    for text in ("question 11", "question", "question 117"):
        field.fill(text)
        # Longer than the rest after a keystroke.
        page.clock.run_for(400)
    assert held.routes == []
    first.continue_()
    second = held.take()
    assert "q=question+117" in second.request.url
    second.continue_()
    expect(said(page)).to_have_text("1 to 1 of 1")
    expect(field).to_have_value("question 117")
    assert held.routes == []


def test_a_429_is_waited_for_in_silence(reader: Page, watch: Watch) -> None:
    watch.expect(429)
    page = reader
    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        if refused:
            route.continue_()
            return
        refused.append(route.request.url)
        body = {"ok": False, "error": "too_frequent", "message": "Too many."}
        route.fulfill(status=429, json=body, headers={"Retry-After": "1"})

    page.route(LIST, refuse_once)
    with page.expect_response(lambda answer: answer.status == 429):
        page.get_by_label("Text in the prompt").fill("needle")
    quiet(page)
    expect(page.locator("#records [data-failed]")).to_be_hidden()
    expect(rows_of(page).first).to_be_visible()
    expect(said(page)).to_have_text("1 to 1 of 1")
    assert len(refused) == 1
