"""A run in a real browser, followed live and stopped."""

import re

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.collecting import asking_to_stop, hold_a_run, outcome_of
from tests.browser.settled import answered, expect_evaluated, quiet
from tests.browser.visits import Watch
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing

AT_END = "log => log.scrollHeight - log.scrollTop - log.clientHeight <= 1"


@pytest.mark.own_context
def test_the_log_follows_live_and_polling_ends_with_the_run(page: Page, gated: GatedSimulator) -> None:
    run_id = hold_a_run(page, gated)
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: note(request, asked))
    page.goto(f"/runs/{run_id}")
    log = page.locator("#log")
    expect(log).to_contain_text("page 1,")
    expect(log).not_to_contain_text("new records")
    expect(page.locator("#run")).to_be_hidden()
    gated.release()
    expect(outcome_of(page)).to_have_text("Done")
    expect(log).to_contain_text(f"{len(gated.rows())} new records")
    lines = (log.text_content() or "").splitlines()
    assert len(lines) == len(set(lines))
    # The frame's own looks end, too.
    page.clock.run_for(5000)
    answered(page)
    asked.clear()
    page.clock.run_for(20_000)
    quiet(page)
    assert asked == []


def note(request: Request, asked: list[str]) -> None:
    if "/api/runs/" in request.url:
        asked.append(request.url)


@pytest.mark.thorough
@pytest.mark.parametrize("scrolled_up", [False, True])
def test_the_log_stays_at_its_end_unless_somebody_scrolled_up(
    scrolled_up: bool, page: Page, gated: GatedSimulator
) -> None:
    page.set_viewport_size({"width": 1280, "height": 160})
    page.goto(f"/runs/{hold_a_run(page, gated)}")
    log = page.locator("#log")
    expect(log).to_contain_text("page 1,")
    assert log.evaluate("log => log.scrollHeight > log.clientHeight")
    expect_evaluated(log, AT_END, True)
    if scrolled_up:
        log.evaluate("log => log.scrollTo(0, 0)")
    gated.release()
    expect(outcome_of(page)).to_have_text("Done")
    expect_evaluated(log, AT_END, not scrolled_up)
    assert (log.evaluate("log => log.scrollTop") == 0) is scrolled_up


def test_stop_ends_a_run_and_says_what_becomes_of_the_rest(page: Page, gated: GatedSimulator) -> None:
    page.goto(f"/runs/{hold_a_run(page, gated)}")
    with asking_to_stop(page, page.get_by_role("button", name="Stop")):
        expect(page.get_by_role("button", name="Stopping…")).to_be_disabled()
    expect(outcome_of(page)).to_have_text("Interrupted")
    expect(page.get_by_role("button", name="Stopping…")).to_be_hidden()
    expect(page.locator("#one-run [data-advice]")).to_contain_text("The next run completes this one")
    expect(page.locator("#banner")).to_be_hidden()
    page.goto("/runs")
    expect(page.locator("#banner")).to_contain_text(re.compile(r"Calls of \d days between .* may be missing\."))


@pytest.mark.thorough
def test_stopping_a_run_that_ended_meanwhile_shows_its_end(page: Page, gated: GatedSimulator, watch: Watch) -> None:
    watch.expect(409)
    page.goto(f"/runs/{hold_a_run(page, gated)}")
    stop = page.get_by_role("button", name="Stop")
    with page.expect_response("**/api/runs/*/stop") as answer, asking_to_stop(page, stop):
        gated.release()
        expect(outcome_of(page)).to_have_text("Done")
    assert answer.value.status == 409
    expect(page.get_by_role("button", name=re.compile("^Stop"))).to_be_hidden()


def test_the_progress_panel_leads_to_the_run_and_stops_it(page: Page, gated: GatedSimulator) -> None:
    run_id = hold_a_run(page, gated)
    panel = page.locator("#run")
    expect(panel.get_by_role("link", name="Details")).to_have_attribute("href", f"/runs/{run_id}")
    with asking_to_stop(page, panel.get_by_role("button", name="Stop")):
        expect(panel.get_by_role("button", name="Stopping…")).to_be_disabled()
    expect(panel).to_contain_text("Collection interrupted")
    expect(panel.get_by_role("button", name="Stop")).to_be_hidden()
