"""Comparisons on the overview in a real browser: the choice, the figures, the bars, the tables and the month."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.overview_page import (
    FIRST_TAB,
    calls,
    choose_period,
    open_period,
    open_tab,
    open_table,
    part,
    shown,
)  # fmt: skip
from tests.browser.page_faults import violations
from tests.browser.settled import expect_among_asked, expect_asked


def compared(page: Page) -> Any:
    """What the page's own read says, of the address that the browser fetched for it."""
    address = page.locator("link[as=fetch][href*='/api/summary']").get_attribute("href")
    assert address is not None
    return page.request.get(address).json()["comparison"]


def was(page: Page, name: str) -> str:
    return page.locator(f"[data-was={name}]").inner_text()


# The choice.


@pytest.mark.landing
def test_each_figure_shows_the_earlier_value(unopened: Page, today: date) -> None:
    shown(unopened, "period=yesterday")
    assert [was(unopened, name) for name in ("credits", "calls", "average", "free")] == [
        "was 18.00", "was 12", "was 1.50", "was 25.0%",
    ]  # fmt: skip
    expect(unopened.locator("[data-change=credits]")).to_have_text("unchanged")
    expect(part(unopened, "figures")).to_contain_text(f"compared with {today - timedelta(days=2)}")


@pytest.mark.landing
def test_the_choice_stands_in_the_address_and_can_be_gone_back_to(overview: Page, today: date) -> None:
    picker = overview.get_by_label("Comparison", exact=True)
    choose_period(overview, "Yesterday")
    open_period(overview)
    picker.select_option("none")
    expect(overview.locator("[data-was=credits]")).to_have_text("")
    expect_asked(overview, {"period": "yesterday", "compare": "none"})
    picker.select_option(label="vs. a year ago")
    # Nothing was called then, and the day was read: zero is known.
    expect(overview.locator("[data-was=calls]")).to_have_text("was 0")
    expect_among_asked(overview, compare="year")
    overview.reload()
    expect(picker).to_have_value("year")
    overview.go_back()
    expect(picker).to_have_value("none")
    expect(overview.locator("[data-was=credits]")).to_have_text("")
    overview.go_back()
    expect(picker).to_have_value("previous")
    expect(overview.locator("[data-was=calls]")).to_have_text("was 12")


@pytest.mark.thorough
def test_any_days_can_be_compared_with(overview: Page, today: date) -> None:
    choose_period(overview, "Yesterday")
    expect(overview.locator("[data-was=calls]")).to_have_text("was 12")
    open_period(overview)
    overview.get_by_label("Comparison", exact=True).select_option("custom")
    # It begins with the days that were compared with.
    before = today - timedelta(days=2)
    expect_among_asked(overview, compare=f"{before}..{before}")
    overview.get_by_label("Compared from").fill(f"{today - timedelta(days=4)}")
    expect(overview.locator("[data-was=calls]")).to_have_text("was 36")
    expect_among_asked(overview, compare=f"{today - timedelta(days=4)}..{before}")
    overview.reload()
    expect(overview.get_by_label("Compared from")).to_have_value(f"{today - timedelta(days=4)}")
    overview.goto("/?period=yesterday&compare=nonsense")
    expect(overview.get_by_label("Comparison", exact=True)).to_have_value("previous")


@pytest.mark.landing
def test_an_unfinished_period_is_compared_until_the_same_time(unopened: Page, today: date) -> None:
    shown(unopened, "period=today")
    found = compared(unopened)
    yesterday = f"{today - timedelta(days=1)}"
    assert found["window"] == {"from": yesterday, "to": yesterday, "days": 1}
    hours, minutes = map(int, found["until"].split(":"))
    assert found["totals"]["calls"] == min(12, hours + (minutes >= 30))
    expect(unopened.locator("[data-was=calls]")).to_have_text(f"was {found['totals']['calls']}")


@pytest.mark.landing
def test_a_month_is_compared_with_the_month_before(unopened: Page, today: date) -> None:
    last = today.replace(day=1) - timedelta(days=1)
    before = last.replace(day=1) - timedelta(days=1)
    shown(unopened, "period=last-month")
    window = compared(unopened)["window"]
    assert (window["from"], window["to"]) == (f"{before.replace(day=1)}", f"{before}")
    shown(unopened, "period=month")
    window = compared(unopened)["window"]
    assert (window["from"], window["to"]) == (f"{last.replace(day=1)}", f"{last.replace(day=min(today.day, last.day))}")


# The bars and the tables.


