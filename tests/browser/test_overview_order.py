"""The order of the overview in a real browser: what is seen first, the two tabs, and the menu of each card."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.overview_page import FIRST_TAB, SECOND_TAB, calls, open_tab, part, shown
from tests.browser.page_faults import overflow, violations
from tests.browser.settled import asked, expect_asked

pytestmark = pytest.mark.landing

# Each of the first questions, and what answers it.
ANSWERS = {
    "spent": "[data-figure=credits]",
    "more or less": "[data-change=credits]",
    "which model": "[data-part=models] tbody tr:first-child",
    "dearest call": ".top li:first-child",
    "anything missing": "[data-seal] a",
}
ENDS = "node => node.getBoundingClientRect().bottom + scrollY"
NAMES = [f"provider/a-model-with-a-very-long-name-{place:02}-20260101-preview" for place in range(25)]


def beyond(page: Page, limit: int) -> dict[str, float]:
    """The answers that end below a height."""
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    for place in ANSWERS.values():
        expect(page.locator(place)).to_be_visible()
    ends = {name: page.locator(place).evaluate(ENDS) for name, place in ANSWERS.items()}
    return {name: end for name, end in ends.items() if end > limit}


@pytest.fixture
def many_models(unopened: Page, today: date) -> Page:
    """Answers with 25 models of long names, each used on each day."""
    spent = {name: 100.0 - place for place, name in enumerate(NAMES)}

    def with_dims(route: Route) -> None:
        answer = route.fetch().json()
        if "model" in answer:
            item = {"calls": 10, "avg": 1, "free": 1}
            answer["model"] = [{"name": name, "credits": value, **item} for name, value in spent.items()]
        route.fulfill(json=answer)

    def with_days(route: Route) -> None:
        answer = route.fetch().json()
        for day in answer["days"]:
            day["m"], day["c"] = spent, sum(spent.values())
        route.fulfill(json=answer)

    unopened.route("**/api/dims*", with_dims)
    unopened.route("**/api/daily*", with_days)
    return unopened


@pytest.mark.parametrize(("width", "height", "screens"), [(1280, 800, 1), (390, 844, 2)])
def test_the_first_questions_are_answered_without_a_long_way(
    width: int, height: int, screens: int, overview: Page
) -> None:
    overview.set_viewport_size({"width": width, "height": height})
    overview.goto("/")
    assert beyond(overview, height * screens) == {}


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "screens"), [(1280, 800, 1), (390, 844, 2)])
def test_many_long_names_push_no_answer_away(width: int, height: int, screens: int, many_models: Page) -> None:
    many_models.set_viewport_size({"width": width, "height": height})
    many_models.goto("/")
    assert beyond(many_models, height * screens) == {}
    assert overflow(many_models, width) <= 0


def test_a_phone_has_one_row_of_filters(overview: Page) -> None:
    overview.set_viewport_size({"width": 390, "height": 844})
    overview.goto("/?model=model-3&client=ide")
    bar = overview.locator("#filters").bounding_box()
    assert bar
    assert bar["height"] <= 44
    filters = overview.locator("[data-filters-more] summary")
    expect(filters).to_have_text("Filters · 2")
    expect(overview.get_by_label("Model", exact=True)).to_be_hidden()
    filters.press("Enter")
    overview.get_by_label("Model", exact=True).select_option("model-1")
    expect_asked(overview, {"model": "model-1", "client": "ide"})
    overview.get_by_role("button", name="Show all clients").click()
    expect(filters).to_have_text("Filters · 1")
    overview.keyboard.press("Escape")
    expect(overview.get_by_label("Model", exact=True)).to_be_hidden()
    expect(filters).to_be_focused()


def inside(page: Page, inner: Locator, outer: Locator) -> bool:
    box, around = inner.bounding_box(), outer.bounding_box()
    return bool(
        box and around and box["y"] >= around["y"] and box["y"] + box["height"] <= around["y"] + around["height"]
    )


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "size", [(1280, 600), (1280, 800), (1440, 900), (2560, 1440), (1000, 800), (390, 844), (390, 600)]
)
def test_the_bars_name_nine_models_at_every_height(size: tuple[int, int], many_models: Page) -> None:
    many_models.set_viewport_size({"width": size[0], "height": size[1]})
    shown(many_models, "period=30")
    days = part(many_models, "days")
    legend = days.locator("[data-legend] li:has(.dot)")
    expect(legend).to_have_text([*NAMES[:9], "Other models"])
    for item in legend.all():
        assert inside(many_models, item, days)
    chart = days.locator("canvas").bounding_box()
    assert chart
    assert chart["height"] >= 160


# The tabs.


def test_the_tabs_are_used_by_keyboard_and_stand_in_the_address(overview: Page) -> None:
    first, second = (overview.get_by_role("tab", name=name) for name in (FIRST_TAB, SECOND_TAB))
    expect(first).to_have_attribute("aria-selected", "true")
    expect(part(overview, "year")).to_be_hidden()
    first.focus()
    overview.keyboard.press("ArrowRight")
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-selected", "true")
    for name in ("hours", "year", "purposes"):
        expect(part(overview, name)).to_be_visible()
    expect(part(overview, "models")).to_be_hidden()
    expect_asked(overview, {"tab": "hours"})
    # One of them is reached by Tab.
    overview.keyboard.press("Shift+Tab")
    overview.keyboard.press("Tab")
    expect(second).to_be_focused()
    overview.keyboard.press("Home")
    expect(first).to_be_focused()
    expect_asked(overview, {})
    overview.keyboard.press("End")
    expect(second).to_have_attribute("aria-selected", "true")
    overview.keyboard.press("ArrowRight")
    expect(first).to_be_focused()
    overview.go_back()
    expect(second).to_have_attribute("aria-selected", "true")
    expect(calls(overview)).to_be_visible()


def test_a_link_opens_the_second_tab_and_filters_keep_it(unopened: Page) -> None:
    shown(unopened, "tab=hours&period=7")
    expect(part(unopened, "year").locator("svg.heat")).to_be_visible()
    expect(part(unopened, "days")).to_be_hidden()
    # The figures have their small lines although the bars are on the other tab.
    expect(unopened.locator("[data-spark=credits] polyline")).to_have_count(1)
    part(unopened, "purposes").get_by_role("button", name="chat").click()
    expect_asked(unopened, {"period": "7", "purpose": "chat", "tab": "hours"})
    expect(part(unopened, "purposes")).to_be_visible()
    open_tab(unopened, FIRST_TAB)
    expect(part(unopened, "models").locator("tbody tr").first).to_be_visible()
    expect(part(unopened, "days").locator("canvas")).to_be_visible()
    assert "tab" not in asked(unopened)


def test_the_second_tab_is_read_for_when_it_is_opened(unopened: Page) -> None:
    reads: list[str] = []
    unopened.on("request", lambda request: reads.append(request.url) if "/api/" in request.url else None)
    shown(unopened, "hours_of=model-2")
    assert not any("model=model-2" in url for url in reads)
    expect(part(unopened, "year").locator("svg")).to_have_count(0)
    open_tab(unopened)
    expect(part(unopened, "year").locator("svg.heat")).to_be_visible()
    assert any("/api/daily" in url and "model=model-2" in url for url in reads)


def test_a_change_of_filters_reaches_the_tab_that_is_closed(overview: Page, today: date) -> None:
    open_tab(overview)
    part(overview, "purposes").get_by_role("button", name="chat").click()
    expect(calls(overview)).to_have_text("150")
    open_tab(overview, FIRST_TAB)
    expect(part(overview, "models").locator("tbody tr")).to_have_count(5)
    overview.get_by_role("button", name="Show all purposes").click()
    open_tab(overview)
    expect(part(overview, "purposes").locator("tbody tr")).to_have_count(3)
    expect(part(overview, "purposes")).not_to_have_attribute("data-outdated", "")


@pytest.mark.thorough
def test_the_tabs_are_accessible(overview: Page) -> None:
    assert violations(overview, "main") == {}
    open_tab(overview)
    assert violations(overview, "main") == {}
    assert overflow(overview, 320) <= 0


# Cards.


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("name", ["days", "models", "top", "month", "clients", "coverage"])
def test_each_card_has_one_menu(name: str, overview: Page) -> None:
    card = part(overview, name)
    menu = card.locator(".card-menu")
    expect(menu).to_have_count(1)
    expect(card.get_by_text("View as table")).to_be_hidden() if name in ("days", "month", "coverage") else None
    menu.locator("summary").press("Enter")
    expect(card.get_by_role("button", name="Save as CSV")).to_be_visible()
    overview.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Save as CSV")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()


@pytest.mark.parametrize(
    ("name", "link", "path"),
    [
        ("top", "All records of this period", r"/records\?period=30&order=credits_desc$"),
        ("coverage", "All days", r"/runs#ledger$"),
        ("month", "Statement", r"/statements/\d{4}-\d\d$"),
    ],
)
def test_the_menu_of_a_card_leads_on(name: str, link: str, path: str, overview: Page) -> None:
    part(overview, name).locator(".card-menu summary").click()
    expect(part(overview, name).get_by_role("link", name=link)).to_have_attribute("href", re.compile(path))


def test_all_columns_and_all_calls_are_shown_on_demand(overview: Page) -> None:
    overview.set_viewport_size({"width": 1280, "height": 800})
    models, top = part(overview, "models"), part(overview, "top")
    heads = models.locator("thead th").locator("visible=true")
    expect(heads).to_have_text(["Model", "Share", "Credits", "Change"])
    models.locator(".card-menu summary").click()
    models.get_by_role("button", name="Show all columns").click()
    expect(heads).to_have_count(8)
    assert overflow(overview, 1280) <= 0
    rows = top.locator("li").locator("visible=true")
    expect(rows).to_have_count(5)
    top.get_by_role("button", name="Show all 10").press("Enter")
    expect(rows).to_have_count(10)
    expect(top.locator("li a").nth(5)).to_be_focused()


@pytest.mark.thorough
def test_a_year_and_a_day_keep_the_order(unopened: Page, today: date) -> None:
    for query in (f"from={today - timedelta(days=364)}&to={today}", f"from={today}&to={today}"):
        unopened.set_viewport_size({"width": 1280, "height": 800})
        shown(unopened, query)
        assert beyond(unopened, 800) == {}
        assert overflow(unopened, 390) <= 0
