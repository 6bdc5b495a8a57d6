"""The overview while filters change, in a real browser: an old answer is never taken for the new one."""

from datetime import date, timedelta

from playwright.sync_api import Page, Route, expect

from tests.browser.overview_page import PER_DAY, calls, part

OPACITY = """node => {
  let strength = 1;
  for (let one = node; one; one = one.parentElement) strength *= Number(getComputedStyle(one).opacity);
  return strength;
}"""
# Within one task, so before any answer and any animation.
CHOOSE_AND_LOOK = f"""([period, ...places]) => {{
  const select = document.querySelector("#period");
  select.value = period;
  select.dispatchEvent(new Event("change"));
  const strength = {OPACITY};
  const nodes = places.map((place) => document.querySelector(place));
  return nodes.map((node) => [node.textContent.trim(), strength(node)]);
}}"""
PLACES = ["[data-figure=calls]", "[data-window]", "#days-title", "[data-part=models] tbody", "[data-part=days] .chart"]


class Held:
    """Requests whose answers wait until they are let go."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.page, self.pattern = page, pattern
        self.routes: list[Route] = []
        page.route(pattern, lambda route: self.routes.append(route))

    def release(self) -> None:
        """Let go what is held; later requests are no longer held."""
        for route in self.routes:
            route.continue_()
        self.page.unroute(self.pattern)


def choose(page: Page, period: str) -> dict[str, tuple[str, float]]:
    """The text and the strength of places in the moment in which a period is chosen."""
    found = page.evaluate(CHOOSE_AND_LOOK, [period, *PLACES])
    return dict(zip(PLACES, map(tuple, found), strict=True))


def is_whole(page: Page) -> None:
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)


def test_numbers_of_other_filters_are_dimmed_in_the_same_frame(overview: Page) -> None:
    is_whole(overview)
    held = Held(overview, "**/api/summary?*")
    at_once = choose(overview, "7")
    assert at_once["[data-figure=calls]"] == (f"{30 * PER_DAY}", 0.4)
    assert {strength for _, strength in at_once.values()} == {0.4}
    # After 200 ms there is nothing to be read in their place.
    expect(calls(overview)).to_have_css("color", "rgba(0, 0, 0, 0)")
    held.release()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect(calls(overview)).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    assert calls(overview).evaluate(OPACITY) == 1


def test_the_title_of_the_bars_and_their_figures_change_together(overview: Page) -> None:
    is_whole(overview)
    held = Held(overview, "**/api/dims?*")
    choose(overview, "yesterday")
    # The figures have their answer; the bars and the small lines above them wait for theirs.
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    assert calls(overview).evaluate(OPACITY) == 1
    expect(part(overview, "days")).to_have_attribute("data-outdated", "")
    expect(overview.locator("#days-title")).to_have_text("Days")
    assert overview.locator("#days-title").evaluate(OPACITY) == 0.4
    assert overview.locator("[data-spark=calls]").evaluate(OPACITY) == 0.4
    held.release()
    expect(overview.locator("#days-title")).to_have_text("Hours")
    assert overview.locator("#days-title").evaluate(OPACITY) == 1


def test_an_answer_that_comes_too_late_is_not_shown(overview: Page, today: date) -> None:
    is_whole(overview)
    late = Held(overview, f"**/api/summary?*from={today - timedelta(days=6)}*")
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
    held = Held(overview, "**/api/daily?*")
    choose(overview, "7")
    expect(part(overview, "days")).to_have_attribute("data-outdated", "")
    assert part(overview, "month").locator(".chart").evaluate(OPACITY) == 1
    held.release()
    is_whole(overview)
