"""Budgets on the overview in a real browser: the bars, the dialog, and the line over the days."""

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.overview_page import part, shown
from tests.browser.page_faults import violations
from tests.browser.settled import arrived
from tests.browser.visits import Watch, send

WIDTHS = (320, 390, 768, 1440)
# 18 credits a day: r-0 to r-11 cost 0 to 3.
OF_A_DAY = 18


def budgets(page: Page) -> Locator:
    return part(page, "budgets")


def bars(page: Page) -> Locator:
    return budgets(page).locator("li.budget")


@pytest.fixture(autouse=True)
def cleared(unopened: Page) -> Iterator[None]:
    """Each test begins and ends without budgets."""
    forget(unopened)
    yield
    forget(unopened)


def forget(page: Page) -> None:
    for item in page.request.get("/api/budgets").json()["items"]:
        send(page, f"/api/budgets/{item['id']}/delete")


def dialog_of(page: Page, opener: str = "Set a budget") -> Locator:
    """The dialog, once it is open."""
    page.get_by_role("button", name=opener).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def limits(page: Page) -> Locator:
    return part(page, "days").locator("[data-legend]").get_by_text("Budget of a day")


# The dialog.


@pytest.mark.landing
def test_without_budgets_there_is_only_a_button(unopened: Page) -> None:
    shown(unopened, "period=7")
    expect(bars(unopened)).to_have_count(0)
    expect(budgets(unopened).get_by_role("heading")).to_be_attached()
    expect(unopened.get_by_role("button", name="Set a budget")).to_be_visible()


@pytest.mark.landing
def test_a_budget_is_set_and_its_bar_comes_up(overview: Page) -> None:
    dialog = dialog_of(overview)
    expect(dialog.get_by_label("Credits")).to_be_focused()
    dialog.get_by_label("Period").select_option("week")
    dialog.get_by_label("Credits").fill("1000")
    dialog.get_by_label("Model").select_option("model-1")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    expect(budgets(overview).get_by_role("status")).to_have_text("The budget is saved.")
    expect(bars(overview)).to_have_count(1)
    expect(bars(overview)).to_contain_text("This week · model-1")
    expect(bars(overview)).to_contain_text(re.compile(r"[\d.]+ of 1,000.00 credits, [\d.]+%"))
    expect(bars(overview)).to_contain_text(re.compile(r"[\d.]+ left until \d{4}-\d\d-\d\d\."))
    overview.reload()
    expect(bars(overview)).to_contain_text("This week · model-1")


@pytest.mark.thorough
def test_a_budget_is_changed_and_deleted(unopened: Page) -> None:
    send(unopened, "/api/budgets", period="month", credits=5000, first_day=15, thresholds=[10, 120])
    shown(unopened, "period=7")
    # The longest threshold is the end of the bar.
    expect(bars(unopened).locator("i")).to_have_count(1)
    dialog = dialog_of(unopened, "Change the budget")
    expect(dialog.get_by_label("Credits")).to_have_value("5000")
    expect(dialog.get_by_label("The month begins on day")).to_have_value("15")
    expect(dialog.get_by_label("Thresholds in percent")).to_have_value("10, 120")
    dialog.get_by_label("Period").select_option("day")
    expect(dialog.get_by_label("The month begins on day")).to_be_hidden()
    dialog.get_by_label("Thresholds in percent").fill("25 %, 50，75")
    dialog.get_by_role("button", name="Save").click()
    expect(bars(unopened)).to_contain_text("Today")
    expect(bars(unopened).locator("i")).to_have_count(3)
    expect(unopened.get_by_role("button", name="Change the budget: Today")).to_be_focused()
    dialog = dialog_of(unopened, "Change the budget: Today")
    dialog.get_by_role("button", name="Delete").click()
    expect(bars(unopened)).to_have_count(0)
    expect(unopened.get_by_role("button", name="Set a budget")).to_be_focused()


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize(
    ("label", "value", "said"),
    [
        ("Credits", "", "The credits of a budget are a number above 0."),
        ("Credits", "-5", "The credits of a budget are a number above 0."),
        ("Credits", "many", "The credits of a budget are a number above 0."),
        ("Thresholds in percent", "50, 500", "Thresholds are a list"),
        ("Thresholds in percent", "half", "Thresholds are a list"),
        ("The month begins on day", "32", "The first day of a month is a number from 1 to 31."),
    ],
)
def test_an_error_stands_beside_its_field_and_the_rest_stays(
    overview: Page, watch: Watch, label: str, value: str, said: str
) -> None:
    watch.expect(400)
    dialog = dialog_of(overview)
    dialog.get_by_label("Credits").fill("12.5")
    dialog.get_by_label(label).fill(value)
    dialog.get_by_role("button", name="Save").click()
    field = dialog.get_by_label(label)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile(re.escape(said)))
    expect(field).to_be_focused()
    expect(field).to_have_value(value)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(bars(overview)).to_have_count(0)
    # The error does not wait in the dialog.
    dialog = dialog_of(overview)
    expect(dialog.get_by_label(label)).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.thorough
