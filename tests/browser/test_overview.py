"""The overview in a real browser: filters, charts, shares, and its messages on failures."""

import re
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Instance, Watch, enter
from usage.periods import offered

READER = "overview-reader"
# Twelve calls on each of the last 41 days and on some days of long ago, of eleven models; a quarter are free.
# And 700 days ago one call of each of four models that nobody has used since, which cost more than those.
ARCHIVE = f"""
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call

today = clock.today()
archive(make_user("{READER}"), *(
    call(f"r{{back}}-{{n}}", ts=f"{{today - timedelta(days=back)}} {{n:02}}:30:00", credits=n % 4,
         model=f"model-{{n % 11}}", client=("ide", "cli", "")[n % 3], prompt=f"Prompt {{n}} of {{back}} days ago")
    for back in (*range(41), 150, 300, 800) for n in range(12)
), *(
    call(f"old-{{n}}", ts=f"{{today - timedelta(days=700)}} 09:30:00", credits=9 + n, model=f"old-{{n}}", client="ide",
         prompt="Prompt of long ago") for n in range(4)
))
print(today)
"""
PER_DAY, DAYS_WITH_CALLS, OLD = 12, 44, 4


@pytest.fixture(scope="session")
def today(instance: Instance) -> date:
    """The server's day, on which there are calls."""
    return date.fromisoformat(instance.manage("shell", "-c", ARCHIVE).split()[-1])


@pytest.fixture
def overview(page: Page, instance: Instance, today: date) -> Page:
    """The overview of an account with an archive."""
    enter(page.context, instance, READER)
    page.goto("/")
    expect(calls(page)).to_have_text(f"{30 * PER_DAY}")
    return page


def calls(page: Page) -> Locator:
    return page.locator("[data-figure=calls]")