@pytest.mark.landing
def test_the_earlier_period_is_a_line_behind_the_bars(unopened: Page, today: date) -> None:
    span = f"from={today - timedelta(days=3)}&to={today - timedelta(days=1)}"
    shown(unopened, span)
    expect(part(unopened, "days").locator("[data-legend]")).to_contain_text("Before")
    open_table(part(unopened, "days"))
    row = part(unopened, "days").get_by_role("row").filter(has_text=f"{today - timedelta(days=1)}")
    expect(row.get_by_role("cell").last).to_have_text("18.00")
    expect(part(unopened, "days").get_by_role("columnheader").last).to_have_text("Before")
    shown(unopened, f"{span}&compare=none")
    open_table(part(unopened, "days"))
    expect(part(unopened, "days").get_by_role("columnheader").last).to_have_text("Sum")


@pytest.mark.landing
def test_models_and_clients_have_a_change_and_a_small_line_each(unopened: Page, today: date) -> None:
    shown(unopened, f"from={today - timedelta(days=9)}&to={today - timedelta(days=1)}")
    for name in ("models", "clients", "purposes"):
        if name == "purposes":
            open_tab(unopened)
        row = part(unopened, name).locator("tbody tr").first
        expect(row.locator("[data-change]")).to_have_text("=")
        expect(row.locator("[data-change]")).to_have_attribute("title", re.compile("^unchanged, was "))
        expect(row.locator("[data-spark] polyline")).to_have_count(1)
        expect(row.locator(".spark-dot")).to_have_count(0)
    shown(unopened, "period=7&compare=none")
    expect(part(unopened, "models").locator("[data-change]").first).to_be_hidden()
    # Today is not over: a dot.
    expect(part(unopened, "models").locator(".spark-dot").first).to_be_attached()


@pytest.mark.landing
def test_purposes_have_no_change_where_no_earlier_call_has_one(unopened: Page, today: date) -> None:
    def without_purposes(route: Route) -> None:
        answer = route.fetch().json()
        purposes = answer["comparison"]["items"]["purpose"]
        answer["comparison"]["items"]["purpose"] = {"": purposes["chat"]}
        route.fulfill(json=answer)

    unopened.route("**/api/dims*compare*", without_purposes)
    shown(unopened, f"from={today - timedelta(days=9)}&to={today - timedelta(days=1)}")
    open_tab(unopened)
    changes = part(unopened, "purposes").locator("[data-change]")
    expect(changes).to_have_text(["–", "–", "–"])
    expect(changes.first).to_have_attribute("title", "The purposes of the earlier calls are not known.")
    open_tab(unopened, FIRST_TAB)
    expect(part(unopened, "clients").locator("[data-change]").first).to_have_text("=")


@pytest.mark.landing
def test_purposes_have_no_change_where_an_earlier_day_lost_its_prompts(unopened: Page, today: date) -> None:
    def stripped(route: Route) -> None:
        answer = route.fetch().json()
        lost = str(today - timedelta(days=12))
        answer["days"] = [{**day, "state": "stripped"} if day["d"] == lost else day for day in answer["days"]]
        route.fulfill(json=answer)

    unopened.route("**/api/coverage*", stripped)
    shown(unopened, f"tab=hours&from={today - timedelta(days=9)}&to={today - timedelta(days=1)}")
    expect(part(unopened, "purposes").locator("[data-change]")).to_have_text(["–", "–", "–"])
    shown(unopened, f"tab=hours&from={today - timedelta(days=5)}&to={today - timedelta(days=1)}")
    expect(part(unopened, "purposes").locator("[data-change]").first).to_have_text("=")


@pytest.mark.thorough
def test_small_lines_end_at_yesterday_with_today_as_a_dot(overview: Page, today: date) -> None:
    spark = overview.locator("[data-spark=credits]")
    shown(overview, "period=7")
    expect(spark.locator(".spark-dot")).to_have_count(1)
    points = "line => line.getAttribute('points').split(' ').length"
    assert spark.locator("polyline").evaluate(points) == 6
    shown(overview, f"from={today - timedelta(days=7)}&to={today - timedelta(days=1)}")
    expect(spark.locator(".spark-dot")).to_have_count(0)
    assert spark.locator("polyline").evaluate(points) == 7


@pytest.mark.landing
def test_the_tip_has_the_sum_first_and_the_order_of_the_stack(unopened: Page, today: date) -> None:
    shown(unopened, f"from={today - timedelta(days=3)}&to={today - timedelta(days=1)}")
    chart = part(unopened, "days").locator("[data-chart]")
    chart.hover()
    rows = part(unopened, "days").locator(".tip > div")
    expect(rows.first).to_have_text("Sum18.00")
    expect(rows.first).to_have_css("font-weight", "700")
    legend = part(unopened, "days").locator(".legend-only").all_inner_texts()
    names = rows.locator("span:nth-child(2)").all_inner_texts()
    # The highest part of the bar first; at the end the earlier value.
    earlier = today - timedelta(days=5)
    assert names == ["Sum", *[name for name in reversed(legend) if name in names], f"Before · {earlier:%a} {earlier}"]


