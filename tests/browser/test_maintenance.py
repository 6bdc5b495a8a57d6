"""Maintenance in a real browser: its actions and the next runs on the page of settings."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.collecting import hold_a_run
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing


def run_action(page: Page, name: str) -> Locator:
    """Press an action's button; what is said beside it."""
    task = page.locator(".task", has=page.get_by_role("button", name=name))
    task.get_by_role("button").click()
    said = task.locator("[data-said]")
    expect(said).not_to_have_text("Working…")
    return said


@pytest.mark.own_context
def test_an_action_says_beside_its_button_what_it_did_and_how_long_to_wait(
    page: Page, user_id: int, watch: Watch, instance: Instance
) -> None:
    watch.expect(429)
    page.clock.install()
    page.goto("/config")
    expect(run_action(page, "Recount")).to_contain_text("0 records")
    said = run_action(page, "Recount")
    expect(said).to_contain_text(re.compile(r"wait \d seconds"))
    expect(said).to_have_attribute("data-kind", "wait")
    # The button counts the seconds, and is itself again at the end.
    button = page.locator("[data-action=recount]")
    expect(button).to_have_text(re.compile(r"Recount \(\d s\)"))
    page.clock.run_for(5000)
    expect(button).to_have_text("Recount")
    expect(said).to_be_empty()
    # The server's clock goes on as it does.
    instance.forget_counts()
    expect(run_action(page, "Recount")).to_contain_text("0 records")


@pytest.mark.own_context
def test_the_message_counts_the_same_seconds_as_the_button(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(429)
    answer = {"ok": False, "error": "too_frequent", "message": "Done a moment ago: wait 19 seconds."}
    page.clock.install()
    page.goto("/config")
    page.route(
        "**/api/maintenance/*", lambda route: route.fulfill(status=429, json=answer, headers={"Retry-After": "19"})
    )
    said, button = run_action(page, "Recount"), page.locator("[data-action=recount]")
    expect(button).to_have_text("Recount (19 s)")
    expect(said).to_have_text("Done a moment ago: wait 19 seconds.")
    page.clock.run_for(3000)
    expect(button).to_have_text("Recount (16 s)")
    expect(said).to_have_text("Done a moment ago: wait 16 seconds.")
    page.clock.run_for(17_000)
    expect(button).to_have_text("Recount")
    expect(said).to_be_empty()
    expect(said).not_to_have_attribute("aria-live", "off")


def test_an_export_is_linked(page: Page, user_id: int) -> None:
    page.goto("/config")
    said = run_action(page, "Export CSV")
    file = re.search(r"[\w.-]+\.csv", said.inner_text())
    assert file
    expect(said.get_by_role("link", name="Download")).to_have_attribute("href", f"/exports/{file[0]}")


def test_filling_prompts_without_a_cookie_fails_in_words(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(409)
    page.goto("/config")
    said = run_action(page, "Fill prompts")
    expect(said).to_contain_text("No cookie is set")
    expect(said).to_have_attribute("data-kind", "failed")


def test_compacting_beside_a_collection_is_a_matter_of_waiting(page: Page, gated: GatedSimulator, watch: Watch) -> None:
    watch.expect(409)
    hold_a_run(page, gated)
    page.goto("/config")
    said = run_action(page, "Compact the store")
    expect(said).to_contain_text("A collection is already running")
    expect(said).to_have_attribute("data-kind", "wait")


def test_the_next_runs_begin_with_the_one_that_the_server_names(page: Page, user_id: int) -> None:
    page.goto("/config/instance")
    due = page.request.get("/api/status").json()["scheduler"]["next_run"]
    expect(page.locator("#next-runs")).to_contain_text(re.compile(rf"Next runs: (today|tomorrow) {due[11:16]},"))