def asked(page: Page) -> dict[str, str]:
    """The parameters in the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def part(page: Page, name: str) -> Locator:
    return page.locator(f"[data-part={name}]")


def place_of(page: Page, bar: int, of: int) -> tuple[float, float]:
    """The middle of a bar of the days, where the pointer goes."""
    chart = part(page, "days").locator("[data-chart]")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    left, right = 46, 16
    return box["x"] + left + (bar + 0.5) * (box["width"] - left - right) / of, box["y"] + box["height"] / 2


def test_the_period_stands_in_the_address_and_can_be_gone_back_to(overview: Page, today: date) -> None:
    picker = overview.get_by_label("Period")
    picker.select_option(label="Last 7 days")
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    assert asked(overview) == {"period": "7"}
    expect(part(overview, "figures")).to_contain_text(f"{today - timedelta(days=6)} – {today}")
    expect(part(overview, "figures")).to_contain_text(
        re.compile(r"until \d\d:\d\d · compared with 7 whole days before")
    )
    picker.select_option(label="From … to …")
    overview.get_by_label("First day").fill(f"{today - timedelta(days=1)}")
    expect(calls(overview)).to_have_text(f"{2 * PER_DAY}")
    assert asked(overview) == {"period": "custom", "from": f"{today - timedelta(days=1)}", "to": f"{today}"}
    overview.reload()
    expect(calls(overview)).to_have_text(f"{2 * PER_DAY}")
    while asked(overview) != {"period": "7"}:
        overview.go_back()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect(picker).to_have_value("7")
    overview.go_back()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")


def tap(page: Page, place: tuple[float, float]) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": place[0], "y": place[1]}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def test_a_finger_is_told_of_a_bar_before_it_leads_to_its_day(overview: Page, today: date) -> None:
    expect(part(overview, "days").locator("canvas")).to_be_visible()
    tip = part(overview, "days").locator(".tip")
    tap(overview, place_of(overview, 26, of=30))
    expect(tip).to_contain_text(f"{today - timedelta(days=3)}")
    tap(overview, place_of(overview, 27, of=30))
    expect(tip).to_contain_text(re.compile(rf"{today - timedelta(days=2)}.*Tap again", re.DOTALL))
    assert asked(overview) == {}
    tap(overview, place_of(overview, 27, of=30))
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    assert asked(overview)["from"] == f"{today - timedelta(days=2)}"


def test_days_to_come_are_not_compared_with_whole_ones(overview: Page, today: date) -> None:
    overview.goto(urlsplit(overview.url)._replace(query=f"from={today}&to={today + timedelta(days=9)}").geturl())
    expect(part(overview, "figures")).to_contain_text(f"{today} · until")
    expect(part(overview, "figures")).to_contain_text("compared with the whole day before")


def test_a_click_on_a_bar_leads_to_its_day_and_a_drag_to_a_span(overview: Page, today: date) -> None:
    expect(part(overview, "days").locator("canvas")).to_be_visible()
    overview.mouse.move(*place_of(overview, 27, of=30))
    expect(part(overview, "days").locator(".tip")).to_contain_text(f"{today - timedelta(days=2)}")
    expect(part(overview, "days").locator(".tip")).to_contain_text(re.compile(r"Sum\s*18"))
    overview.mouse.down()
    overview.mouse.move(*place_of(overview, 29, of=30))
    overview.mouse.up()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")
    assert asked(overview) == {"period": "custom", "from": f"{today - timedelta(days=2)}", "to": f"{today}"}
    overview.mouse.click(*place_of(overview, 0, of=3))
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    expect(overview.get_by_role("heading", name="Hours", exact=True)).to_be_visible()
    assert asked(overview)["to"] == f"{today - timedelta(days=2)}"
    # A drag that ends after Escape has no effect.
    overview.go_back()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")
    overview.mouse.move(*place_of(overview, 0, of=3))
    overview.mouse.down()
    overview.keyboard.press("Escape")
    overview.mouse.up()
    expect(calls(overview)).to_have_text(f"{3 * PER_DAY}")


def test_a_model_and_a_client_filter_everything_and_are_taken_away_again(overview: Page) -> None:
    part(overview, "models").get_by_role("button", name="model-3").click()
    expect(calls(overview)).to_have_text("30")
    expect(overview.locator(".top [data-model]")).to_have_text(["model-3"] * 10)
    expect(overview.get_by_label("Model", exact=True)).to_have_value("model-3")
    overview.get_by_label("Client", exact=True).select_option("ide")
    assert asked(overview) == {"model": "model-3", "client": "ide"}
    expect(part(overview, "clients").get_by_role("button", name="ide")).to_have_attribute("aria-pressed", "true")
    link = overview.locator(".top-prompt").first
    expect(link).to_have_attribute("href", re.compile(r"/records\?period=30&model=model-3&client=ide&.*record=r\d+-3$"))
    overview.get_by_role("button", name="Show all models").click()
    expect(calls(overview)).to_have_text("120")
    part(overview, "clients").get_by_role("button", name="ide").click()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    assert asked(overview) == {}


def test_the_calls_without_a_client_are_a_filter_like_any_other(overview: Page) -> None:
    """The item of `/api/dims` without a name filters by `no_client`."""
    unnamed = part(overview, "clients").get_by_role("button", name="no client")
    unnamed.click()
    expect(calls(overview)).to_have_text("120")
    assert asked(overview) == {"no_client": "1"}
    expect(unnamed).to_have_attribute("aria-pressed", "true")
    expect(overview.locator(".top-prompt").first).to_have_attribute("href", re.compile(r"\?period=30&no_client=1&"))
    overview.reload()
    expect(calls(overview)).to_have_text("120")
    picker = overview.get_by_label("Client", exact=True)
    expect(picker.locator("option:checked")).to_have_text("no client")
    picker.select_option("ide")
    assert asked(overview) == {"client": "ide"}
    picker.select_option(label="no client")
    assert asked(overview) == {"no_client": "1"}
    expect(picker.locator("option", has_text="no client")).to_have_count(1)
    overview.get_by_role("button", name="Show all clients").click()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    assert asked(overview) == {}


FIGURES = """async ([to, date]) => {
  const { showFigures } = await import("/static/js/pages/overview/figures.js");
  const part = document.querySelector("[data-part=figures]");
  const figures = { credits: 1, calls: 1, free: 0, avgPerCall: 1 };
  const window = { from: "2026-09-01", to, days: 30 };
  const delta = { credits: 0, calls: 0, window: { from: "2026-08-02" } };
  showFigures(part, { ...figures, window, prev: figures, delta, partial: { date, hhmm: "14:30" } });
  return part.querySelector("[data-window]").textContent;
}"""


def test_figures_of_an_unfinished_span_say_until_which_day_and_time(overview: Page) -> None:
    words = overview.evaluate(FIGURES, ["2026-09-30", "2026-09-04"])
    assert words == "2026-09-01 – 2026-09-30 · until 2026-09-04 14:30 · compared with 30 whole days before"
    assert " · until 14:30 · " in overview.evaluate(FIGURES, ["2026-09-30", "2026-09-30"])


def test_the_bars_are_credits_calls_or_free_and_billed_and_a_table_tells_the_same(overview: Page, today: date) -> None:
    legend = part(overview, "days").locator("[data-legend] li")
    expect(legend).to_have_count(10)
    expect(legend.last).to_have_text("Other models")
    overview.get_by_role("radio", name="Free and billed").check()
    expect(legend).to_have_text(["Billed calls", "Free calls"])
    assert asked(overview) == {"show": "free"}
    part(overview, "days").get_by_text("View as table").click()
    row = part(overview, "days").get_by_role("row").filter(has_text=f"{today - timedelta(days=1)}")
    expect(row.get_by_role("cell")).to_have_text(["9", "3", "12"])
    overview.go_back()
    expect(legend).to_have_count(10)
    overview.go_forward()
    expect(overview.get_by_role("radio", name="Free and billed")).to_be_checked()
    row.get_by_role("button").focus()
    overview.keyboard.press("Enter")
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    assert asked(overview)["show"] == "free"


def test_many_days_are_grouped_and_the_page_says_so(overview: Page, today: date) -> None:
    overview.get_by_label("Period").select_option(label="All days")
    expect(calls(overview)).to_have_text(f"{DAYS_WITH_CALLS * PER_DAY + OLD}")
    expect(part(overview, "days")).to_contain_text("each bar is one month")
    overview.goto(f"/?period=custom&from={today - timedelta(days=200)}&to={today}")
    expect(part(overview, "days")).to_contain_text("each bar is one week")
    part(overview, "hours").get_by_text("View as table").click()
    expect(part(overview, "hours").get_by_role("row")).to_have_count(8)
    part(overview, "year").get_by_text("View as table").click()
    part(overview, "year").get_by_role("button", name=f"{today - timedelta(days=300)}").click()
    expect(calls(overview)).to_have_text(f"{PER_DAY}")
    # The bars are that day's hours now.
    expect(part(overview, "hours")).to_be_hidden()


def test_a_period_without_calls_says_so_and_offers_all_days(overview: Page, today: date) -> None:
    day = today - timedelta(days=60)
    overview.goto(f"/?period=custom&from={day}&to={day}&model=model-1")
    expect(overview.get_by_text("There are no calls in this period.")).to_be_visible()
    expect(part(overview, "days")).to_be_hidden()
    overview.get_by_role("button", name="Show all days").click()
    expect(calls(overview)).to_have_text(f"{DAYS_WITH_CALLS}")
    expect(part(overview, "days").locator("canvas")).to_be_visible()


def test_a_part_that_fails_says_so_alone_and_is_tried_again(overview: Page, watch: Watch) -> None:
    watch.expect(503)
    overview.route("**/api/top*", lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    overview.get_by_label("Period").select_option(label="Last 7 days")
    expect(part(overview, "top")).to_contain_text("Away.")
    expect(overview.locator(".top li").first).to_be_hidden()
    expect(calls(overview)).to_have_text(f"{7 * PER_DAY}")
    expect(overview.get_by_role("button", name="Try again")).to_have_count(1)
    overview.unroute("**/api/top*")
    overview.get_by_role("button", name="Try again").click()
    expect(overview.locator(".top li").first).to_be_visible()
    expect(part(overview, "top").locator("[data-failed]")).to_be_hidden()


def days_in_the_page(day: date) -> list[str]:
    days = [(one.label, "".join(f' data-{bound}="{at}"' for bound, at in one.bounds.items())) for one in offered(day)]
    return [f'data-today="{day}"', *(f"{attributes}>{label}</option>" for label, attributes in days)]


def page_of_the_next_day(route: Route, today: date) -> str:
    """The page as the server writes it tomorrow."""
    text = route.fetch().text()
    for of_today, of_tomorrow in zip(*map(days_in_the_page, (today, today + timedelta(days=1))), strict=True):
        assert of_today in text
        text = text.replace(of_today, of_tomorrow)
    return text


@pytest.mark.own_context
def test_a_page_that_stays_open_follows_the_day_and_says_when_it_cannot(overview: Page, today: date) -> None:
    overview.clock.install()
    overview.reload()
    expect(calls(overview)).to_have_text(f"{30 * PER_DAY}")
    tomorrow = {**overview.request.get("/api/status").json(), "server_time": f"{today + timedelta(days=1)} 00:10:00"}
    overview.route("**/api/status", lambda route: route.fulfill(json=tomorrow))
    overview.route(re.compile("/$"), lambda route: route.fulfill(body=page_of_the_next_day(route, today)))
    with overview.expect_request(lambda request: f"to={today + timedelta(days=1)}" in request.url):
        overview.clock.fast_forward(121_000)
    expect(calls(overview)).to_have_text(f"{29 * PER_DAY}")
    overview.route("**/api/status", lambda route: route.fulfill(body="not JSON"))
    overview.clock.fast_forward(121_000)
    expect(overview.get_by_text("Not up to date")).to_be_visible()
    expect(calls(overview)).to_have_text(f"{29 * PER_DAY}")


def test_a_model_has_one_colour_whatever_is_shown_and_another_in_the_dark(overview: Page) -> None:
    dot = part(overview, "models").get_by_role("row").filter(has_text="model-3").locator(".dot")
    light = dot.evaluate("dot => dot.style.backgroundColor")
    overview.get_by_label("Model", exact=True).select_option("model-3")
    expect(calls(overview)).to_have_text("30")
    assert dot.evaluate("dot => dot.style.backgroundColor") == light
    legend = part(overview, "days").locator("[data-legend] .dot")
    assert legend.evaluate("dot => dot.style.backgroundColor") == light
    overview.emulate_media(color_scheme="dark")
    expect(legend).not_to_have_css("background-color", light)
    assert dot.evaluate("dot => dot.style.backgroundColor") == legend.evaluate("dot => dot.style.backgroundColor")


def colours(page: Page) -> dict[str, str]:
    """The colour of each item of the bars' legend."""
    items = part(page, "days").locator("[data-legend] li")
    pair = "item => [item.textContent, item.firstChild.style.backgroundColor]"
    return dict(items.evaluate_all(f"items => items.map({pair})"))


