"""Rules for every page and its dialogs: accessible in both themes, not wider than the window, usable by keyboard."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from collection.simulator.simulator import Simulator
from tests.browser.conftest import ADMIN, Instance, Watch, enter, send
from tests.factories import PASSWORD

AXE = (Path(__file__).parents[1] / "vendor" / "axe-core" / "axe.min.js").read_text()
# Preloading would write styles that the pages' policy forbids; no rule that is on needs it.
FIND = """async ([place, options]) => {
  const { violations } = await axe.run(place, { resultTypes: ["violations"], preload: false, ...options });
  const words = (id, { html, any: [first] }) => `${id}: ${html.slice(0, 160)} ${first?.message ?? ""}`;
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => words(id, node)));
}"""
# Records each focused element, and whether its focus is visible: on itself, its row, or the element drawn in its place.
WATCH_FOCUS = """() => {
  window.stops = [];
  document.addEventListener("focusin", ({ target }) => {
    const places = [target, target.closest("tr"), target.nextElementSibling].filter(Boolean);
    const styles = places.map((node) => getComputedStyle(node));
    const isSeen = styles.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
    window.stops.push({ html: target.outerHTML.slice(0, 160), isSeen });
  });
}"""
# Elements for the mouse only: neither they nor their ancestors or descendants can be focused. The table of a chart has
# the same controls.
MOUSE_ONLY = """() => {
  const places = ["a[href]", "button", "input", "select", "textarea", "summary", "label", "[tabindex='0']"];
  const reached = [...places, "tr:has(a[href])", "section:has(.as-table) .chart"].join();
  const isPressed = (node) => getComputedStyle(node).cursor === "pointer" && node.checkVisibility();
  const isLost = (node) => !node.closest(reached) && !node.querySelector(reached);
  const lost = [...document.body.querySelectorAll("*")].filter((node) => isPressed(node) && isLost(node));
  return lost.map((node) => node.outerHTML.slice(0, 160));
}"""
UNFOLD = "for (const part of document.querySelectorAll('main details')) part.open = true"
MODAL = "dialog:modal"
FOCUS_PLACE = "() => document.activeElement.closest('dialog') ? 'dialog' : document.activeElement.tagName"
# The themes differ in colours only, so the second one is checked for these.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
NARROW = 360
Look = tuple[str, int, dict[str, Any]]
LOOKS: list[Look] = [
    (theme, width, rules) for width in (1440, NARROW) for theme, rules in (("light", {}), ("dark", COLOURS))
]
WIDTHS = [NARROW, 768, 1280, 2560]
# Only the first stops of a long page: below them are more rows of the same kind.
STOPS = 40


@dataclass
class Visitor:
    """A person's browser, open for all tests of this file."""

    page: Page
    watch: Watch

    def open(self, path: str) -> Page:
        """The page at `path`, once it is complete."""
        self.page.goto(path)
        expect(self.page.locator("main [aria-busy=true]:visible")).to_have_count(0)
        return self.page

    def answer(self, path: str) -> Any:
        return self.page.request.get(path).json()


@dataclass(frozen=True)
class View:
    """A page as somebody sees it; `path` may name a run and a record of the keeper.

    `dialogs` are the buttons that open them, as selectors; or those dialogs themselves that come up on their own.
    """

    name: str
    who: str
    path: str
    status: int = 200
    dialogs: tuple[str, ...] = ()


GUEST = "tr[data-username=guest]"


VIEWS = [
    View("sign in", "stranger", "/login"),
    View("register", "stranger", "/register"),
    View("overview", "keeper", "/?period=all"),
    View("records", "keeper", "/records?size=20", dialogs=("[data-keys]",)),
    View("record", "keeper", "/records?size=20&record={record}"),
    View("runs", "keeper", "/runs"),
    View("run", "keeper", "/runs/{run}"),
    View("settings", "keeper", "/config", dialogs=("#cookie-clear",)),
    View("profile", "keeper", "/profile"),
    View("users", "keeper", "/users", dialogs=("#new-user", f"{GUEST} [data-act=edit]", f"{GUEST} [data-act=delete]")),
    View("backups", "keeper", "/backups", dialogs=("[data-act=restore]", "[data-act=delete]", "#prune", "#restored")),
    View("audit", "keeper", "/audit"),
    View("logs", "keeper", "/logs"),
    View("admin site", "keeper", "/admin/"),
    View("records on the admin site", "keeper", "/admin/usage/record/"),
    View("not found", "keeper", "/nowhere", 404),
    View("first steps", "guest", "/"),
    View("no records", "guest", "/records"),
    View("no runs", "guest", "/runs"),
    View("own settings", "guest", "/config"),
    View("own audit", "guest", "/audit"),
    View("forbidden", "guest", "/users", 403),
]


