"""The menu of the tables below charts: copied, and kept as CSV and JSON."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.overview_page import part
from tests.browser.page_faults import overflow, violations


def opened(page: Page, name: str) -> Locator:
    table = part(page, name).locator(".as-table")
    table.locator("summary").press("Enter")
    expect(table.locator("tbody tr").first).to_be_visible()
    return table


def saved(page: Page, table: Locator, form: str) -> tuple[str, str]:
    with page.expect_download() as waiting:
        table.get_by_role("button", name=form, exact=True).press("Enter")
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", ["days", "hours", "year", "coverage"])
def test_each_chart_gives_its_table_as_csv_and_json(name: str, overview: Page) -> None:
    table = opened(overview, name)
    rows, columns = table.locator("tbody tr").count(), table.locator("thead th").count()
    file, text = saved(overview, table, "CSV")
    assert file.endswith(".csv")
    assert text.startswith("\ufeff")
    assert len(text.split("\r\n")) == 1 + rows + 1
    file, text = saved(overview, table, "JSON")
    found = json.loads(text)
    assert file.endswith(".json")
    assert (len(found["rows"]), {len(row) for row in found["rows"]}) == (rows, {columns})
    assert len(found["columns"]) == columns


def test_numbers_are_plain_and_the_days_are_those_shown(overview: Page) -> None:
    table = opened(overview, "days")
    shown = table.locator("tbody tr").first.locator("th, td").all_inner_texts()
    name, text = saved(overview, table, "JSON")
    first = json.loads(text)["rows"][0]
    assert name == "usage-days.json"
    assert first[0] == shown[0]
    assert [float(cell) for cell in first[1:] if isinstance(cell, (int, float))]


def test_a_copy_has_tabs_and_is_confirmed(overview: Page, clipboard: None) -> None:
    table = opened(overview, "days")
    table.get_by_role("button", name="Copy").press("Enter")
    expect(table.get_by_role("status")).to_have_text("Copied.")
    lines = overview.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(lines) == 1 + table.locator("tbody tr").count()
    assert {line.count("\t") for line in lines} == {table.locator("thead th").count() - 1}


def test_the_menu_is_accessible_and_fits(overview: Page) -> None:
    opened(overview, "days")
    assert violations(overview, "[data-part=days] .as-table") == {}
    assert overflow(overview, 320) <= 0
