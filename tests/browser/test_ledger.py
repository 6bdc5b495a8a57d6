"""The ledger on the overview in a real browser: hatched charts, the strip, what it starts, and the notice."""

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.accounts import enter
from tests.browser.ledger_page import READER, days_in, dialog, strip
from tests.browser.overview_page import choose_period, open_tab, open_table, part
from tests.browser.running_instance import Instance
from tests.browser.settled import answered, arrived
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing

SHOWN = 12


@pytest.fixture
def today(ledger_day: date) -> date:
    """The last day of the ledger."""
    return ledger_day


@pytest.fixture
def overview(page: Page, instance: Instance, today: date) -> Page:
    """The overview of twelve days."""
    enter(page.context, instance, READER)
    page.goto(f"/?from={today - timedelta(days=SHOWN - 1)}&to={today}")
    expect(strip(page).locator("svg")).to_be_visible()
    # What is above it moves it until then.
    return answered(page)


def place_of(page: Page, back: int) -> dict[str, Any]:
    """Where a day lies in the strip of the overview."""
    strip(page).scroll_into_view_if_needed()
    box = strip(page).bounding_box()
    assert box
    return {"x": (SHOWN - 1 - back + 0.5) * box["width"] / SHOWN, "y": 9}


def row_of(page: Page, name: str, day: date) -> Locator:
    table = part(page, name)
    if table.locator(".as-table").get_attribute("open") is None:
        open_table(table)
    return table.get_by_role("row").filter(has_text=str(day))


@pytest.fixture
def collected(overview: Page) -> list[Any]:
    """What the page asks to collect; each request is refused."""
    bodies: list[Any] = []

    def refuse(route: Route) -> None:
        bodies.append(json.loads(route.request.post_data or "null"))
        route.fulfill(status=429, json={"ok": False, "error": "too_frequent", "message": "Wait a little."})

    overview.route("**/api/collect", refuse)
    return bodies


# Unknown and zero


def test_bars_of_days_that_are_not_archived_say_so_and_read_days_are_zero(overview: Page, today: date) -> None:
    expect(part(overview, "days").locator("[data-legend]")).to_contain_text("not archived")
    skipped = row_of(overview, "days", today - timedelta(days=4))
    expect(skipped).to_contain_text("not archived")
    expect(skipped.get_by_role("cell")).to_have_text(["–"])
    empty = row_of(overview, "days", today - timedelta(days=7))
    expect(empty).not_to_contain_text("not archived")
    expect(empty.get_by_role("cell")).to_have_text(["0.00"])
    old = row_of(overview, "days", today - timedelta(days=9))
    expect(old).to_contain_text("older than CodeBuddy still gives")


def test_the_calendar_hatches_days_that_are_not_archived_and_its_table_names_them(overview: Page, today: date) -> None:
    open_tab(overview)
    legend = part(overview, "year").locator("[data-legend] li")
    expect(legend).to_have_text(["older than CodeBuddy still gives", "not archived"])
    expect(part(overview, "year").locator(".heat-unknown")).to_have_count(2)
    span = f"{today - timedelta(days=5)} to {today - timedelta(days=4)}"
    expect(row_of(overview, "year", today - timedelta(days=5))).to_have_text(re.compile(rf"{span}\s*not archived"))


def test_a_bar_of_many_days_counts_those_that_are_not_archived(overview: Page, today: date) -> None:
    overview.goto(f"/?from={today - timedelta(days=130)}&to={today}")
    open_table(part(overview, "days"))
    expect(part(overview, "days").get_by_role("table")).to_contain_text(re.compile(r"\d days? not archived"))
    expect(part(overview, "days").get_by_role("row").nth(1)).to_contain_text(", older than CodeBuddy still gives")