# The legend, the grain and the month.


@pytest.mark.landing
def test_a_name_of_the_legend_isolates_its_series_and_the_button_beside_hides_it(overview: Page, today: date) -> None:
    days = part(overview, "days")
    head = days.get_by_role("columnheader")
    shown(overview, f"from={today - timedelta(days=3)}&to={today - timedelta(days=1)}&show=free")
    open_table(days)
    expect(head).to_have_text(["Days", "Billed calls", "Free calls", "Sum", "Before"])
    days.get_by_role("button", name="Free calls", exact=True).click()
    expect(head).to_have_text(["Days", "Free calls"])
    expect(days.get_by_role("button", name="Free calls", exact=True)).to_have_attribute("aria-pressed", "true")
    days.get_by_role("button", name="Free calls", exact=True).click()
    expect(head).to_have_count(5)
    # By keyboard: the focus stays on the button.
    days.get_by_role("button", name="Hide Free calls").focus()
    overview.keyboard.press("Enter")
    expect(head).to_have_text(["Days", "Billed calls"])
    expect(days.get_by_role("button", name="Hide Free calls")).to_be_focused()
    overview.keyboard.press("Enter")
    expect(head).to_have_count(5)
    days.get_by_role("button", name="Billed calls", exact=True).click(modifiers=["Shift"])
    expect(head).to_have_text(["Days", "Free calls"])
    days.get_by_role("button", name="Hide Billed calls").click()
    days.get_by_role("button", name="Hide Before").click()
    expect(head).to_have_text(["Days", "Billed calls", "Free calls", "Sum"])


@pytest.mark.landing
def test_the_bars_are_days_weeks_or_months_by_choice(overview: Page, today: date) -> None:
    expect(overview.get_by_role("radio", name="Days", exact=True)).to_be_checked()
    overview.get_by_role("radio", name="Weeks", exact=True).check()
    expect(overview.get_by_role("heading", name="Weeks", exact=True)).to_be_visible()
    expect_asked(overview, {"by": "week"})
    overview.reload()
    expect(overview.get_by_role("heading", name="Weeks", exact=True)).to_be_visible()
    overview.get_by_role("radio", name="Months", exact=True).check()
    expect(overview.get_by_role("heading", name="Months", exact=True)).to_be_visible()
    overview.go_back()
    expect(overview.get_by_role("radio", name="Weeks", exact=True)).to_be_checked()
    overview.goto("/?period=all&by=day")
    # Eight hundred bars have no room.
    expect(overview.get_by_role("radio", name="Days", exact=True)).to_be_disabled()
    expect(overview.get_by_role("heading", name="Months", exact=True)).to_be_visible()


@pytest.mark.landing
def test_the_month_to_date_stands_beside_the_month_before(overview: Page, today: date) -> None:
    month = part(overview, "month")
    expect(month.locator(".month-now, .month-then")).to_have_count(2)
    expect(month.locator("[data-forecast]")).to_contain_text(re.compile(r"will end at [\d,.]+ to [\d,.]+ credits"))
    open_table(month)
    first = month.get_by_role("row").nth(1).get_by_role("cell")
    expect(first.nth(0)).to_have_text("18.00")
    month.locator("[data-chart]").hover()
    expect(month.locator(".tip")).to_be_visible()


@pytest.mark.landing
def test_how_the_forecast_is_made_is_read_by_pointer_keyboard_and_finger(overview: Page) -> None:
    button = overview.get_by_role("button", name="How the forecast is made")
    method = overview.get_by_role("tooltip", include_hidden=True)
    expect(method).to_be_hidden()
    button.focus()
    expect(method).to_be_visible()
    expect(button).to_have_accessible_description(re.compile("your own archived days of the last 8 weeks"))
    overview.keyboard.press("Escape")
    expect(method).to_be_hidden()
    button.hover()
    expect(method).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("query", ["period=30&compare=month", "period=yesterday", "compare=2026-01-01..2026-01-31"])
def test_comparisons_are_accessible_and_fit_a_phone(unopened: Page, query: str) -> None:
    shown(unopened, query)
    for width in (320, 390, 1440):
        unopened.set_viewport_size({"width": width, "height": 900})
        assert unopened.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), width
    assert violations(unopened, "main") == {}
    unopened.set_viewport_size({"width": 1280, "height": 720})
    expect(calls(unopened)).to_be_visible()