def test_a_budget_says_that_nobody_is_sent_its_notice(overview: Page) -> None:
    send(overview, "/api/budgets", period="day", credits=1000)
    shown(overview, "period=7")
    expect(budgets(overview)).to_contain_text("When a threshold is passed, only the page Notices says so.")
    dialog = dialog_of(overview)
    expect(dialog).to_contain_text("only the page Notices says so")
    dialog.get_by_role("button", name="Cancel").click()
    budgets(overview).get_by_role("link", name="Add an address").focus()
    overview.keyboard.press("Enter")
    arrived(overview, "/notices#address")


@pytest.mark.landing
def test_a_budget_names_where_its_notice_goes(overview: Page) -> None:
    send(overview, "/api/notices", add={"service": "json", "webhook": "https://1.1.1.1/hook", "name": "My program"})
    send(overview, "/api/notices", add="json://8.8.8.8/marker-topic")
    send(overview, "/api/budgets", period="day", credits=1000)
    try:
        shown(overview, "period=7")
        expect(budgets(overview)).to_contain_text("a notice goes to: My program, json://8.8.8.8/…")
        expect(dialog_of(overview)).to_contain_text("a notice goes to: My program, json://8.8.8.8/…")
        assert "marker-topic" not in overview.content()
        send(overview, "/api/notices", events={"budget": False})
        shown(overview, "period=7")
        expect(budgets(overview)).to_contain_text("Notices of budgets are off.")
        assert violations(overview, "[data-part=budgets]") == {}
    finally:
        send(overview, "/api/notices", addresses=[], events={"budget": True})


@pytest.mark.thorough
def test_what_refuses_the_whole_budget_stands_above_the_fields(overview: Page, watch: Watch) -> None:
    watch.expect(400)
    for _ in range(50):
        send(overview, "/api/budgets", period="day", credits=1000)
    shown(overview, "period=7")
    dialog = dialog_of(overview)
    dialog.get_by_label("Credits").fill("5")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("An account can have at most 50 budgets.")).to_be_visible()


@pytest.mark.landing
def test_a_budget_that_was_deleted_elsewhere_is_said_to_be_missing(unopened: Page, watch: Watch) -> None:
    watch.expect(404)
    send(unopened, "/api/budgets", period="day", credits=1000)
    shown(unopened, "period=7")
    dialog = dialog_of(unopened, "Change the budget")
    forget(unopened)
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_text("There is no such budget.")).to_be_visible()


# The bars.


def item(**fields: Any) -> dict[str, Any]:
    return {
        "id": 1, "period": "week", "credits": 10.0, "model": "", "client": "", "thresholds": [50, 80, 100],
        "spent": 7.0, "left": 3.0, "percent": 70.0, "ends_at": "2026-09-20 23:59:59", "runs_out_at": None,
        "first_day": 1, "begins_on": "2026-09-14", "pace": 1.2, **fields,
    }  # fmt: skip


def answered(page: Page, *items: dict[str, Any]) -> None:
    """The overview with these budgets as the server's answer."""

    def answer(route: Route) -> None:
        route.fulfill(content_type="application/json", body=json.dumps({"items": list(items)}))

    page.route("**/api/budgets", answer)
    shown(page, "period=7")


@pytest.mark.landing
def test_bars_say_in_words_and_colour_how_far_they_are(unopened: Page) -> None:
    answered(
        unopened,
        item(),
        item(id=2, runs_out_at="2026-09-18 16:00:00"),
        item(id=3, spent=12.0, left=-2.0, percent=120.0, runs_out_at="2026-09-16 10:00:00"),
    )
    levels = bars(unopened).evaluate_all("(rows) => rows.map((row) => row.dataset.level)")
    assert levels == ["fine", "soon", "over"]
    colours = (
        bars(unopened)
        .locator("[data-spent]")
        .evaluate_all("(bars) => bars.map((bar) => getComputedStyle(bar).backgroundColor)")
    )
    assert len(set(colours)) == 3
    expect(bars(unopened).nth(1)).to_contain_text("At this pace used up on 2026-09-18 16:00.")
    expect(bars(unopened).nth(2)).to_contain_text("Used up on 2026-09-16 10:00; 2.00 credits over.")
    widths = bars(unopened).locator("[data-spent]").evaluate_all("(bars) => bars.map((bar) => bar.style.width)")
    assert widths == ["70%", "70%", "100%"]
    reached = bars(unopened).nth(0).locator("i").evaluate_all("(marks) => marks.map((one) => 'reached' in one.dataset)")
    # The threshold of 100 % is the end of the bar.
    assert reached == [True, False]


