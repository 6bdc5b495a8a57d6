"""The audit log and the application's log in a real browser."""

import itertools
import re
import uuid
from itertools import chain

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accounts import make_account
from tests.browser.collecting import now_text
from tests.browser.held_requests import HeldRequests
from tests.browser.running_instance import Instance
from tests.browser.settled import answered, arrived, ending, expect_evaluated, quiet
from tests.browser.visits import Watch, sign_in_unseen

pytestmark = pytest.mark.landing

AT_END = "log => log.scrollHeight - log.scrollTop - log.clientHeight <= 1"
TRACEBACK = """Traceback (most recent call last):
  File "somewhere.py", line 1, in <module>
ValueError: {mark} went wrong
"""
_numbers = itertools.count(1)


@pytest.fixture
def actor() -> str:
    """A name without entries in the log."""
    return f"actor{next(_numbers)}"


def write(instance: Instance, actor: str, *entries: tuple[str, str], user_id: int | None = None) -> None:
    """Entries of the audit log, the last one newest: action, detail."""
    at, names = now_text(), ("uuid", "at", "actor", "action", "detail", "search_text", "ip", "user_id")
    rows = [(uuid.uuid4().hex, at, actor, action, said, said, "192.0.2.7", user_id) for action, said in entries]
    places = ", ".join(f"({', '.join('?' * len(names))})" for _ in rows)
    instance.sql(f"INSERT INTO audit_entry ({', '.join(names)}) VALUES {places}", *chain(*rows))


def rows_of(page: Page) -> Locator:
    return page.locator("#audit tbody tr")


def test_entries_are_filtered_and_the_address_holds_the_filters(page: Page, instance: Instance, actor: str) -> None:
    write(instance, actor, ("login", ""), ("collect_failed", "run 7: no answer"), ("collect_failed", "run 8: a cookie"))
    page.goto("/audit")
    page.get_by_label("Actor").fill(actor)
    page.keyboard.press("Enter")
    expect(rows_of(page)).to_contain_text([re.compile(r"Collection failed\s+run 8"), "run 7", re.compile("Signed in")])
    page.get_by_label("Action").select_option(label="Collection failed")
    expect(rows_of(page)).to_have_count(2)
    page.get_by_label("Text").fill("COOKIE")
    page.get_by_role("button", name="Filter").click()
    expect(rows_of(page)).to_contain_text(["run 8: a cookie"])
    arrived(page, f"{instance.url}/audit?action=collect_failed&actor={actor}&q=COOKIE")
    page.reload()
    expect(rows_of(page)).to_have_count(1)
    expect(page.get_by_label("Action")).to_have_value("collect_failed")
    page.go_back()
    expect(rows_of(page)).to_have_count(2)
    expect(page.get_by_label("Text")).to_have_value("")
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_label("Actor")).to_have_value("")
    arrived(page, f"{instance.url}/audit")


def test_what_is_typed_while_entries_load_stays(page: Page, instance: Instance, actor: str) -> None:
    write(instance, actor, ("login", ""))
    held = HeldRequests(page, "**/api/audit")
    page.goto("/audit", wait_until="commit")
    asked = held.take()
    page.get_by_label("Actor").fill(actor)
    page.get_by_label("Text").fill("a text")
    asked.continue_()
    expect(rows_of(page).first).to_be_visible()
    expect(page.get_by_label("Actor")).to_have_value(actor)
    expect(page.get_by_label("Text")).to_have_value("a text")


def test_an_actor_and_an_action_lead_to_all_of_theirs(page: Page, instance: Instance, actor: str) -> None:
    write(instance, actor, ("login", ""), ("first_run", "made"))
    page.goto(f"/audit?actor={actor}&q=made")
    rows_of(page).get_by_role("link", name=actor).click()
    expect(rows_of(page)).to_have_count(2)
    rows_of(page).get_by_role("link", name="First administrator created").click()
    expect(page.get_by_label("Action")).to_have_value("first_run")
    expect(page.get_by_label("Actor")).to_have_value("")


