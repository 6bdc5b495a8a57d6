"""Hours on the overview in a real browser: those of one model, and the way from an hour to its calls."""

import re
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.overview_page import open_tab, open_table, part, shown
from tests.browser.settled import arrived, asked, expect_asked

pytestmark = pytest.mark.landing


def assert_lists_the_hour(page: Page, time: str, sums: str) -> None:
    """The list has the one call of that time, and the sums are its own."""
    expect(page.locator("#records [data-said]")).to_have_text("1 to 1 of 1")
    expect(page.locator("#records tbody tr")).to_have_count(1)
    expect(page.locator("#records tbody tr")).to_contain_text(time)
    expect(page.locator("#records [data-sums]")).to_have_text(sums)
    expect(page.locator("#more-filters summary")).to_have_text("More filters · 1")


@pytest.mark.thorough
def test_the_hours_are_those_of_one_model_by_choice(overview: Page) -> None:
    open_tab(overview)
    hours = part(overview, "hours")
    open_table(hours)
    cell = hours.get_by_role("row").nth(1).get_by_role("cell")
    expect(cell.nth(3)).not_to_have_text("0.00")
    hours.get_by_label("Model of the hours").select_option("model-2")
    expect(cell.nth(3)).to_have_text("0.00")
    expect(cell.nth(2)).not_to_have_text("0.00")
    expect_asked(overview, {"hours_of": "model-2", "tab": "hours"})
    overview.reload()
    expect(hours.get_by_label("Model of the hours")).to_have_value("model-2")
    overview.get_by_label("Model", exact=True).select_option("model-3")
    expect(hours.get_by_label("Model of the hours")).to_be_hidden()


def test_an_hour_leads_to_its_calls(unopened: Page, today: date) -> None:
    day = f"{today - timedelta(days=1)}"
    shown(unopened, f"from={day}&to={day}&client=ide")
    open_table(part(unopened, "days"))
    expect(part(unopened, "days").get_by_role("link", name=f"{day}, 01:00")).to_have_count(0)
    part(unopened, "days").get_by_role("link", name=f"{day}, 03:00 to 03:59").click()
    arrived(unopened, re.compile(r"/records\?"))
    expect_asked(unopened, {"period": "custom", "from": day, "to": day, "client": "ide", "hour": "3"})
    assert_lists_the_hour(unopened, f"{day} 03:30", "Sum 3.00 · average 3.00 · 0.0% free")


def test_a_click_on_a_bar_of_an_hour_leads_to_its_calls(unopened: Page, today: date) -> None:
    day = f"{today - timedelta(days=1)}"
    shown(unopened, f"from={day}&to={day}")
    chart = part(unopened, "days").locator("[data-chart]")
    box = chart.bounding_box()
    assert box
    # The edges left and right of the bars are 46 and 16 wide.
    chart.click(position={"x": 46 + (box["width"] - 62) * 11.5 / 24, "y": box["height"] / 2})
    arrived(unopened, re.compile(r"/records\?"))
    expect_asked(unopened, {"period": "custom", "from": day, "to": day, "hour": "11"})
    assert_lists_the_hour(unopened, f"{day} 11:30", "Sum 3.00 · average 3.00 · 0.0% free")


def test_a_cell_of_the_heat_map_leads_to_its_hour_on_the_day_with_the_most(overview: Page, today: date) -> None:
    open_tab(overview)
    hours = part(overview, "hours")
    hours.get_by_label("Model of the hours").select_option("model-2")
    open_table(hours)
    row = hours.get_by_role("row").filter(has_text=f"{today - timedelta(days=1):%a}")
    row.get_by_role("cell").nth(2).get_by_role("link").press("Enter")
    arrived(overview, re.compile(r"/records\?"))
    day = asked(overview)["from"]
    assert date.fromisoformat(day).weekday() == (today - timedelta(days=1)).weekday()
    expect_asked(overview, {"period": "custom", "from": day, "to": day, "model": "model-2", "hour": "2"})
    assert_lists_the_hour(overview, f"{day} 02:30", "Sum 2.00 · average 2.00 · 0.0% free")


def test_a_click_on_the_heat_map_keeps_the_names_and_lists_the_hour_alone(unopened: Page, today: date) -> None:
    shown(unopened, "tab=hours&period=30&model=model-3&model=model-7&purpose=subagent:explore")
    chart = part(unopened, "hours").locator("[data-chart]")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    # The cell of 7:00 in the second row of seven; the names of the weekdays are 44 wide.
    chart.click(position={"x": 44 + (box["width"] - 44) * 7.5 / 24, "y": 28 * 1.5})
    arrived(unopened, re.compile(r"/records\?"))
    query = parse_qs(urlsplit(unopened.url).query)
    [day] = query["from"]
    assert query == {
        "period": ["custom"], "from": [day], "to": [day], "model": ["model-3", "model-7"],
        "purpose": ["subagent:explore"], "hour": ["7"],
    }  # fmt: skip
    assert_lists_the_hour(unopened, f"{day} 07:30", "Sum 3.00 · average 3.00 · 0.0% free")
    unopened.locator("#more-filters summary").click()
    unopened.get_by_role("button", name="Remove these filters").click()
    assert "hour" not in asked(unopened)
