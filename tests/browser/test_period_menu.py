"""The menu of the period in a real browser: presets, calendar, one period before and after; and the earlier line."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.overview_page import PER_DAY, calls, open_period, part, shown
from tests.browser.page_faults import overflow, violations
from tests.browser.settled import expect_among_asked, expect_asked
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing


def box_of(place: Locator) -> dict[str, float]:
    box = place.bounding_box()
    assert box
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


def day_of(page: Page, day: date) -> Locator:
    return page.locator(f"[data-calendar] [data-day='{day}']")


def turn_to(page: Page, day: date) -> None:
    """Turns the calendar back to the month of a day."""
    name = page.locator("[data-month-name]")
    # Its script is loaded when the menu first opens: until it has drawn a month, no day is there.
    expect(name).not_to_be_empty()
    while day_of(page, day).count() == 0:
        before = name.inner_text()
        page.get_by_role("button", name="Month before").click()
        expect(name).not_to_have_text(before)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", ["/", "/records"])
def test_the_menu_keeps_its_place_when_a_filter_is_set(width: int, path: str, overview: Page) -> None:
    overview.set_viewport_size({"width": width, "height": 800})
    overview.goto(path)
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    summary = overview.locator("#period summary")
    usual = box_of(summary)
    opened = box_of(open_period(overview).locator(".pop-menu-box"))
    for query in (
        "model=model-3",
        "model=model-3&client=ide&purpose=chat",
        "model=model-1&model=model-2&period=custom&from=2026-01-01&to=2026-02-01",
    ):
        overview.goto(f"{path}?{query}")
        expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
        assert box_of(summary)["y"] == usual["y"]
        assert (box_of(summary)["x"], box_of(summary)["width"]) == (usual["x"], usual["width"]) or width == 390
        found = box_of(open_period(overview).locator(".pop-menu-box"))
        assert [found[side] for side in ("x", "y", "width")] == [opened[side] for side in ("x", "y", "width")]


def test_choices_that_leave_the_menu_open_do_not_move_it(overview: Page) -> None:
    box = open_period(overview).locator(".pop-menu-box")
    before = box_of(box)
    overview.get_by_label("Comparison", exact=True).select_option("year")
    expect_asked(overview, {"compare": "year"})
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    assert box_of(box) == before


def test_two_days_of_the_calendar_are_a_period(overview: Page, today: date) -> None:
    first, last = today - timedelta(days=4), today - timedelta(days=2)
    open_period(overview)
    turn_to(overview, last)
    day_of(overview, last).click()
    expect(overview.get_by_text("Now the last day.")).to_be_visible()
    expect_asked(overview, {})
    turn_to(overview, first)
    day_of(overview, first).click()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")
    expect_asked(overview, {"period": "custom", "from": f"{first}", "to": f"{last}"})
    expect(overview.locator("#period summary")).to_contain_text(f"{first} to {last}")
    expect(day_of(overview, last)).to_have_attribute("aria-pressed", "true")
    overview.go_back()
    expect(overview.locator("#period summary")).to_contain_text("Last 30 days")


def test_the_calendar_is_used_by_keyboard(overview: Page, today: date) -> None:
    overview.locator("#period summary").press("Enter")
    expect(day_of(overview, today)).to_have_attribute("tabindex", "0")
    day_of(overview, today).focus()
    # No day to come.
    overview.keyboard.press("ArrowRight")
    expect(day_of(overview, today)).to_be_focused()
    overview.keyboard.press("ArrowUp")
    overview.keyboard.press("ArrowLeft")
    first = today - timedelta(days=8)
    expect(day_of(overview, first)).to_be_focused()
    overview.keyboard.press("Enter")
    expect(day_of(overview, first)).to_be_focused()
    overview.keyboard.press("ArrowRight")
    overview.keyboard.press("Enter")
    expect_asked(overview, {"period": "custom", "from": f"{first}", "to": f"{first + timedelta(days=1)}"})
    overview.keyboard.press("PageUp")
    expect(overview.locator("[data-calendar] :focus")).to_have_attribute("data-day", re.compile("-01$"))
    overview.keyboard.press("Escape")
    expect(overview.locator("#period summary")).to_be_focused()
    expect(day_of(overview, today)).to_be_hidden()


def test_days_without_calls_are_quiet_and_days_to_come_no_choice(overview: Page, today: date) -> None:
    open_period(overview)
    turn_to(overview, today - timedelta(days=1))
    expect(day_of(overview, today - timedelta(days=1))).not_to_have_attribute("data-quiet", "")
    silent = today - timedelta(days=60)
    turn_to(overview, silent)
    expect(day_of(overview, silent)).to_have_attribute("data-quiet", "")
    expect(day_of(overview, silent)).to_have_accessible_description(f"{silent:%a} {silent}, no calls")
    # They can be chosen nevertheless.
    day_of(overview, silent).click()
    day_of(overview, silent).click()
    expect(overview.get_by_text("There are no calls in this period.")).to_be_visible()


def test_one_period_before_and_after(overview: Page, today: date) -> None:
    before, after = (overview.get_by_role("button", name=f"One period {name}") for name in ("before", "after"))
    expect(after).to_be_disabled()
    overview.goto("/?period=today")
    before.click()
    expect_asked(overview, {"period": "yesterday"})
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    before.click()
    expect_asked(
        overview, {"period": "custom", "from": f"{today - timedelta(days=2)}", "to": f"{today - timedelta(days=2)}"}
    )
    after.click()
    after.click()
    expect_asked(overview, {"period": "today"})
    expect(after).to_be_disabled()
    expect(overview.locator("#period summary")).to_be_focused()
    overview.goto("/?period=all")
    expect(before).to_be_disabled()
    overview.goto("/?period=month")
    before.click()
    expect_asked(overview, {"period": "last-month"})


def test_a_calendar_that_does_not_come_leaves_presets_and_fields(overview: Page, today: date, watch: Watch) -> None:
    watch.expect(404)
    overview.route("**/month_days*.js", lambda route: route.fulfill(status=404))
    menu = open_period(overview)
    expect(overview.locator("[data-calendar] table")).to_have_count(0)
    menu.get_by_label("First day").fill(f"{today - timedelta(days=1)}")
    expect(calls(overview)).to_have_text(f"{2 * PER_DAY}")
    menu.get_by_role("button", name="Last 7 days").click()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect_among_asked(overview, period="7")


@pytest.mark.thorough
def test_the_menu_is_accessible_and_fits_a_phone(overview: Page) -> None:
    open_period(overview)
    expect(overview.locator("[data-calendar] table")).to_be_visible()
    assert violations(overview, "#filters") == {}
    assert overflow(overview, 320) <= 0


# The earlier period.


def test_the_earlier_value_is_shown_and_marked_where_the_pointer_is(unopened: Page, today: date) -> None:
    first, last = today - timedelta(days=3), today - timedelta(days=1)
    shown(unopened, f"from={first}&to={last}")
    days = part(unopened, "days")
    box = box_of(days.locator("[data-chart]"))
    mark = days.locator("[data-before]")
    expect(mark).to_be_hidden()
    unopened.mouse.move(box["x"] + 46 + (box["width"] - 62) * 1.5 / 3, box["y"] + box["height"] / 2)
    earlier = first - timedelta(days=2)
    expect(days.locator(".tip > div").last).to_have_text(f"Before · {earlier:%a} {earlier}18.00")
    expect(mark).to_be_visible()
    # The bars of both are of one height: the mark is at their end, well above the middle.
    assert box["y"] < box_of(mark)["y"] < box["y"] + box["height"] / 2
    unopened.mouse.move(box["x"], box["y"] - 40)
    expect(mark).to_be_hidden()


def half_as_many_before(route: Route) -> None:
    """Each of the earlier days has half of the calls of the bar before its line."""
    answer = route.fetch().json()
    for day in answer["comparison"]["days"]:
        day["k"] = PER_DAY // 2
    route.fulfill(json=answer)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_line_is_seen_through_the_bars(theme: str, unopened: Page, today: date) -> None:
    """Where a bar hides the line, the colour of the card is drawn over the bar."""
    unopened.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    unopened.route("**/api/daily*compare=*", half_as_many_before)
    shown(unopened, f"from={today - timedelta(days=3)}&to={today - timedelta(days=1)}&show=calls")
    pixels = """canvas => {
      const { width, height } = canvas, [left, right] = [46, 16].map((edge) => edge * devicePixelRatio);
      const slot = (width - left - right) / 3, x = Math.round(left + slot * 0.5);
      const column = canvas.getContext("2d").getImageData(x, 0, 1, height).data;
      const colours = new Set();
      for (let at = 0; at < height; at += 1) colours.add(column.slice(at * 4, at * 4 + 4).join());
      return colours.size;
    }"""
    days = part(unopened, "days")
    with_line = days.locator("canvas").evaluate(pixels)
    days.get_by_role("button", name="Hide Before").click()
    assert with_line > days.locator("canvas").evaluate(pixels)
    unopened.emulate_media(color_scheme="light")