def test_pages_lead_from_the_newest_to_the_oldest_entries(page: Page, instance: Instance, actor: str) -> None:
    write(instance, actor, *[("export", f"export {number}.") for number in range(120)])
    page.goto(f"/audit?actor={actor}")
    pager = page.get_by_role("navigation", name="Pages of the audit log")
    expect(pager).to_contain_text("1 to 50 of 120")
    expect(rows_of(page).first).to_contain_text("export 119.")
    pager.get_by_text("Older").click()
    expect(pager).to_contain_text("51 to 100 of 120")
    pager.get_by_text("Oldest").click()
    expect(rows_of(page)).to_have_count(20)
    expect(rows_of(page).last).to_contain_text("export 0.")
    arrived(page, ending("page=3"))
    # As after old entries were deleted: a page beyond the end leads to the last one.
    page.goto(f"/audit?actor={actor}&page=9")
    expect(pager).to_contain_text("101 to 120 of 120")
    pager.get_by_text("Newest").click()
    expect(rows_of(page).first).to_contain_text("export 119.")


def test_an_ordinary_account_sees_its_own_entries_and_no_filter_by_actor(
    page: Page, browser: Browser, instance: Instance, actor: str
) -> None:
    user_id = make_account(instance, actor)
    write(instance, actor, ("profile", "email"), user_id=user_id)
    theirs = browser.new_context(base_url=instance.url).new_page()
    sign_in_unseen(theirs.context, actor)
    theirs.goto("/")
    theirs.locator(".menu summary").click()
    theirs.get_by_role("link", name="Audit").click()
    expect(rows_of(theirs)).to_contain_text(["Signed in", "Profile changed"])
    expect(theirs.get_by_label("Actor")).to_have_count(0)
    assert [theirs.locator(".menu").get_by_text(name).count() for name in ("Logs", "Backups")] == [0, 0]
    theirs.context.close()


