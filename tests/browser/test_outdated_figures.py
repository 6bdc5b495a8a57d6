"""The overview while filters change, in a real browser: an old answer is never taken for the new one."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.held_requests import HeldRequests
from tests.browser.overview_page import PER_DAY, calls, part
from tests.browser.settled import expect_evaluated
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing

OPACITY = """node => {
  let strength = 1;
  for (let one = node; one; one = one.parentElement) strength *= Number(getComputedStyle(one).opacity);
  return strength;
}"""
# Within one task, so before any answer and any animation.
CHOOSE_AND_LOOK = f"""([period, ...places]) => {{
  document.querySelector(`[data-period="${{period}}"]`).click();
  const strength = {OPACITY};
  const nodes = places.map((place) => document.querySelector(place));
  return nodes.map((node) => [node.textContent.trim(), strength(node)]);
}}"""
PLACES = ["[data-figure=calls]", "[data-window]", "#days-title", "[data-part=models] tbody", "[data-part=days] .chart"]


def choose(page: Page, period: str) -> dict[str, tuple[str, float]]:
    """The text and the strength of places in the moment in which a period is chosen."""
    found = page.evaluate(CHOOSE_AND_LOOK, [period, *PLACES])
    return dict(zip(PLACES, map(tuple, found), strict=True))


def is_whole(page: Page) -> None:
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)


def test_numbers_of_other_filters_are_dimmed_in_the_same_frame(overview: Page) -> None:
    is_whole(overview)
    held = HeldRequests(overview, "**/api/summary?*")
    at_once = choose(overview, "7")
    assert at_once["[data-figure=calls]"] == (f"{30 * PER_DAY}", 0.4)
    assert {strength for _, strength in at_once.values()} == {0.4}
    # After 200 ms there is nothing to be read in their place.
    expect(calls(overview)).to_have_css("color", "rgba(0, 0, 0, 0)")
    held.release()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect(calls(overview)).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    expect_evaluated(calls(overview), OPACITY, 1)


def test_the_title_of_the_bars_and_their_figures_change_together(overview: Page) -> None:
    is_whole(overview)
    held = HeldRequests(overview, "**/api/dims?*")
    choose(overview, "yesterday")
    # The figures have their answer; the bars and the small lines above them wait for theirs.
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    expect_evaluated(calls(overview), OPACITY, 1)
    expect(part(overview, "days")).to_have_attribute("data-outdated", "")
    expect(overview.locator("#days-title")).to_have_text("Days")
    expect_evaluated(overview.locator("#days-title"), OPACITY, 0.4)
    expect_evaluated(overview.locator("[data-spark=calls]"), OPACITY, 0.4)
    held.release()
    expect(overview.locator("#days-title")).to_have_text("Hours")
    expect_evaluated(overview.locator("#days-title"), OPACITY, 1)


def test_an_answer_that_comes_too_late_is_not_shown(overview: Page, today: date) -> None:
    is_whole(overview)
    late = HeldRequests(overview, f"**/api/summary?*from={today - timedelta(days=6)}*")
    choose(overview, "7")
    expect(part(overview, "figures")).to_have_attribute("data-outdated", "")
    choose(overview, "yesterday")
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    late.release()
    is_whole(overview)
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    expect(overview.locator("#days-title")).to_have_text("Hours")


def test_the_month_stands_while_only_the_period_changes(overview: Page) -> None:
    is_whole(overview)
    held = HeldRequests(overview, "**/api/daily?*")
    choose(overview, "7")
    expect(part(overview, "days")).to_have_attribute("data-outdated", "")
    expect_evaluated(part(overview, "month").locator(".chart"), OPACITY, 1)
    held.release()
    is_whole(overview)


# A server that asks to wait.

SUMMARY = "**/api/summary?*"
# Whether the failure of the figures was ever shown, however briefly.
WATCH_FAILURE = """() => {
  const failed = document.querySelector("[data-part=figures] [data-failed]");
  window.hasFailed = false;
  new MutationObserver(() => { window.hasFailed ||= !failed.hidden; }).observe(failed, { attributes: true });
}"""


class Refusals:
    """The first requests of a read, which the server refuses because they come too soon."""

    def __init__(self, page: Page, most: int, seconds: int) -> None:
        self.most, self.headers = most, {"Retry-After": f"{seconds}"}
        self.asked: list[str] = []
        page.route(SUMMARY, self.answer)

    def answer(self, route: Route) -> None:
        self.asked.append(route.request.url)
        if len(self.asked) > self.most:
            route.continue_()
            return
        body = {"ok": False, "error": "too_frequent", "message": "Too many requests."}
        route.fulfill(status=429, json=body, headers=self.headers)


@pytest.fixture
def refused(overview: Page, watch: Watch) -> Iterator[Page]:
    """The overview, whose figures may be refused."""
    watch.expect(429)
    is_whole(overview)
    overview.evaluate(WATCH_FAILURE)
    yield overview
    overview.unroute(SUMMARY)


@pytest.mark.own_context
def test_a_read_that_comes_too_soon_is_repeated_in_silence(refused: Page) -> None:
    refusals = Refusals(refused, most=1, seconds=50)
    refused.clock.install()
    choose(refused, "7")
    expect(refused.locator("html")).to_have_attribute("data-waiting", "")
    # The old figures stay, dimmed, rather than become bars.
    expect(calls(refused)).to_have_text(f"{30 * PER_DAY}")
    expect_evaluated(calls(refused), OPACITY, 0.4)
    refused.clock.run_for(50_000)
    expect(calls(refused)).to_have_text(f"{7 * PER_DAY}")
    expect(refused.locator("html")).not_to_have_attribute("data-waiting", "")
    assert not refused.evaluate("window.hasFailed")
    assert len(refusals.asked) == 2


@pytest.mark.thorough
def test_a_read_that_is_refused_twice_says_so(refused: Page) -> None:
    refusals = Refusals(refused, most=2, seconds=1)
    choose(refused, "7")
    failed = part(refused, "figures").locator("[data-failed]")
    expect(failed).to_contain_text("Too many requests.")
    assert len(refusals.asked) == 2
    failed.get_by_role("button", name="Try again").click()
    expect(calls(refused)).to_have_text(f"{7 * PER_DAY}")


def test_a_long_wait_is_said_at_once(refused: Page) -> None:
    refusals = Refusals(refused, most=1, seconds=3600)
    choose(refused, "7")
    expect(part(refused, "figures").locator("[data-failed]")).to_contain_text("Too many requests.")
    assert len(refusals.asked) == 1


def test_other_filters_end_the_wait(refused: Page) -> None:
    refusals = Refusals(refused, most=1, seconds=50)
    choose(refused, "7")
    expect(refused.locator("html")).to_have_attribute("data-waiting", "")
    choose(refused, "yesterday")
    expect(calls(refused)).to_have_text(f"{PER_DAY}")
    expect(refused.locator("html")).not_to_have_attribute("data-waiting", "")
    assert len(refusals.asked) == 2