def test_the_charts_do_not_wait_for_the_ledger_and_stay_without_it(overview: Page, watch: Watch) -> None:
    watch.expect(503)
    overview.route("**/api/coverage*", lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    choose_period(overview, "Last 7 days")
    expect(part(overview, "coverage").locator("[data-failed]")).to_contain_text("Away.")
    expect(part(overview, "days").locator("canvas")).to_be_visible()
    expect(part(overview, "days").locator("[data-legend]")).not_to_contain_text("not archived")
    overview.unroute("**/api/coverage*")
    part(overview, "coverage").get_by_role("button", name="Try again").click()
    expect(part(overview, "days").locator("[data-legend]")).to_contain_text("not archived")


def test_a_period_without_calls_still_shows_whether_it_was_read(overview: Page, today: date) -> None:
    overview.goto(f"/?from={today - timedelta(days=40)}&to={today - timedelta(days=30)}")
    expect(overview.get_by_text("There are no calls in this period.")).to_be_visible()
    expect(part(overview, "coverage").locator("[data-legend]")).to_have_text("older than CodeBuddy still gives: 11")
    open_tab(overview)
    expect(part(overview, "hours")).to_be_hidden()
    expect(part(overview, "year")).to_be_visible()
    expect(part(overview, "models")).to_be_hidden()


# The strip


def test_the_legend_counts_the_days_of_each_state(overview: Page) -> None:
    expect(part(overview, "coverage").locator("[data-legend] li")).to_have_text(
        [
            "calls missing: 1", "not read: 2", "older than CodeBuddy still gives: 3", "not over yet: 1",
            "read, may still change: 3", "settled: 2",
        ]
    )  # fmt: skip


@pytest.mark.thorough
def test_each_state_has_a_pattern_or_a_height_beside_its_colour(overview: Page) -> None:
    marks = part(overview, "coverage").locator("[data-legend] path")
    looks = marks.evaluate_all(
        "marks => marks.map((mark) => [mark.getAttribute('fill'), mark.getAttribute('d')].join())"
    )
    assert len(set(looks)) == len(looks) == 6


def test_the_tip_of_a_day_has_its_counts(overview: Page, today: date) -> None:
    strip(overview).hover(position=place_of(overview, 2))  # type: ignore[arg-type]
    tip = part(overview, "coverage").locator(".tip")
    expect(tip).to_contain_text(f"{today - timedelta(days=2)}")
    for words in ("calls missing", "Calls at CodeBuddy4", "Calls here3", "Without a prompt0", f"Counted{today}"):
        expect(tip).to_contain_text(words)


def test_the_table_has_a_row_for_each_stretch_of_days(overview: Page, today: date, collected: list[Any]) -> None:
    row = row_of(overview, "coverage", today - timedelta(days=5))
    expect(row.get_by_role("cell")).to_have_text(["not read", "not counted", "0", "0", "–"])
    row.get_by_role("button").click()
    assert days_in(dialog(overview)) == [f"{today - timedelta(days=5)}", f"{today - timedelta(days=4)}"]


def test_the_keyboard_reads_each_day_and_selects_several(overview: Page, today: date, collected: list[Any]) -> None:
    slider = strip(overview)
    slider.focus()
    overview.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"{today}, not over yet"))
    for _ in range(2):
        overview.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("calls missing, Calls at CodeBuddy 4, Calls here 3"))
    for _ in range(3):
        overview.keyboard.press("Shift+ArrowLeft")
    overview.keyboard.press("Enter")
    assert days_in(dialog(overview)) == [f"{today - timedelta(days=5)}", f"{today - timedelta(days=2)}"]
    expect(dialog(overview)).to_contain_text("3 days are not complete.")
    overview.keyboard.press("Escape")
    expect(slider).to_be_focused()
    overview.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")


def test_a_day_that_lacks_nothing_offers_nothing(overview: Page) -> None:
    strip(overview).click(position=place_of(overview, 6))  # type: ignore[arg-type]
    expect(part(overview, "coverage").locator(".tip")).to_contain_text("settled")
    expect(part(overview, "coverage").locator(".tip")).not_to_contain_text("to fetch")
    expect(dialog(overview)).to_be_hidden()


def test_a_drag_offers_the_days_that_lack_something_and_the_answer_is_shown_in_the_frame(
    overview: Page, today: date, collected: list[Any], watch: Watch
) -> None:
    watch.expect(429)
    first, last = place_of(overview, 7), place_of(overview, 1)
    box = strip(overview).bounding_box()
    assert box
    overview.mouse.move(box["x"] + first["x"], box["y"] + 9)
    overview.mouse.down()
    overview.mouse.move(box["x"] + last["x"], box["y"] + 9)
    overview.mouse.up()
    from_to = {"from": f"{today - timedelta(days=5)}", "to": f"{today - timedelta(days=2)}"}
    assert days_in(dialog(overview)) == list(from_to.values())
    dialog(overview).get_by_role("button", name="Fetch these days").click()
    expect(dialog(overview)).to_be_hidden()
    expect(overview.locator("#run")).to_contain_text("Wait a little.")
    assert collected == [{"background": True, **from_to}]


@pytest.mark.thorough
def test_at_most_the_days_of_one_collection_are_offered(overview: Page, today: date, collected: list[Any]) -> None:
    def narrow(route: Route) -> None:
        status = route.fetch().json()
        status["limits"]["collect_max_range_days"] = 2
        route.fulfill(json=status)

    overview.route("**/api/status", narrow)
    with overview.expect_response("**/api/status"):
        overview.reload()
    expect(strip(overview).locator("svg")).to_be_visible()
    row_of(overview, "coverage", today - timedelta(days=5)).get_by_role("button").click()
    expect(dialog(overview)).not_to_contain_text("follow")
    dialog(overview).get_by_label("To", exact=True).fill(f"{today}")
    dialog(overview).get_by_role("button", name="Fetch these days").click()
    expect(dialog(overview)).to_contain_text("A collection may span at most 2 days.")
    overview.keyboard.press("Escape")
    strip(overview).focus()
    overview.keyboard.press("Home")
    overview.keyboard.press("Shift+End")
    overview.keyboard.press("Enter")
    expect(dialog(overview)).to_contain_text("2 days are not complete. 1 more day follows")
    assert collected == []


def test_days_in_the_wrong_order_are_not_sent(overview: Page, today: date, collected: list[Any]) -> None:
    strip(overview).click(position=place_of(overview, 2))  # type: ignore[arg-type]
    dialog(overview).get_by_label("To", exact=True).fill(f"{today - timedelta(days=3)}")
    dialog(overview).get_by_role("button", name="Fetch these days").click()
    expect(dialog(overview)).to_contain_text("Choose a first day and a last day")
    assert collected == []


# The notice


def test_a_notice_names_the_missing_days_and_leads_to_them(overview: Page, today: date) -> None:
    notice = overview.locator("#banner")
    overview.route("**/api/status", lambda route: route.fulfill(json={**route.fetch().json(), "cookie_set": True}))
    overview.reload()
    first, last = today - timedelta(days=5), today - timedelta(days=2)
    expect(notice).to_contain_text(f"Calls of 3 days between {first} and {last} may be missing.")
    notice.get_by_role("link", name="Show the days").click()
    arrived(overview, "/runs#ledger")
    expect(strip(overview)).to_be_visible()