def test_a_list_that_cannot_be_read_says_so_and_is_tried_again(page: Page, watch: Watch) -> None:
    watch.expect(503)
    page.route("**/api/audit*", lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    page.goto("/audit?q=nothing-like-this")
    expect(page.locator("#audit [data-failed]")).to_contain_text("Away.")
    page.unroute("**/api/audit*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("No entries match these filters.")).to_be_visible()
    expect(page.locator("#audit [data-failed]")).to_be_hidden()


def test_neither_page_scrolls_sideways(page: Page, instance: Instance, actor: str) -> None:
    write(instance, actor, ("settings_rejected", "word" * 400), ("x" * 64, "y" * 2000))
    log(instance, f"2026-11-21 12:00:00 INFO {actor}: {'z' * 3000}\n")
    for width in (360, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"/audit?actor={actor}")
        expect(rows_of(page)).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.goto(f"/logs?q={actor}")
        expect(page.locator("#log")).to_contain_text("zzz")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# The application's log


def log(instance: Instance, text: str) -> None:
    with (instance.home / "logs" / "app.log").open("a") as file:
        file.write(text)


@pytest.fixture
def mark() -> str:
    """A word that no other test logs."""
    return f"mark{next(_numbers)}"


@pytest.fixture
def followed(page: Page, instance: Instance, mark: str) -> Locator:
    """The log on its page, longer than its box: 300 lines, then a warning, then an error with its traceback."""
    lines = [f"2026-11-21 12:00:00 INFO tests: {mark} line {number}\n" for number in range(300)]
    lines += [
        f"2026-11-21 12:00:01 WARNING tests: {mark} beware\n",
        f"2026-11-21 12:00:02 ERROR tests: {mark} failed\n",
    ]
    log(instance, "".join(lines) + TRACEBACK.format(mark=mark))
    page.goto("/logs")
    shown = page.locator("#log")
    expect(shown).to_contain_text(f"{mark} went wrong")
    return shown


def test_the_log_is_followed_at_its_end(page: Page, instance: Instance, followed: Locator, mark: str) -> None:
    expect(followed.locator("div")).to_have_count(200)
    expect_evaluated(followed, AT_END, True)
    log(instance, f"2026-11-21 12:00:03 INFO tests: {mark} one more\n")
    expect(followed).to_contain_text(f"{mark} one more")
    expect_evaluated(followed, AT_END, True)
    # The requested number of lines: the oldest are dropped.
    expect(followed.locator("div")).to_have_count(200)
    lines = followed.locator("div").all_text_contents()
    assert len(lines) == len(set(lines))
    page.get_by_label("Lines", exact=True).select_option("500")
    expect(followed).to_contain_text(f"{mark} line 0")


@pytest.mark.thorough
def test_whoever_scrolled_up_stays_there_until_they_go_to_the_end(
    page: Page, instance: Instance, followed: Locator, mark: str
) -> None:
    followed.evaluate("log => log.scrollTo(0, 300)")
    first = followed.locator("div").first.text_content()
    log(instance, f"2026-11-21 12:00:03 INFO tests: {mark} one more\n")
    expect(followed).to_contain_text(f"{mark} one more")
    assert followed.evaluate("log => log.scrollTop") == 300
    assert followed.locator("div").first.text_content() == first
    expect(page.get_by_text("you have scrolled up")).to_be_visible()
    page.get_by_role("button", name="Go to the end").click()
    expect(page.get_by_role("button", name="Go to the end")).to_be_hidden()
    expect_evaluated(followed, AT_END, True)


def test_levels_and_texts_are_filtered_with_their_tracebacks(page: Page, followed: Locator, mark: str) -> None:
    page.get_by_label("Text").fill(mark.upper())
    page.get_by_label("Level").select_option(label="Warnings and errors")
    visible = followed.locator("div:not([hidden])")
    expect(visible).to_have_count(5)
    assert [line.get_attribute("data-level") for line in visible.all()] == ["WARNING"] + ["ERROR"] * 4
    page.get_by_label("Level").select_option(label="Errors")
    page.get_by_label("Text").fill(f"{mark} went")
    expect(visible).to_have_count(4)
    expect(visible.first).to_contain_text("failed")
    page.reload()
    expect(visible).to_have_count(4)
    page.get_by_label("Text").fill("nothing like this")
    expect(page.get_by_text("No lines match these filters.")).to_be_visible()


def test_what_is_shown_is_copied(page: Page, followed: Locator, mark: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Level").select_option(label="Errors")
    page.get_by_label("Text").fill(mark)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("4 lines copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("2026-11-21 12:00:02 ERROR")
    assert copied.endswith(f"{mark} went wrong\n")


@pytest.mark.own_context
def test_a_paused_or_hidden_log_is_not_asked_for(page: Page, followed: Locator, mark: str) -> None:
    page.clock.install()
    page.reload()
    expect(followed).to_contain_text(mark)
    answered(page)
    with page.expect_response("**/logs/tail*"):
        page.clock.fast_forward(2000)
    asked: list[str] = []
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused.")).to_be_visible()
    answered(page)
    page.on("request", lambda request: asked.append(request.url) if "/logs/tail" in request.url else None)
    page.clock.fast_forward(10_000)
    quiet(page)
    assert asked == []
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    with page.expect_response("**/logs/tail*"):
        page.get_by_role("button", name="Resume").click()
    page.clock.fast_forward(10_000)
    quiet(page)
    assert len(asked) == 1
    page.evaluate("Object.defineProperty(document, 'hidden', {value: false})")
    with page.expect_response("**/logs/tail*"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


@pytest.mark.thorough
def test_a_session_that_ended_is_said_and_the_lines_stay(
    page: Page, followed: Locator, watch: Watch, mark: str
) -> None:
    watch.expect(401)
    page.context.clear_cookies()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    expect(followed).to_contain_text(f"{mark} went wrong")
