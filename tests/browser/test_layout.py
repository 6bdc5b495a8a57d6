"""The layout in a real browser: heights of controls, the bar of a phone, what stays in sight, titles, print."""

from datetime import date

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.accounts import enter
from tests.browser.collecting import make_runs
from tests.browser.overview_page import choose_period
from tests.browser.page_faults import overflow
from tests.browser.records_page import rows_of
from tests.browser.running_instance import Instance
from tests.browser.settled import answered, arrived
from tests.browser.waiting import until

pytestmark = pytest.mark.thorough

FOR_ADMINS = "/config/instance"
PATHS = ["/records", "/runs", "/import", "/config", FOR_ADMINS, "/profile"]
# Controls that a finger 19 pixels above or below their middle would miss; links in running text are exempt.
TOO_LOW = """() => {
  const apart = ".skip, .unseen, #ledger";
  const isText = (node) => node.localName === "a" && getComputedStyle(node).display === "inline";
  const controls = [...document.querySelectorAll("a[href], button, input, select, summary")];
  const shown = controls.filter((node) => node.checkVisibility() && !isText(node) && !node.closest(apart));
  const hits = (node, x, y) => {
    const found = document.elementFromPoint(x, y);
    const label = found?.closest("label");
    return found && (node.contains(found) || label?.control === node || label?.contains(node));
  };
  return shown.filter((node) => {
    node.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return hits(node, x, y) && !(hits(node, x, y - 19) && hits(node, x, y + 19));
  }).map((node) => node.outerHTML.slice(0, 120));
}"""
# Where the lowest card of each column ends.
ENDS = """columns => columns.map((column) => (
  Math.max(...[...column.querySelectorAll("section")].map((card) => card.getBoundingClientRect().bottom))
))"""
HEIGHTS = """() => {
  const places = [...document.querySelectorAll("main .btn, main .form-select, main input.form-control, .bar .btn")];
  const shown = places.filter((node) => node.checkVisibility());
  return [...new Set(shown.map((node) => Math.round(node.getBoundingClientRect().height)))];
}"""
LINES = """nodes => nodes.map((node) => (
  node.getBoundingClientRect().height / parseFloat(getComputedStyle(node).lineHeight)
))"""

# In how many lines the text of each cell is, which is as high as its row.
PIECES = """cells => cells.map((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  return text.getClientRects().length;
})"""


ALL_PAGES = [
    "/", *PATHS, "/archives", "/notices", "/users", "/backups", "/audit", "/logs", "/api/docs", "/summaries/month",
    "/repeated",
    "/packages",
]  # fmt: skip
# Where the title and the name in the bar begin, past the space of the link.
EDGES = """() => ["h1", ".brand"].map((name) => (
  Math.round([...document.querySelectorAll(name)].find((node) => node.checkVisibility()).getBoundingClientRect().left)
))"""