def visit(browser: Browser, instance: Instance, name: str = "") -> Iterator[Visitor]:
    """A separate browser with that account signed in; a stranger has no account."""
    watch = Watch(instance.url)
    context = browser.new_context(base_url=instance.url)
    page = context.new_page()
    page.on("console", watch.note_message)
    page.on("pageerror", lambda error: watch.problems.append(str(error)))
    context.on("request", watch.note_request)
    if name:
        enter(context, instance, name)
    yield Visitor(page, watch)
    context.close()


@pytest.fixture(scope="module")
def founder(browser: Browser, instance: Instance) -> Iterator[Visitor]:
    """The first administrator, who makes the other accounts and opens the registration."""
    for visitor in visit(browser, instance, ADMIN):
        for name, is_admin in (("keeper", True), ("guest", False)):
            send(visitor.page, "/api/users", username=name, password=PASSWORD, password2=PASSWORD, is_admin=is_admin)
        send(visitor.page, "/api/settings", allow_register=True, captcha_policy="always")
        yield visitor
        send(visitor.page, "/api/settings", allow_register=False, captcha_policy="off")


@pytest.fixture(scope="module")
def accounts(
    founder: Visitor, browser: Browser, instance: Instance, upstream: Simulator
) -> Iterator[dict[str, Visitor]]:
    """An administrator with records, an ordinary user with nothing, and a stranger, each in a browser of their own."""
    send(founder.page, "/api/settings", captcha_policy="off")
    for keeper in visit(browser, instance, "keeper"):
        for guest in visit(browser, instance, "guest"):
            send(founder.page, "/api/settings", captcha_policy="always")
            for stranger in visit(browser, instance):
                send(keeper.page, "/api/settings", cookie=upstream.cookie())
                send(keeper.page, "/api/collect")
                send(keeper.page, "/api/backups")
                yield {"keeper": keeper, "guest": guest, "stranger": stranger}


@pytest.fixture
def visitor(accounts: dict[str, Visitor], view: View) -> Iterator[Visitor]:
    """The visitor of the view; any error meanwhile fails the test."""
    found = accounts[view.who]
    found.watch.problems.clear()
    found.watch.allowed = {view.status}
    yield found
    assert found.watch.problems == []


def address(view: View, keeper: Visitor) -> str:
    if "{" not in view.path:
        return view.path
    record = keeper.answer("/api/records?size=1")["items"][0]["request_id"]
    return view.path.format(record=record, run=keeper.answer("/api/runs?limit=1")["items"][0]["id"])


def violations(page: Page, place: str = "html", looks: list[Look] = LOOKS) -> dict[str, list[str]]:
    """What axe finds wrong in a part of the page, by look; evaluated, as the page's policy takes no foreign script."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found: dict[str, list[str]] = {}
    for theme, width, rules in looks:
        look(page, theme, width)
        found[f"{theme} {width}"] = page.evaluate(FIND, [place, rules])
    return {name: faults for name, faults in found.items() if faults}


def look(page: Page, theme: Any, width: int) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})


def faults(page: Page) -> dict[str, Any]:
    """All faults of a page."""
    found: dict[str, Any] = {"focus out of sight": walk(page), "for a mouse only": page.evaluate(MOUSE_ONLY)}
    page.evaluate(UNFOLD)
    found |= violations(page)
    beyond = {width: overflow(page, width) for width in WIDTHS}
    found["too wide"] = {width: pixels for width, pixels in beyond.items() if pixels > 0}
    return {name: fault for name, fault in found.items() if fault}


def faults_of_dialog(page: Page, opener: str) -> dict[str, Any]:
    """All faults of a dialog; it is opened and closed by keyboard."""
    button = page.locator(opener).first
    comes_up_on_its_own = opener.startswith("#") and button.evaluate("node => node.localName === 'dialog'")
    if comes_up_on_its_own:
        button.evaluate("dialog => dialog.showModal()")
    else:
        button.focus()
        page.keyboard.press("Enter")
    expect(page.locator(MODAL).locator(":focus")).to_have_count(1)
    found: dict[str, Any] = violations(page, MODAL)
    box = page.locator(MODAL).bounding_box()
    if not box or box["x"] < 0 or box["x"] + box["width"] > NARROW:
        found["too wide"] = box
    if comes_up_on_its_own:
        button.evaluate("dialog => dialog.close()")
    else:
        page.keyboard.press("Escape")
        expect(button).to_be_focused()
    return found


def walk(page: Page) -> list[str]:
    """The elements that the Tab key reaches without a visible focus."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate(WATCH_FOCUS)
    for _ in range(STOPS):
        page.keyboard.press("Tab")
    stops = page.evaluate("window.stops")
    assert stops, "the Tab key leads nowhere"
    return sorted({stop["html"] for stop in stops if not stop["isSeen"]})