def test_the_biggest_models_of_a_period_are_named_each_in_a_colour_of_its_own(overview: Page, today: date) -> None:
    legend = part(overview, "days").locator("[data-legend] li")
    expect(legend).to_have_count(10)
    usual = colours(overview)
    # Only old models: none of them has had a call for 90 days.
    day = today - timedelta(days=700)
    overview.goto(f"/?from={day}&to={day + timedelta(days=1)}")
    expect(legend).to_have_text(["old-3", "old-2", "old-1", "old-0"])
    old = colours(overview)
    assert len(set(old.values()) - {usual["Other models"]}) == 4
    # The rows beside and the most expensive calls agree with the bars.
    row = part(overview, "models").get_by_role("row").filter(has_text="old-2")
    for dot in row.locator(".dot"), overview.locator(".top li").filter(has_text="old-2").locator(".dot"):
        assert dot.evaluate("dot => dot.style.backgroundColor") == old["old-2"]
    # Old and new models: each keeps its colour, and no two share one.
    overview.goto(f"/?from={today - timedelta(days=800)}&to={day}")
    expect(legend).to_have_count(10)
    mixed = colours(overview)
    assert {"old-0", "old-1", "old-2", "old-3", "Other models"} < set(mixed)
    assert len(set(mixed.values())) == 10
    assert {name: colour for name, colour in usual.items() if name in mixed}.items() <= mixed.items()
    # A picked model keeps its colour, too, and is shown by name, however small.
    part(overview, "models").get_by_role("button", name="old-3").click()
    expect(legend).to_have_text(["old-3"])
    assert colours(overview)["old-3"] == mixed["old-3"]
    overview.goto("/?model=model-8")
    expect(legend).to_have_text(["model-8"])


