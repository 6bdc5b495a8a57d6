"""Rules for every page and its dialogs: accessible in both themes, not wider than the window, usable by keyboard."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.browser.accounts import ADMIN, enter, make_account
from tests.browser.page_faults import MODAL, NARROW, UNFOLD, faults, faults_of_dialog, overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch, send

FOCUS_PLACE = "() => document.activeElement.closest('dialog') ? 'dialog' : document.activeElement.tagName"


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
    """A page as somebody sees it; `path` may name a run, a record and an invitation of the keeper.

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
    View("invitation", "stranger", "{invitation}"),
    View("offline", "stranger", "/offline"),
    View("overview", "keeper", "/?period=all", dialogs=("#fetch", "[data-part=budgets] [data-add]")),
    View("second tab of the overview", "keeper", "/?tab=hours"),
    View("records", "keeper", "/records?size=20", dialogs=(".page-head [data-keys]",)),
    View("record", "keeper", "/records?size=20&record={record}"),
    View("what repeats", "keeper", "/repeated?period=all"),
    View("packages", "keeper", "/packages"),
    View("runs", "keeper", "/runs", dialogs=("[data-prove]", "[data-older]", "#fetch")),
    View("run", "keeper", "/runs/{run}"),
    View("import", "keeper", "/import"),
    View("archives", "keeper", "/archives", dialogs=("#new-archive", "[data-act=credential]", "[data-act=rename]")),
    View("settings", "keeper", "/config", dialogs=("#cookie-clear",)),
    View("instance settings", "keeper", "/config/instance"),
    View("profile", "keeper", "/profile"),
    View("notices", "keeper", "/notices"),
    View("API", "keeper", "/api/docs#get_records"),
    View("summary", "keeper", "/summaries/month"),
    View("statement", "keeper", f"/statements/{date.today():%Y-%m}"),
    View("password again", "keeper", "/reauthenticate"),
    View(
        "users",
        "keeper",
        "/users",
        dialogs=("#new-user", "#invite", f"{GUEST} [data-act=edit]", f"{GUEST} [data-act=delete]"),
    ),
    View("backups", "keeper", "/backups", dialogs=("[data-act=restore]", "[data-act=delete]", "#prune", "#restored")),
    View("audit", "keeper", "/audit"),
    View("logs", "keeper", "/logs"),
    View("admin site", "keeper", "/admin/"),
    View("records on the admin site", "keeper", "/admin/usage/record/"),
    View("not found", "keeper", "/nowhere", 404),
    View("first steps", "guest", "/"),
    View("no records", "guest", "/records"),
    View("nothing repeats", "guest", "/repeated"),
    View("no packages", "guest", "/packages"),
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
            make_account(instance, name, is_admin)
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
                instance.wait_for_first_backup()
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
    if view.path == "{invitation}":
        return str(send(keeper.page, "/api/users/invitations")["path"])
    record = keeper.answer("/api/records?size=1")["items"][0]["request_id"]
    return view.path.format(record=record, run=keeper.answer("/api/runs?limit=1")["items"][0]["id"])


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


def test_the_page_of_the_first_run_is_accessible_and_fits_every_window(
    fresh_page: Page, fresh_instance: Instance
) -> None:
    fresh_page.goto(fresh_instance.first_run)
    assert faults(fresh_page) == {}


@pytest.mark.thorough
def test_everything_of_the_frame_is_done_by_keyboard(accounts: dict[str, Visitor]) -> None:
    page = accounts["keeper"].open("/config")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()

    menu = page.locator(".menu summary")
    menu.focus()
    page.keyboard.press("Enter")
    first = page.locator("header").get_by_role("link", name="What repeats", exact=True)
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    assert violations(page, "header") == {}
    # On a phone the menu begins with the pages.
    page.set_viewport_size({"width": 1280, "height": 900})
    page.keyboard.press("Shift+Tab")
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    expect(first).to_be_hidden()

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


@pytest.mark.thorough
@pytest.mark.parametrize("width", [NARROW, 768, 820, 900])
def test_the_opened_menu_of_a_long_name_lies_inside_the_window(width: int, accounts: dict[str, Visitor]) -> None:
    page = accounts["keeper"].open("/runs")
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.locator("#last-run")).to_be_visible()
    name = page.locator("#own-name")
    name.evaluate("(node) => { node.textContent = 'Maximiliana Wolkenstein-Trostburg'; }")
    name.click()
    box, brand = page.locator(".menu .menu-items").bounding_box(), page.locator(".brand").bounding_box()
    assert box
    assert brand
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    # Its name stands in the bar's first row.
    assert name.evaluate("(node) => node.getBoundingClientRect().top") < brand["y"] + brand["height"]


@pytest.mark.thorough
def test_an_ended_session_is_shown_in_a_dialog_alone_and_what_was_typed_is_sent_later(
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


@pytest.mark.thorough
def test_a_tab_of_another_account_shows_nothing_of_the_one_that_signed_in_since(
    accounts: dict[str, Visitor],
) -> None:
    guest = accounts["guest"]
    page = guest.open("/records")
    cookies: Any = page.context.cookies()
    page.context.clear_cookies()
    page.context.add_cookies(cast(Any, accounts["keeper"].page.context.cookies()))
    with page.expect_response("**/api/dims*"):
        page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="You are signed out")).to_be_visible()
    page.context.clear_cookies()
    page.context.add_cookies(cookies)
