"""The menu Export of the records in a real browser: all pages or the shown one, the format, and the purposes."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_faults import overflow, violations
from tests.browser.records_page import rows_of, said
from tests.browser.visits import send

pytestmark = pytest.mark.landing


@pytest.fixture
def menu(reader: Page) -> Locator:
    """The open menu of the second page of 20 records."""
    reader.goto("/records?size=20&page=2")
    expect(said(reader)).to_have_text("21 to 40 of 120")
    found = reader.locator("#export")
    found.locator("summary").click()
    expect(found.get_by_role("link")).to_be_visible()
    return found


def saved(menu: Locator) -> tuple[str, str]:
    with menu.page.expect_download() as waiting:
        menu.get_by_role("link").click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes().decode("utf-8-sig")


def choose(menu: Locator, label: str, choice: str) -> None:
    menu.get_by_label(label, exact=True).select_option(label=choice)


def test_all_pages_are_exported_unless_this_page_is_chosen(menu: Locator) -> None:
    expect(menu.get_by_role("link")).to_have_text("Export 120 records")
    name, text = saved(menu)
    assert re.fullmatch(r"usage-.*\.csv", name)
    assert text.startswith("RequestID,Credits,User Prompt,Model,Client,Time\r\n")
    choose(menu, "Records", "This page")
    expect(menu.get_by_role("link")).to_have_text("Export 20 records")
    choose(menu, "Format", "JSON lines")
    name, text = saved(menu)
    assert name == "usage-records-2.jsonl"
    items = [json.loads(line) for line in text.splitlines()]
    shown = [row.get_attribute("data-id") for row in rows_of(menu.page).all()]
    assert [item["request_id"] for item in items] == shown


def test_credits_of_free_calls_are_numbers_and_the_purpose_is_a_column(menu: Locator) -> None:
    expect(rows_of(menu.page).locator(".cost").filter(has_text="free").first).to_be_visible()
    choose(menu, "Records", "This page")
    menu.get_by_label("Column with the purpose").check()
    _, text = saved(menu)
    head, *_ = text.splitlines()
    assert head == "RequestID,Credits,User Prompt,Model,Client,Time,Purpose"
    choose(menu, "Format", "JSON lines")
    items = [json.loads(line) for line in saved(menu)[1].splitlines()]
    assert 0 in [item["credits"] for item in items]
    assert {type(item["credits"]) for item in items} <= {int, float}
    assert all("agent_purpose" in item for item in items)


def test_this_page_is_copied_with_numbers(menu: Locator, clipboard: None) -> None:
    expect(menu.get_by_role("button", name="Copy")).to_be_hidden()
    choose(menu, "Records", "This page")
    menu.get_by_role("button", name="Copy").click()
    expect(menu.get_by_role("status")).to_have_text("Copied.")
    head, *lines = menu.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert head.split("\t") == ["Time", "Model", "Client", "Credits", "Prompt"]
    credits = [line.split("\t")[3] for line in lines]
    assert len(lines) == 20
    assert "0" in credits
    assert all(float(value) >= 0 for value in credits)


def test_it_closes_with_escape_and_is_the_only_one(menu: Locator) -> None:
    page = menu.page
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()
    expect(page.get_by_text("Copy or save")).to_have_count(0)


@pytest.mark.thorough
def test_it_is_accessible_and_fits_a_phone(menu: Locator) -> None:
    page = menu.page
    choose(menu, "Records", "This page")
    assert violations(page, "#export") == {}
    assert overflow(page, 320) <= 0
    box = menu.locator(".pop-menu-box").bounding_box()
    assert box
    assert (box["x"] >= 0, box["x"] + box["width"] <= 320) == (True, True)


def test_in_chinese_the_header_is_chinese(reader: Page, menu: Locator) -> None:
    send(reader, "/api/profile", language="zh-hans")
    reader.reload()
    expect(menu.locator("[data-save]")).to_have_attribute("href", re.compile("format=csv$"))
    send(reader, "/api/profile", language="en")