def overflow(page: Page, width: int) -> int:
    """How many pixels a page reaches beyond the window."""
    page.set_viewport_size({"width": width, "height": 900})
    beyond: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return beyond


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_page_is_accessible_and_fits_a_phone(view: View, visitor: Visitor, accounts: dict[str, Visitor]) -> None:
    page = visitor.open(address(view, accounts["keeper"]))
    page.evaluate(UNFOLD)
    assert violations(page, looks=[("light", NARROW, {})]) == {}
    assert overflow(page, NARROW) <= 0


@pytest.mark.thorough
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_page_is_accessible_in_both_themes_by_keyboard_too_and_fits_every_window(
    view: View, visitor: Visitor, accounts: dict[str, Visitor]
) -> None:
    page = visitor.open(address(view, accounts["keeper"]))
    assert faults(page) == {}
    assert {opener: found for opener in view.dialogs if (found := faults_of_dialog(page, opener))} == {}


@pytest.mark.thorough
def test_so_is_the_page_of_the_first_run(fresh_page: Page, fresh_instance: Instance) -> None:
    fresh_page.goto(fresh_instance.first_run)
    assert faults(fresh_page) == {}


def test_everything_of_the_frame_is_done_by_keyboard(accounts: dict[str, Visitor]) -> None:
    page = accounts["keeper"].open("/config")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()

    menu = page.locator(".menu summary")
    menu.focus()
    page.keyboard.press("Enter")
    settings = page.get_by_role("link", name="Settings", exact=True)
    page.keyboard.press("Tab")
    expect(settings).to_be_focused()
    assert violations(page, "header") == {}
    page.keyboard.press("Shift+Tab")
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    expect(settings).to_be_hidden()

    clear = page.get_by_role("button", name="Clear", exact=True)
    clear.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        # From the last one the focus goes to the browser's own controls, which leaves the page's body.
        assert page.evaluate(FOCUS_PLACE) in ("dialog", "BODY")
    page.keyboard.press("Escape")
    expect(clear).to_be_focused()


@pytest.mark.parametrize("width", [NARROW, 768, 820, 900])
def test_the_opened_menu_of_a_long_name_lies_inside_the_window(width: int, accounts: dict[str, Visitor]) -> None:
    page = accounts["keeper"].open("/runs")
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.locator("#last-run")).to_be_visible()
    name = page.locator("#own-name")
    name.evaluate("(node) => { node.textContent = 'Maximiliana Wolkenstein-Trostburg'; }")
    name.click()
    box, brand = page.locator(".menu-items").bounding_box(), page.locator(".brand").bounding_box()
    assert box
    assert brand
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    # Its name stands in the bar's first row.
    assert name.evaluate("(node) => node.getBoundingClientRect().top") < brand["y"] + brand["height"]


def test_an_ended_session_is_told_in_a_dialog_alone_and_what_was_typed_is_sent_later(
    accounts: dict[str, Visitor],
) -> None:
    guest = accounts["guest"]
    page = guest.open("/profile")
    guest.watch.allowed = {400}
    name = page.get_by_label("Name shown")
    name.fill("Typed before")
    cookies: Any = page.context.cookies()
    page.context.clear_cookies()
    name.press("Enter")
    dialog = page.get_by_role("dialog", name="You are signed out")
    expect(dialog.locator(":focus")).to_have_count(1)
    expect(page.locator("main :is(.error, .failed):visible")).to_have_count(0)
    assert violations(page, MODAL) == {}
    page.context.add_cookies(cookies)
    dialog.get_by_role("button", name="I am signed in again").press("Enter")
    expect(dialog).to_be_hidden()
    name.press("Enter")
    expect(page.locator("#own-name")).to_have_text("Typed before")