@pytest.mark.parametrize(
    "query", ["", "?period=7&model=model-1", "?period=last-month&client=ide", "?no_client=1&no_model=0"]
)
def test_what_the_page_has_fetched_for_its_scripts_is_what_they_ask_for(overview: Page, query: str) -> None:
    overview.goto(f"/{query}")
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    told = overview.locator("link[as=fetch]").evaluate_all("(links) => links.map((link) => link.href)")
    fetched = "performance.getEntriesByType('resource').filter((one) => one.initiatorType === 'fetch')"
    asked = overview.evaluate(f"{fetched}.map((one) => one.name)")
    assert len(told) == 6
    assert not set(told) & set(asked)


@pytest.mark.parametrize("path", ["/", "/records"])
def test_a_long_name_makes_no_page_wider_than_a_phone(overview: Page, path: str) -> None:
    overview.set_viewport_size({"width": 360, "height": 740})
    overview.goto(f"{path}?model={'a-model-of-many-words-' * 4}&client={'client' * 12}")
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    assert overview.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    overview.set_viewport_size({"width": 1280, "height": 720})


def test_a_period_before_which_the_archive_only_began_is_compared_with_nothing(overview: Page, today: date) -> None:
    change = part(overview, "figures").locator("[data-change=credits]")
    # Of the 801 days that are archived the first is the one 800 days ago.
    overview.goto(f"/?from={today - timedelta(days=500)}&to={today}")
    expect(change).to_have_text("not enough earlier data")
    expect(part(overview, "figures")).to_contain_text(f"archived since {today - timedelta(days=800)}")
    overview.goto(f"/?from={today - timedelta(days=180)}&to={today}")
    expect(change).to_contain_text("more")
