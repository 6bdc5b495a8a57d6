"""The overview's charts in a real browser: bars to click and drag, tables beside them, and colours."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.overview_page import DAYS_WITH_CALLS, OLD, PER_DAY, calls, choose_period, open_tab, open_table, part
from tests.browser.settled import answered, expect_among_asked, expect_asked

pytestmark = pytest.mark.landing


def place_of(page: Page, bar: int, of: int) -> tuple[float, float]:
    """The middle of a bar of the days, once no answer can redraw them: a click that began before is none."""
    answered(page)
    chart = part(page, "days").locator("[data-chart]")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    left, right = 46, 16
    return box["x"] + left + (bar + 0.5) * (box["width"] - left - right) / of, box["y"] + box["height"] / 2


def tap(page: Page, place: tuple[float, float]) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": place[0], "y": place[1]}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def test_a_finger_first_shows_what_a_bar_stands_for_and_then_opens_its_day(overview: Page, today: date) -> None:
    expect(part(overview, "days").locator("canvas")).to_be_visible()
    tip = part(overview, "days").locator(".tip")
    tap(overview, place_of(overview, 26, of=30))
    expect(tip).to_contain_text(f"{today - timedelta(days=3)}")
    tap(overview, place_of(overview, 27, of=30))
    expect(tip).to_contain_text(re.compile(rf"{today - timedelta(days=2)}.*Tap again", re.DOTALL))
    expect_asked(overview, {})
    tap(overview, place_of(overview, 27, of=30))
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    expect_among_asked(overview, from_=f"{today - timedelta(days=2)}")


def test_a_click_on_a_bar_leads_to_its_day_and_a_drag_to_a_span(overview: Page, today: date) -> None:
    expect(part(overview, "days").locator("canvas")).to_be_visible()
    overview.mouse.move(*place_of(overview, 27, of=30))
    expect(part(overview, "days").locator(".tip")).to_contain_text(f"{today - timedelta(days=2)}")
    expect(part(overview, "days").locator(".tip")).to_contain_text(re.compile(r"Sum\s*18"))
    overview.mouse.down()
    overview.mouse.move(*place_of(overview, 29, of=30))
    overview.mouse.up()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")
    expect_asked(overview, {"period": "custom", "from": f"{today - timedelta(days=2)}", "to": f"{today}"})
    overview.mouse.click(*place_of(overview, 0, of=3))
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    expect(overview.get_by_role("heading", name="Hours", exact=True)).to_be_visible()
    expect_among_asked(overview, to=f"{today - timedelta(days=2)}")
    # A drag that ends after Escape has no effect.
    overview.go_back()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")
    overview.mouse.move(*place_of(overview, 0, of=3))
    overview.mouse.down()
    overview.keyboard.press("Escape")
    overview.mouse.up()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")


def test_the_bars_are_credits_calls_or_free_and_billed_and_a_table_shows_the_same(overview: Page, today: date) -> None:
    legend = part(overview, "days").locator("[data-legend] li:has(.dot)")
    expect(legend).to_have_count(10)
    expect(legend.last).to_have_text("Other models")
    overview.get_by_role("radio", name="Free and billed").check()
    expect(legend).to_have_text(["Billed calls", "Free calls"])
    expect_asked(overview, {"show": "free"})
    open_table(part(overview, "days"))
    row = part(overview, "days").get_by_role("row").filter(has_text=f"{today - timedelta(days=1)}")
    # The last cell is of the period before.
    expect(row.get_by_role("cell")).to_have_text(["9", "3", "12", "12"])
    overview.go_back()
    expect(legend).to_have_count(10)
    overview.go_forward()
    expect(overview.get_by_role("radio", name="Free and billed")).to_be_checked()
    row.get_by_role("button").focus()
    overview.keyboard.press("Enter")
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    expect_among_asked(overview, show="free")


@pytest.mark.thorough
def test_many_days_are_grouped_and_the_page_says_so(overview: Page, today: date) -> None:
    choose_period(overview, "All days")
    expect(calls(overview)).to_have_text(f"{DAYS_WITH_CALLS * PER_DAY + OLD}")
    expect(part(overview, "days")).to_contain_text("each bar is one month")
    overview.goto(f"/?period=custom&from={today - timedelta(days=200)}&to={today}")
    expect(part(overview, "days")).to_contain_text("each bar is one week")
    open_tab(overview)
    open_table(part(overview, "hours"))
    expect(part(overview, "hours").get_by_role("row")).to_have_count(8)
    open_table(part(overview, "year"))
    part(overview, "year").get_by_role("button", name=f"{today - timedelta(days=300)}").click()
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    # The bars are that day's hours now.
    expect(part(overview, "hours")).to_be_hidden()


def test_a_model_has_one_colour_whatever_is_shown_and_another_in_the_dark(overview: Page) -> None:
    dot = part(overview, "models").get_by_role("row").filter(has_text="model-3").locator(".dot")
    light = dot.evaluate("dot => dot.style.backgroundColor")
    overview.get_by_label("Model", exact=True).select_option("model-3")
    expect(calls(overview)).to_have_text("30")
    expect(dot).to_have_css("background-color", light)
    legend = part(overview, "days").locator("[data-legend] .dot")
    expect(legend).to_have_count(1)
    expect(legend).to_have_css("background-color", light)
    overview.emulate_media(color_scheme="dark")
    expect(legend).not_to_have_css("background-color", light)
    expect(dot).to_have_css("background-color", legend.evaluate("dot => dot.style.backgroundColor"))


def colours(page: Page) -> dict[str, str]:
    """The colour of each item of the bars' legend."""
    items = part(page, "days").locator("[data-legend] li:has(.dot)")
    pair = "item => [item.textContent, item.firstChild.style.backgroundColor]"
    return dict(items.evaluate_all(f"items => items.map({pair})"))


def test_the_biggest_models_of_a_period_are_named_each_in_a_colour_of_its_own(overview: Page, today: date) -> None:
    legend = part(overview, "days").locator("[data-legend] li:has(.dot)")
    expect(legend).to_have_count(10)
    usual = colours(overview)
    # Only old models: none of them has had a call for 90 days.
    day = today - timedelta(days=700)
    overview.goto(f"/?from={day}&to={day + timedelta(days=1)}")
    expect(legend).to_have_text(["old-3", "old-2", "old-1", "old-0"])
    old = colours(overview)
    assert len(set(old.values()) - {usual["Other models"]}) == 4
    # The rows beside and the most expensive calls agree with the bars.
    row = part(overview, "models").get_by_role("row").filter(has_text="old-2")
    for dot in row.locator(".dot"), overview.locator(".top li").filter(has_text="old-2").locator(".dot"):
        expect(dot).to_have_css("background-color", old["old-2"])
    # Old and new models: each keeps its colour, and no two share one.
    overview.goto(f"/?from={today - timedelta(days=800)}&to={day}")
    expect(legend).to_have_count(10)
    mixed = colours(overview)
    assert {"old-0", "old-1", "old-2", "old-3", "Other models"} < set(mixed)
    assert len(set(mixed.values())) == 10
    assert {name: colour for name, colour in usual.items() if name in mixed}.items() <= mixed.items()
    # A picked model keeps its colour, too, and is shown by name, however small.
    part(overview, "models").get_by_role("button", name="old-3").click()
    expect(legend).to_have_text(["old-3"])
    assert colours(overview)["old-3"] == mixed["old-3"]
    overview.goto("/?model=model-8")
    expect(legend).to_have_text(["model-8"])
