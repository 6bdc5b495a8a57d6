"""The overview in a real browser: filters, figures, and its messages on failures."""

import re
from datetime import date, timedelta
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.overview_page import (
    DAYS_WITH_CALLS,
    FIRST_TAB,
    PER_DAY,
    calls,
    choose_period,
    open_period,
    open_tab,
    part,
)  # fmt: skip
from tests.browser.records_page import said
from tests.browser.settled import answered, asked, expect_asked
from tests.browser.visits import Watch
from usage.periods import offered


@pytest.mark.landing
def test_the_period_stands_in_the_address_and_can_be_gone_back_to(overview: Page, today: date) -> None:
    choose_period(overview, "Last 7 days")
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect_asked(overview, {"period": "7"})
    expect(part(overview, "figures")).to_contain_text(f"{today - timedelta(days=6)} to {today}")
    before = f"{today - timedelta(days=13)} to {today - timedelta(days=7)}"
    expect(part(overview, "figures")).to_contain_text(
        re.compile(rf"until (\d\d:\d\d) · compared with {before} until \1")
    )
    open_period(overview).get_by_label("First day").fill(f"{today - timedelta(days=1)}")
    expect(calls(overview)).to_have_text(f"{2 * PER_DAY}")
    expect_asked(overview, {"period": "custom", "from": f"{today - timedelta(days=1)}", "to": f"{today}"})
    overview.reload()
    expect(calls(overview)).to_have_text(f"{2 * PER_DAY}")
    while asked(overview) != {"period": "7"}:
        overview.go_back()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect(overview.locator("#period summary")).to_have_text("Period Last 7 days")
    expect(overview.locator("[data-period][aria-pressed=true]")).to_have_text("Last 7 days")
    overview.go_back()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")


@pytest.mark.landing
def test_days_to_come_are_not_compared(overview: Page, today: date) -> None:
    overview.goto(urlsplit(overview.url)._replace(query=f"from={today}&to={today + timedelta(days=9)}").geturl())
    expect(part(overview, "figures")).to_contain_text(f"{today} · until")
    expect(part(overview, "figures")).to_contain_text(f"compared with {today - timedelta(days=1)} until")


@pytest.mark.landing
def test_a_model_and_a_client_filter_everything_and_are_taken_away_again(overview: Page) -> None:
    part(overview, "models").get_by_role("button", name="model-3").click()
    expect(calls(overview)).to_have_text("30")
    expect(overview.locator(".top [data-model]")).to_have_text(["model-3"] * 10)
    expect(overview.get_by_label("Model", exact=True)).to_have_value("model-3")
    overview.get_by_label("Client", exact=True).select_option("ide")
    expect_asked(overview, {"model": "model-3", "client": "ide"})
    expect(part(overview, "clients").get_by_role("button", name="ide")).to_have_attribute("aria-pressed", "true")
    link = overview.locator(".top-prompt").first
    expect(link).to_have_attribute("href", re.compile(r"/records\?period=30&model=model-3&client=ide&.*record=r\d+-3$"))
    overview.get_by_role("button", name="Show all models").click()
    expect(calls(overview)).to_have_text("120")
    part(overview, "clients").get_by_role("button", name="ide").click()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    expect_asked(overview, {})


@pytest.mark.landing
def test_the_calls_without_a_client_are_a_filter_like_any_other(overview: Page) -> None:
    """The item of `/api/dims` without a name filters by `no_client`."""
    unnamed = part(overview, "clients").get_by_role("button", name="no client")
    unnamed.click()
    expect(calls(overview)).to_have_text("120")
    expect_asked(overview, {"no_client": "1"})
    expect(unnamed).to_have_attribute("aria-pressed", "true")
    expect(overview.locator(".top-prompt").first).to_have_attribute("href", re.compile(r"\?period=30&no_client=1&"))
    overview.reload()
    expect(calls(overview)).to_have_text("120")
    picker = overview.get_by_label("Client", exact=True)
    expect(picker.locator("option:checked")).to_have_text("no client")
    picker.select_option("ide")
    expect_asked(overview, {"client": "ide"})
    picker.select_option(label="no client")
    expect_asked(overview, {"no_client": "1"})
    expect(picker.locator("option", has_text="no client")).to_have_count(1)
    overview.get_by_role("button", name="Show all clients").click()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    expect_asked(overview, {})