@pytest.mark.landing
def test_a_month_from_another_day_names_its_days(overview: Page) -> None:
    answered(overview, item(period="month", first_day=16, begins_on="2026-09-16", ends_at="2026-10-15 23:59:59"))
    expect(bars(overview).locator("strong")).to_have_text("2026-09-16 to 2026-10-15")


@pytest.mark.landing
def test_budgets_that_cannot_be_read_are_said_and_can_be_tried_again(unopened: Page, watch: Watch) -> None:
    watch.expect(500)
    send(unopened, "/api/budgets", period="day", credits=1000)
    unopened.route("**/api/budgets", lambda route: route.fulfill(status=500, json={"ok": False, "message": "Broken."}))
    shown(unopened, "period=7")
    expect(budgets(unopened)).to_contain_text("Broken.")
    unopened.unroute("**/api/budgets")
    budgets(unopened).get_by_role("button", name="Try again").click()
    expect(bars(unopened)).to_have_count(1)


# The line in the days.


@pytest.mark.landing
def test_the_days_have_a_line_at_the_budget_of_a_day(unopened: Page) -> None:
    send(unopened, "/api/budgets", period="day", credits=OF_A_DAY)
    shown(unopened, "period=7")
    expect(limits(unopened)).to_have_text("Budget of a day: 18.00")
    unopened.get_by_role("radio", name="Calls", exact=True).check()
    expect(limits(unopened)).to_have_count(0)
    unopened.get_by_role("radio", name="Credits", exact=True).check()
    expect(limits(unopened)).to_have_count(1)
    unopened.get_by_role("radio", name="Weeks", exact=True).check()
    expect(limits(unopened)).to_have_count(0)


@pytest.mark.landing
def test_the_line_is_that_of_the_filters(unopened: Page) -> None:
    send(unopened, "/api/budgets", period="day", credits=2, model="model-1")
    shown(unopened, "period=7")
    expect(limits(unopened)).to_have_count(0)
    shown(unopened, "period=7&model=model-1")
    expect(limits(unopened)).to_have_text("Budget of a day: 2.00")
    shown(unopened, "period=7&model=model-1&client=ide")
    expect(limits(unopened)).to_have_count(0)


@pytest.mark.landing
def test_a_new_budget_draws_its_line_at_once(overview: Page, today: date) -> None:
    expect(limits(overview)).to_have_count(0)
    dialog = dialog_of(overview)
    dialog.get_by_label("Period").select_option("day")
    dialog.get_by_label("Credits").fill("20")
    dialog.get_by_role("button", name="Save").click()
    expect(limits(overview)).to_have_text("Budget of a day: 20.00")


# All of it.


@pytest.mark.thorough
def test_budgets_are_accessible_and_fit_all_widths(overview: Page) -> None:
    long = "a-model-with-a-name-that-is-much-longer-than-those-of-others-" * 3
    for number in range(3):
        send(overview, "/api/budgets", period="day", credits=1 + 30 * number, model="", client="")
    send(overview, "/api/budgets", period="month", credits=99999999, model=long, client="ide")
    shown(overview, "period=7")
    for theme in ("light", "dark"):
        overview.emulate_media(color_scheme=theme)
        for width in WIDTHS:
            overview.set_viewport_size({"width": width, "height": 900})
            fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            assert overview.evaluate(fits), width
        assert violations(overview, "main") == {}
    overview.emulate_media(color_scheme="light")
    overview.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.landing
def test_the_forecast_of_other_calls_is_not_shown(unopened: Page) -> None:
    shown(unopened, "model=model-1")
    month = part(unopened, "month")
    expect(month.locator("[data-forecast]")).to_have_text("The forecast is of all calls.")
    expect(month.locator(".month-range")).to_have_count(0)
    expect(month.get_by_role("button", name="How the forecast is made")).to_be_hidden()


@pytest.mark.landing
def test_without_the_forecast_the_month_is_shown(unopened: Page, watch: Watch) -> None:
    watch.expect(500)
    unopened.route("**/api/forecast", lambda route: route.fulfill(status=500, json={"ok": False, "message": "Broken."}))
    shown(unopened, "period=7")
    month = part(unopened, "month")
    expect(month.locator(".month-now")).to_have_count(1)
    expect(month.locator("[data-forecast]")).to_have_text("")
