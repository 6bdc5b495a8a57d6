"""Feedback of the pages in a real browser: a server that is gone, notices, waits, old rows, a refused cookie."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.collecting import hold_a_run, make_runs
from tests.browser.collecting import rows_of as runs_of
from tests.browser.held_requests import HeldRequests
from tests.browser.overview_page import PER_DAY, calls, choose_period
from tests.browser.records_page import rows_of, said
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch, send
from tests.browser.waiting import until
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing

LOST = "net::ERR_"
OPACITY = "node => getComputedStyle(node).opacity"
# Within one task, so before any answer and any animation.
CHOOSE_AND_LOOK = """select => {
  select.value = "glm";
  select.dispatchEvent(new Event("change"));
  const nodes = document.querySelectorAll("#records tbody, [data-sums], #export summary");
  return Math.max(...[...nodes].map((node) => Number(getComputedStyle(node).opacity)));
}"""
CLEAR = "rgba(0, 0, 0, 0)"


def expect_dimmed(place: Locator, below: float) -> None:
    until(place.page, lambda: float(place.evaluate(OPACITY)) < below, f"{place} is not dimmed")


@contextmanager
def server_gone(page: Page, watch: Watch) -> Iterator[None]:
    """No request is answered meanwhile."""
    watch.allow_text(LOST)
    page.route("**/*", lambda route: route.abort())
    yield
    page.unroute("**/*")


@pytest.mark.own_context
def test_a_server_that_is_gone_is_one_notice_and_everything_loads_when_it_is_back(
    page: Page, user_id: int, instance: Instance, watch: Watch
) -> None:
    make_runs(instance, user_id, ("manual", "ok", 0))
    page.clock.install()
    page.goto("/runs")
    expect(runs_of(page)).to_have_count(1)
    expect(page.locator("#last-run")).to_have_attribute("data-outcome", "ok")
    with server_gone(page, watch):
        page.clock.fast_forward(61_000)
        notice = page.locator("#gone")
        expect(notice).to_have_text(
            re.compile(r"^The server does not answer\. This page shows what it was at \d\d:\d\d")
        )
        expect(page.locator("#last-run")).to_have_attribute("data-outcome", "unknown")
        expect(page.get_by_text(re.compile("cannot be reached|does not answer")).locator("visible=true")).to_have_count(
            1
        )
        expect(runs_of(page)).to_have_count(1)
        expect_dimmed(page.locator("#runs tbody"), 1)
    with page.expect_response("**/api/runs?*"), page.expect_response("**/api/status"):
        page.clock.run_for(5000)
    expect(notice).to_be_hidden()
    expect(page.locator("#last-run")).to_have_attribute("data-outcome", "ok")


def test_a_single_lost_answer_is_no_server_that_is_gone(page: Page, user_id: int, watch: Watch) -> None:
    watch.allow_text(LOST)
    page.route("**/api/runs?*", lambda route: route.abort())
    page.goto("/runs")
    expect(page.locator("#runs [data-failed]")).to_contain_text("The server cannot be reached.")
    expect(page.locator("#gone")).to_be_hidden()


def test_a_read_whose_answer_is_lost_once_is_repeated(reader: Page, watch: Watch) -> None:
    watch.allow_text(LOST)
    asked: list[str] = []

    def lose_the_first(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    reader.route("**/api/records?*", lose_the_first)
    reader.goto("/records")
    expect(said(reader)).to_have_text("1 to 50 of 120")
    expect(reader.locator("#records [data-failed]")).to_be_hidden()
    assert len(asked) == 2


@pytest.mark.own_context
def test_rows_of_earlier_filters_stay_dimmed_while_the_server_is_gone(reader: Page, watch: Watch) -> None:
    page = reader
    page.clock.install()
    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect(page.locator("#model option[value=glm]")).to_be_attached()
    with server_gone(page, watch):
        page.locator("#model").select_option("glm")
        expect(page.locator("#gone")).to_be_visible()
        expect(page.locator("#records")).to_have_attribute("aria-busy", "false")
        expect(rows_of(page)).to_have_count(50)
        expect(rows_of(page).first.locator(".cost")).not_to_have_css("color", CLEAR)
        for dimmed in ("#records tbody", "[data-sums]", "#records [data-said]", "#export summary"):
            expect_dimmed(page.locator(dimmed), 0.6)
    page.clock.run_for(5000)
    expect(said(page)).to_have_text(re.compile("of 40$"))
    expect(page.locator("#gone")).to_be_hidden()
    expect(page.locator("[data-sums]")).to_have_css("opacity", "1")


@pytest.mark.thorough
@pytest.mark.own_context
def test_figures_of_earlier_filters_stay_dimmed_while_the_server_is_gone(overview: Page, watch: Watch) -> None:
    page = overview
    page.clock.install()
    page.goto("/")
    expect(calls(page)).to_have_text(f"{30 * PER_DAY}")
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    with server_gone(page, watch):
        choose_period(page, "Last 7 days")
        expect(page.locator("#gone")).to_be_visible()
        expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
        expect(calls(page)).to_be_visible()
        expect(calls(page)).to_have_text(f"{30 * PER_DAY}")
        expect(calls(page)).to_have_css("opacity", "0.55")
        expect(calls(page)).not_to_have_css("color", CLEAR)
        expect(page.locator(".top li").first).to_be_visible()
        expect(page.locator("[data-void]")).to_have_count(0)
    page.clock.run_for(5000)
    expect(calls(page)).to_have_text(f"{7 * PER_DAY}")
    expect(page.locator("[data-outdated]")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.own_context
@pytest.mark.parametrize("path", ["/", "/records"])
def test_a_proxy_that_refuses_the_api_is_a_server_that_is_gone(path: str, overview: Page, watch: Watch) -> None:
    watch.expect(502)
    page = overview
    page.clock.install()
    page.route(
        "**/api/**", lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")
    )
    page.goto(path)
    expect(page.locator("#gone")).to_be_visible()
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    expect(page.get_by_text("502").locator("visible=true")).to_have_count(0)
    if path == "/":
        # No card is blank.
        text = "node => getComputedStyle(node, '::after').content"
        assert page.locator("[data-part=figures]").evaluate(text) == '"Not loaded yet."'
    else:
        expect(said(page)).to_have_text("Not loaded yet.")
    page.unroute("**/api/**")
    page.clock.run_for(5000)
    expect(page.locator("#gone")).to_be_hidden()
    if path == "/":
        expect(calls(page)).to_have_text(f"{30 * PER_DAY}")
    else:
        expect(rows_of(page)).to_have_count(50)


@pytest.mark.own_context
def test_the_notice_of_a_collection_floats_and_leaves(page: Page, gated: GatedSimulator) -> None:
    main = page.locator("main")
    top = "node => node.getBoundingClientRect().top + scrollY"
    before = main.evaluate(top)
    hold_a_run(page, gated)
    notice = page.locator("#run")
    expect(notice).to_contain_text("Collecting")
    # Nothing moves.
    assert main.evaluate(top) == before
    page.clock.install()
    gated.release()
    page.clock.run_for(2000)
    expect(notice).to_contain_text("Collected")
    notice.hover()
    page.clock.run_for(30_000)
    expect(notice).to_be_visible()
    page.mouse.move(5, 5)
    page.clock.run_for(11_000)
    expect(notice).to_be_hidden()


@pytest.mark.thorough
def test_progress_that_is_hidden_stays_hidden(page: Page, gated: GatedSimulator) -> None:
    hold_a_run(page, gated)
    notice = page.locator("#run")
    notice.get_by_role("button", name="Hide").click()
    expect(notice).to_be_hidden()
    gated.release()
    expect(page.locator("#last-run")).to_contain_text("Collected")
    expect(notice).to_be_hidden()


@pytest.mark.own_context
def test_a_wait_is_counted_on_the_button(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(429)
    answer = {"ok": False, "error": "too_frequent", "message": "Wait 25 seconds."}
    send(page, "/api/settings", cookie="session=1|2|3")
    page.clock.install()
    page.goto("/profile")
    page.route("**/api/collect", lambda route: route.fulfill(status=429, json=answer, headers={"Retry-After": "25"}))
    button = page.locator("#collect")
    button.click()
    expect(button).to_have_text("Collect (25 s)")
    expect(page.get_by_role("status").filter(has_text="Wait 25 seconds.")).to_have_count(1)
    expect(page.locator("#run")).to_be_hidden()
    expect(button).to_be_focused()
    page.clock.run_for(5000)
    expect(button).to_have_text("Collect (20 s)")
    expect(page.locator("#collect-said")).to_have_text("Wait 20 seconds.")
    page.clock.run_for(21_000)
    expect(button).to_have_text("Collect")
    expect(page.locator("#collect-said")).to_be_empty()


def test_rows_of_other_filters_are_dimmed_at_once_and_never_counted_as_the_new_ones(reader: Page) -> None:
    page = reader
    page.goto("/records")
    expect(rows_of(page)).to_have_count(50)
    HeldRequests(page, "**/api/records?*model=glm*")
    expect(page.locator("#model option[value=glm]")).to_be_attached()
    assert page.locator("#model").evaluate(CHOOSE_AND_LOOK) < 0.5
    expect(page.locator("#records")).to_have_attribute("data-outdated", "")
    # Then they become bars.
    expect(rows_of(page).first.locator(".cost")).to_have_css("color", CLEAR)
    for head in ("[data-sums]", "#records [data-said]", "#export summary"):
        expect(page.locator(head)).to_have_css("color", CLEAR)
    expect(page.locator("#export [data-save]")).not_to_have_attribute("href", re.compile("."))
    # Back before the answer: these rows are right again.
    page.go_back()
    expect(page.locator("#records")).not_to_have_attribute("data-outdated", "")
    expect(said(page)).to_have_text("1 to 50 of 120")
    page.unroute("**/api/records?*model=glm*")
    page.locator("#model").select_option("glm")
    expect(said(page)).to_have_text(re.compile("of 40$"))
    expect(page.locator("#export [data-save]")).to_have_attribute("href", re.compile("model=glm"))


def test_an_older_answer_does_not_replace_a_newer_list_of_runs(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, *[("schedule", "ok", 0)] * 60)
    page.goto("/runs")
    expect(runs_of(page)).to_have_count(50)
    held = HeldRequests(page, "**/api/runs?limit=50")
    page.evaluate("document.dispatchEvent(new Event('archive:collected'))")
    older = held.take()
    page.get_by_role("button", name="Show more").click()
    expect(runs_of(page)).to_have_count(60)
    with page.expect_response("**/api/runs?limit=50"):
        older.continue_()
    expect(runs_of(page)).to_have_count(60)


@pytest.mark.own_context
def test_a_refused_cookie_is_no_more_than_stored(page: Page, user_id: int, gated: GatedSimulator) -> None:
    page.goto("/config")
    answer = page.locator("#cookie-answer")
    expect(answer).to_contain_text("not tested yet")
    page.get_by_role("button", name="Test").click()
    expect(answer).to_contain_text("accepted by CodeBuddy")
    send(page, "/api/settings", cookie="session=nobody|1|2")
    page.reload()
    expect(answer).to_contain_text("not tested yet")
    answered = page.request.post("/api/collect", data={}, headers={"X-CSRF-Token": page.evaluate("window.WB_CSRF")})
    assert answered.status == 401
    page.reload()
    expect(answer).to_contain_text("expired")