@pytest.mark.landing
def test_a_purpose_filters_everything_and_is_taken_away_again(overview: Page) -> None:
    open_tab(overview)
    purposes = part(overview, "purposes")
    # "chat" and "subagent:explore" have five calls a day, and no purpose has two.
    expect(purposes.locator("tbody tr")).to_have_count(3)
    chat = purposes.get_by_role("button", name="chat")
    chat.click()
    expect(calls(overview)).to_have_text("150")
    expect_asked(overview, {"purpose": "chat", "tab": "hours"})
    expect(chat).to_have_attribute("aria-pressed", "true")
    overview.reload()
    expect(calls(overview)).to_have_text("150")
    expect_asked(overview, {"purpose": "chat", "tab": "hours"})
    open_tab(overview, FIRST_TAB)
    expect(overview.locator(".top-prompt").first).to_have_attribute("href", re.compile(r"\?period=30&purpose=chat&"))
    picker = overview.get_by_label("Purpose", exact=True)
    expect(picker).to_have_value("chat")
    picker.select_option(label="no known purpose")
    expect(calls(overview)).to_have_text("60")
    expect_asked(overview, {"no_purpose": "1"})
    overview.get_by_role("button", name="Show all purposes").click()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    expect_asked(overview, {})


@pytest.mark.thorough
def test_the_calls_without_a_purpose_and_those_of_unknown_purpose_lead_to_their_lists(overview: Page) -> None:
    def answer(route: Route) -> None:
        found = route.fetch().json()
        found["purpose"].append({"name": None, "credits": 900, "calls": 7, "avg": 128.571429, "free": 0})
        route.fulfill(json=found)

    open_tab(overview)
    purposes = part(overview, "purposes")
    shares = purposes.locator("[data-share]").all_inner_texts()
    overview.route("**/api/dims*trend*", answer)
    overview.reload()
    row = purposes.locator("tbody tr").nth(3)
    expect(row.get_by_role("rowheader")).to_have_text("purpose not known")
    expect(row.locator("[data-credits]")).to_have_text("900.00")
    expect(purposes.locator("[data-share]")).to_have_text([*shares, "–"])
    for name, with_prompt in (("no purpose", 1), ("purpose not known", 0)):
        address = f"/records?period=30&no_purpose=1&with_prompt={with_prompt}"
        expect(purposes.get_by_role("link", name=name, exact=True)).to_have_attribute("href", address)
    expect(purposes.get_by_role("button", name="no purpose")).to_have_count(0)
    purposes.get_by_role("link", name="no purpose", exact=True).click()
    expect(said(overview)).to_have_text("1 to 50 of 60")


@pytest.mark.thorough
def test_of_very_many_names_the_largest_have_rows_and_the_others_one_line(overview: Page) -> None:
    def answer(route: Route) -> None:
        found = route.fetch().json()
        item = {"calls": 1, "avg": 1, "free": 0}
        found["client"] = [{"name": f"client-{place}", "credits": 1000 - place, **item} for place in range(1000)]
        found["others"] = {"client": {"names": 4000, "credits": 1200.5, "calls": 4000, "avg": 0.3, "free": 0}}
        route.fulfill(json=found)

    overview.route(re.compile(r"/api/dims\?.*trend=1"), answer)
    overview.reload()
    clients = part(overview, "clients")
    expect(clients.locator("[data-others]")).to_be_hidden()
    clients.get_by_role("button", name="Show the largest 200").click()
    expect(clients.locator("tbody tr")).to_have_count(200)
    # 800 of the list, with 1 to 800 credits, and 4,000 that are not on it.
    expect(clients.locator("[data-others]")).to_have_text("4,800 others: 321,600.50 credits")