@pytest.mark.parametrize("path", PATHS)
def test_a_finger_finds_forty_pixels(path: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    answered(page)
    assert page.evaluate(TOO_LOW) == []


@pytest.mark.parametrize("path", ["/records", "/audit"])
def test_a_finger_finds_forty_pixels_in_lists(path: str, page: Page, archives: Instance) -> None:
    if path == "/records":
        enter(page.context, archives, "reader")
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(path)
    answered(page)
    expect(page.locator("main table tbody tr").first).to_be_visible()
    heights = "nodes => nodes.map((node) => node.getBoundingClientRect().height)"
    apart = ".pop-menu summary, .record-tools .form-select, .entries td a[href]"
    shown = page.locator(apart).locator("visible=true").evaluate_all(heights)
    assert shown
    assert min(shown) >= 40
    if path == "/records":
        assert len(set(shown)) == 1


def test_a_finger_finds_forty_pixels_at_the_sign_in(page: Page) -> None:
    page.context.clear_cookies()
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto("/login")
    box = page.get_by_text("Forgot your password?").bounding_box()
    assert box
    assert box["height"] >= 40


@pytest.mark.parametrize("path", PATHS)
def test_all_controls_are_of_one_height(path: str, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(path)
    answered(page)
    assert len(page.evaluate(HEIGHTS)) == 1


@pytest.mark.parametrize("path", ["/", *PATHS])
def test_nothing_hangs_over_at_320_pixels(path: str, page: Page, archives: Instance) -> None:
    if path != FOR_ADMINS:
        enter(page.context, archives, "reader")
    page.goto(path)
    answered(page)
    assert overflow(page, 320) <= 0


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_every_title_begins_at_the_edge_of_the_bar(
    width: int, page: Page, archives: Instance, user_id: int, instance: Instance
) -> None:
    make_runs(instance, user_id, ("manual", "ok", 0))
    page.set_viewport_size({"width": width, "height": 800})
    run = page.request.get("/api/runs").json()["items"][0]["id"]
    edges = {}
    for path in [*ALL_PAGES, f"/runs/{run}"]:
        page.goto(path)
        answered(page)
        edges[path] = page.evaluate(EDGES)
    enter(page.context, archives, "reader")
    for path in ("/", "/records"):
        page.goto(path)
        answered(page)
        edges[f"{path} with records"] = page.evaluate(EDGES)
    assert {path: title - bar for path, (title, bar) in edges.items()} == dict.fromkeys(edges, 0)
    assert len({title for title, _ in edges.values()}) == 1


@pytest.mark.parametrize("width", [320, 390, 700])
def test_the_bar_of_a_phone_is_one_row_with_a_menu(width: int, page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, ("manual", "failed", 4))
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/runs")
    expect(page.locator("#last-run")).to_have_attribute("data-outcome", "failed")
    bar = page.locator(".bar").bounding_box()
    assert bar
    assert bar["height"] <= 64
    page.locator(".menu summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(".menu-items").get_by_role("link", name="Overview")).to_be_focused()
    page.locator(".menu-items").get_by_role("link", name="Records").click()
    arrived(page, "/records")


def test_a_finger_finds_forty_pixels_on_the_overview(overview: Page) -> None:
    overview.set_viewport_size({"width": 390, "height": 844})
    expect(overview.locator(".top li")).to_have_count(10)
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    assert overview.evaluate(TOO_LOW) == []


@pytest.mark.parametrize("width", [320, 390, 640, 700, 800, 900, 960, 1000, 1160, 1440, 2560])
def test_the_figures_are_four_or_two_and_two(width: int, overview: Page) -> None:
    overview.set_viewport_size({"width": width, "height": 900})
    tops = "nodes => nodes.map((node) => node.getBoundingClientRect().top)"
    rows = overview.locator(".tiles > div").evaluate_all(tops)
    assert [rows.count(row) for row in dict.fromkeys(rows)] in ([4], [2, 2])
    assert overflow(overview, width) <= 0


@pytest.mark.parametrize("width", [1160, 1280, 1440, 2560])
def test_both_columns_of_the_overview_end_together(width: int, overview: Page) -> None:
    overview.set_viewport_size({"width": width, "height": 900})
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    ends = overview.locator(".overview-column").evaluate_all(ENDS)
    assert abs(ends[0] - ends[1]) <= 1
    # Days, models and calls end together above them, where they are beside each other.
    first = overview.locator(".overview-first > section").evaluate_all(
        "cards => cards.map((card) => card.getBoundingClientRect().bottom)"
    )
    assert max(first) - min(first) <= 1 or width == 1160
    # The list of calls has no row that is cut.
    whole = "list => list.clientHeight >= 200 && list.scrollHeight === list.clientHeight"
    assert overview.locator(".top").evaluate(whole)


def with_a_long_client(route: Route) -> None:
    answer = route.fetch()
    given = answer.json()
    for item in given["items"]:
        item["client"] = "CodeBuddy IDE"
    route.fulfill(response=answer, json=given)


def test_beside_the_panel_the_client_is_whole_and_the_year_is_left_out(unopened: Page, today: date) -> None:
    unopened.set_viewport_size({"width": 1440, "height": 900})
    unopened.route("**/api/records?*", with_a_long_client)
    unopened.goto(f"/records?from={today}&to={today}&order=ts_asc")
    row = rows_of(unopened).first
    expect(row).to_contain_text("CodeBuddy IDE")
    year = row.locator(".this-year")
    width = "node => node.getBoundingClientRect().width"
    assert year.evaluate(width) > 10
    row.locator("a").click()
    expect(unopened.locator(".record-panel")).to_be_visible()
    client = row.locator(".client")
    assert client.evaluate("cell => cell.scrollWidth <= cell.clientWidth")
    assert year.evaluate(width) <= 1
    expect(row.locator("a")).to_have_text(f"{today} 00:30")


@pytest.mark.parametrize("width", [320, 390, 760, 1280])
def test_no_figure_of_a_statement_and_no_label_is_broken(width: int, overview: Page, today: date) -> None:
    overview.set_viewport_size({"width": width, "height": 800})
    overview.goto(f"/statements/{today:%Y-%m}")
    figures = overview.locator(".figures :is(dt, [data-figure])")
    expect(figures).to_have_count(14)
    assert [round(lines) for lines in figures.evaluate_all(LINES)] == [1] * 14


def test_the_model_and_the_scale_of_the_hours_share_a_row(overview: Page) -> None:
    overview.set_viewport_size({"width": 390, "height": 800})
    overview.goto("/?tab=hours")
    expect(overview.locator("main [aria-busy=true]:visible")).to_have_count(0)
    # Both at one moment: what comes above them moves them.
    tops = """(part) => {
      const [model, scale] = [".hours-model", ".scale"].map((name) => part.querySelector(name).getBoundingClientRect());
      return [model.top, scale.top, model.bottom];
    }"""
    model, scale, end = overview.locator(".part-hours").evaluate(tops)
    assert model < scale < end


def test_no_action_of_the_audit_is_broken_on_the_admin_site(page: Page) -> None:
    page.set_viewport_size({"width": 800, "height": 800})
    page.goto("/admin/audit/entry/")
    assert set(page.locator("td.field-shown_action").evaluate_all(PIECES)) == {1}


def test_bar_and_heads_stay_in_sight(reader: Page) -> None:
    reader.set_viewport_size({"width": 1440, "height": 700})
    reader.goto("/records")
    expect(rows_of(reader)).to_have_count(50)
    reader.mouse.move(700, 500)
    reader.mouse.wheel(0, 800)
    until(reader, lambda: reader.evaluate("scrollY > 500"), "the page does not scroll")
    bar, head = reader.locator(".bar").bounding_box(), reader.locator(".record-table thead").bounding_box()
    assert bar
    assert head
    assert bar["y"] == 0
    assert abs(head["y"] - bar["height"]) <= 1


def test_the_list_of_runs_has_heads_that_stay(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, *[("schedule", "ok", 0)] * 50)
    page.set_viewport_size({"width": 1440, "height": 700})
    page.goto("/runs")
    expect(page.locator("#runs tbody tr")).to_have_count(50)
    page.mouse.move(700, 500)
    page.mouse.wheel(0, 900)
    until(page, lambda: page.evaluate("scrollY > 500"), "the page does not scroll")
    bar, head = page.locator(".bar").bounding_box(), page.locator("#runs thead th").first.bounding_box()
    assert bar
    assert head
    assert abs(head["y"] - bar["height"]) <= 1


def test_a_stopped_run_is_the_same_mark_everywhere(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, ("manual", "interrupted", 6))
    page.goto("/runs")
    shape = "node => [getComputedStyle(node, '::before').clipPath, getComputedStyle(node, '::before').backgroundColor]"
    row, frame = page.locator("#runs .outcome"), page.locator("#last-run")
    expect(frame).to_have_attribute("data-outcome", "interrupted")
    expect(frame).to_contain_text("Collection interrupted")
    expect(row).to_have_text("Interrupted")
    marks = [row.evaluate(shape), frame.evaluate(shape)]
    row.locator("xpath=ancestor::tr").get_by_role("link").click()
    expect(page.locator("[data-fact=outcome]")).to_have_text("Interrupted")
    marks.append(page.locator("[data-fact=outcome]").evaluate(shape))
    assert marks[0][0].startswith("polygon")
    assert marks == marks[:1] * 3


def test_the_title_of_the_tab_says_page_and_period(reader: Page) -> None:
    reader.goto("/records?period=last-month")
    expect(reader).to_have_title("Records · Last month · Usage Archive")
    reader.goto("/records?from=2026-09-01&to=2026-09-03&model=glm&q=bread")
    expect(reader).to_have_title("Records · 2026-09-01 to 2026-09-03 · glm · “bread” · Usage Archive")
    choose_period(reader, "All days")
    expect(reader).to_have_title("Records · All days · glm · “bread” · Usage Archive")
    reader.go_back()
    expect(reader).to_have_title("Records · 2026-09-01 to 2026-09-03 · glm · “bread” · Usage Archive")
    reader.goto("/")
    expect(reader).to_have_title("Overview · Last 30 days · Usage Archive")


@pytest.mark.parametrize("path", ["/records", "/"])
def test_print_says_which_filters_hold(path: str, reader: Page) -> None:
    reader.goto(f"{path}?from=2026-09-01&to=2026-09-03&no_client=1")
    line = reader.locator("[data-filters-said]")
    expect(line).to_be_hidden()
    reader.emulate_media(media="print")
    try:
        expect(line).to_be_visible()
        expect(line).to_have_text("2026-09-01 to 2026-09-03 · Client: no client")
        expect(reader.locator(".bar")).to_be_hidden()
    finally:
        reader.emulate_media(media="screen")
