"""The ledger on the page of runs in a real browser: days to fetch, verification, and older days."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accounts import enter
from tests.browser.collecting import now_text, outcome_of
from tests.browser.ledger_page import READER, days_in, dialog, strip
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, send
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing


@pytest.fixture
def runs(page: Page, instance: Instance, ledger_day: date) -> Page:
    """The page of runs, of the account with a ledger."""
    enter(page.context, instance, READER)
    page.goto("/runs")
    expect(strip(page).locator("svg")).to_be_visible()
    return page


@pytest.fixture
def archived(page: Page, gated: GatedSimulator) -> Page:
    """The page of runs of an account that has collected."""
    send(page, "/api/collect")
    page.goto("/runs")
    expect(strip(page).locator("svg")).to_be_visible()
    return page


def test_an_account_without_records_and_runs_has_no_ledger(page: Page, user_id: int) -> None:
    page.goto("/runs")
    expect(page.get_by_text("No runs yet.")).to_be_visible()
    expect(page.locator("#ledger")).to_be_hidden()


def test_fetched_days_are_complete_without_a_reload(
    page: Page, user_id: int, instance: Instance, gated: GatedSimulator
) -> None:
    today = date.fromisoformat(page.request.get("/api/status").json()["server_time"][:10])
    instance.sql(
        "INSERT INTO usage_coverageday (user_id, day, upstream, checked_at) VALUES (?, ?, 99, ?)",
        user_id, f"{today - timedelta(days=1)}", now_text(),
    )  # fmt: skip
    page.goto("/runs")
    expect(strip(page)).to_be_visible()
    legend = page.locator("#ledger [data-legend]")
    expect(legend).to_contain_text("calls missing: 1")
    strip(page).focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    dialog(page).get_by_role("button", name="Fetch these days").click()
    gated.release()
    expect(page.locator("#run")).to_contain_text("Collected")
    expect(legend).not_to_contain_text("calls missing")


def test_the_last_31_closed_days_are_verified_unless_others_are_chosen(archived: Page) -> None:
    today = date.fromisoformat(archived.request.get("/api/status").json()["server_time"][:10])
    archived.get_by_role("button", name="Prove these days").click()
    proving = dialog(archived, "Prove these days?")
    assert days_in(proving) == [f"{today - timedelta(days=31)}", f"{today - timedelta(days=1)}"]
    proving.get_by_label("From", exact=True).fill(f"{today - timedelta(days=2)}")
    proving.get_by_role("button", name="Prove these days").click()
    arrived(archived, re.compile(r"/runs/\d+$"))
    expect(outcome_of(archived)).to_have_text("Done")
    expect(archived.locator("[data-fact=kind]")).to_have_text("Verification")
    window = f"{today - timedelta(days=2)} to {today - timedelta(days=1)}"
    expect(archived.locator("[data-fact=window]")).to_have_text(window)
    with archived.expect_download() as report:
        archived.get_by_role("link", name="Download report").click()
    assert report.value.suggested_filename.endswith(".csv")


def test_a_refused_verification_says_why_in_its_dialog(runs: Page, watch: Watch) -> None:
    watch.expect(409)
    busy = {"ok": False, "error": "busy", "message": "A collection is running."}
    runs.route("**/api/verify", lambda route: route.fulfill(status=409, json=busy))
    runs.get_by_role("button", name="Prove these days").click()
    proving = dialog(runs, "Prove these days?")
    proving.get_by_role("button", name="Prove these days").click()
    expect(proving).to_contain_text("A collection is running.")


def ask_for_older(page: Page) -> Locator:
    """Open the dialog of older calls."""
    page.locator("#ledger").get_by_role("button", name="Fetch older").click()
    asking = dialog(page, "Fetch older calls?")
    expect(asking).to_be_visible()
    return asking


def test_older_days_are_fetched_by_a_run_that_the_page_follows(archived: Page) -> None:
    ask_for_older(archived).get_by_role("button", name="Fetch older").click()
    arrived(archived, re.compile(r"/runs/\d+$"))
    expect(archived.locator("[data-fact=kind]")).to_have_text("Older calls")
    expect(outcome_of(archived)).to_have_text("Done")
    archived.goto("/runs")
    # 90 empty days end it.
    expect(strip(archived)).to_have_attribute("aria-valuemax", re.compile(r"^9\d$"))
    # The upstream cannot give them, so none of them is missing.
    expect(archived.locator("#ledger [data-complete]")).to_contain_text("No day is missing")
    expect(archived.locator("#ledger [data-legend]")).to_contain_text("older than CodeBuddy still gives")
    expect(archived.locator("#ledger [data-note]")).to_be_hidden()


def test_older_days_are_not_fetched_without_an_answer(runs: Page) -> None:
    asked: list[str] = []
    runs.on("request", lambda request: asked.append(request.url) if "/api/collect/older" in request.url else None)
    ask_for_older(runs).get_by_role("button", name="Cancel").click()
    expect(dialog(runs, "Fetch older calls?")).to_be_hidden()
    ask_for_older(runs)
    runs.keyboard.press("Escape")
    expect(dialog(runs, "Fetch older calls?")).to_be_hidden()
    assert asked == []


def test_why_older_days_are_not_fetched_is_said_in_the_dialog(runs: Page, watch: Watch) -> None:
    watch.expect(429)
    frequent = {"ok": False, "error": "too_frequent", "message": "Wait a little."}
    runs.route("**/api/collect/older", lambda route: route.fulfill(status=429, json=frequent))
    asking = ask_for_older(runs)
    asking.get_by_role("button", name="Fetch older").click()
    expect(asking).to_contain_text("Wait a little.")
    asking.get_by_role("button", name="Cancel").click()
    expect(ask_for_older(runs)).not_to_contain_text("Wait a little.")