FIGURES = """async ([to, date]) => {
  const { showFigures } = await import("/static/js/pages/overview/figures.js");
  const part = document.querySelector("[data-part=figures]");
  const figures = { credits: 1, calls: 1, free: 0, avgPerCall: 1 };
  const window = { from: "2026-09-01", to, days: 30 };
  const before = { from: "2026-08-02", to: "2026-08-31", days: 30 };
  const change = { credits: 0, calls: 0, avgPerCall: 0 };
  const comparison = { window: before, until: "14:30", totals: figures, change };
  const seen = { span: { from: window.from, to }, first: undefined, ledger: undefined };
  showFigures(part, { ...figures, window, comparison, partial: { date, hhmm: "14:30" } }, seen);
  return part.querySelector("[data-window]").textContent;
}"""


@pytest.mark.landing
def test_figures_of_an_unfinished_span_say_until_which_day_and_time(overview: Page) -> None:
    words = overview.evaluate(FIGURES, ["2026-09-30", "2026-09-04"])
    compared = "compared with 2026-08-02 to 2026-08-31 until 14:30"
    assert words == f"2026-09-01 to 2026-09-30 · until 2026-09-04 14:30 · {compared}"
    assert " · until 14:30 · " in overview.evaluate(FIGURES, ["2026-09-30", "2026-09-30"])


@pytest.mark.landing
def test_a_period_without_calls_says_so_and_offers_all_days(unopened: Page, today: date) -> None:
    day = today - timedelta(days=60)
    unopened.goto(f"/?period=custom&from={day}&to={day}&model=model-1")
    expect(unopened.get_by_text("There are no calls in this period.")).to_be_visible()
    expect(part(unopened, "days")).to_be_hidden()
    unopened.get_by_role("button", name="Show all days").click()
    expect(calls(unopened)).to_have_text(f"{DAYS_WITH_CALLS}")
    expect(part(unopened, "days").locator("canvas")).to_be_visible()


@pytest.mark.landing
def test_a_part_that_fails_says_so_alone_and_is_tried_again(overview: Page, watch: Watch) -> None:
    watch.expect(503)
    overview.route("**/api/top*", lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    choose_period(overview, "Last 7 days")
    expect(part(overview, "top")).to_contain_text("Away.")
    expect(overview.locator(".top li").first).to_be_hidden()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect(overview.get_by_role("button", name="Try again")).to_have_count(1)
    overview.unroute("**/api/top*")
    overview.get_by_role("button", name="Try again").click()
    expect(overview.locator(".top li").first).to_be_visible()
    expect(part(overview, "top").locator("[data-failed]")).to_be_hidden()


def days_in_the_page(day: date) -> list[str]:
    days = [
        (one.label, "".join(f' data-{name}="{at}"' for name, at in {**one.bounds, "previous": one.previous}.items()))
        for one in offered(day)
    ]
    return [f'data-today="{day}"', *(f"{attributes}>{label}</button>" for label, attributes in days)]


def page_of_the_next_day(route: Route, today: date) -> str:
    """The page as the server writes it tomorrow."""
    text = route.fetch().text()
    for of_today, of_tomorrow in zip(*map(days_in_the_page, (today, today + timedelta(days=1))), strict=True):
        assert of_today in text
        text = text.replace(of_today, of_tomorrow)
    return text


@pytest.mark.landing
@pytest.mark.own_context
def test_a_page_that_stays_open_follows_the_day_and_says_when_it_cannot(overview: Page, today: date) -> None:
    overview.clock.install()
    overview.reload()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    answered(overview)
    tomorrow = {**overview.request.get("/api/status").json(), "server_time": f"{today + timedelta(days=1)} 00:10:00"}
    overview.route("**/api/status", lambda route: route.fulfill(json=tomorrow))
    overview.route(re.compile("/$"), lambda route: route.fulfill(body=page_of_the_next_day(route, today)))
    with overview.expect_request(lambda request: f"to={today + timedelta(days=1)}" in request.url):
        overview.clock.fast_forward(121_000)
    expect(calls(overview)).to_have_text(f"{29 * PER_DAY}")
    answered(overview)
    overview.route("**/api/status", lambda route: route.fulfill(body="not JSON"))
    overview.clock.fast_forward(121_000)
    expect(overview.get_by_text("Not up to date")).to_be_visible()
    expect(calls(overview)).to_have_text(f"{29 * PER_DAY}")


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize(
    "query", ["", "?period=7&model=model-1", "?period=last-month&client=ide", "?no_client=1&no_model=0&purpose=chat"]
)
def test_what_the_page_has_fetched_for_its_scripts_is_what_they_ask_for(unopened: Page, query: str) -> None:
    unopened.goto(f"/{query}")
    expect(unopened.locator("main [aria-busy=true]:visible")).to_have_count(0)
    preloaded = unopened.locator("link[as=fetch]").evaluate_all("(links) => links.map((link) => link.href)")
    fetched = "performance.getEntriesByType('resource').filter((one) => one.initiatorType === 'fetch')"
    asked = unopened.evaluate(f"{fetched}.map((one) => one.name)")
    assert len(preloaded) == 10
    assert not set(preloaded) & set(asked)


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["/", "/records"])
def test_a_long_name_makes_no_page_wider_than_a_phone(unopened: Page, path: str) -> None:
    unopened.set_viewport_size({"width": 360, "height": 740})
    unopened.goto(f"{path}?model={'a-model-of-many-words-' * 4}&client={'client' * 12}&purpose={'purpose' * 12}")
    expect(unopened.locator("main [aria-busy=true]:visible")).to_have_count(0)
    assert unopened.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    unopened.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.landing
def test_a_period_before_which_the_archive_only_began_is_compared_with_nothing(overview: Page, today: date) -> None:
    change = part(overview, "figures").locator("[data-change=credits]")
    # Of the 801 days that are archived the first is the one 800 days ago.
    overview.goto(f"/?from={today - timedelta(days=500)}&to={today}")
    expect(change).to_have_text("not enough earlier data")
    expect(part(overview, "figures")).to_contain_text(f"archived since {today - timedelta(days=800)}")
    overview.goto(f"/?from={today - timedelta(days=180)}&to={today}")
    expect(change).to_contain_text("more")


@pytest.mark.thorough_after(4)
@pytest.mark.landing
@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("period=foo&model=model-1", {"model": "model-1"}),
        ("from=2026-13-99", {}),
        ("from=2026-13-99&to=2026-01-05", {"to": "2026-01-05"}),
        ("period=7&from=2026-01-05", {"period": "7"}),
    ],
)
@pytest.mark.parametrize("path", ["/", "/records"])
def test_a_period_and_days_that_do_not_count_leave_the_address(
    unopened: Page, path: str, query: str, left: dict[str, str]
) -> None:
    unopened.goto(f"{path}?{query}")
    expect(unopened.locator("main [aria-busy=true]:visible")).to_have_count(0)
    expect_asked(unopened, left)


@pytest.mark.landing
def test_a_comparison_that_is_none_leaves_the_address(unopened: Page) -> None:
    unopened.goto("/?period=7&compare=2026-13-01..2026-01-01")
    expect(unopened.locator("main [aria-busy=true]:visible")).to_have_count(0)
    expect_asked(unopened, {"period": "7"})
    unopened.goto("/?period=7&compare=2026-01-01..2026-01-07")
    expect(unopened.locator("main [aria-busy=true]:visible")).to_have_count(0)
    expect_asked(unopened, {"period": "7", "compare": "2026-01-01..2026-01-07"})
