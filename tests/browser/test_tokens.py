"""Personal tokens in a real browser: created, shown once, copied, and revoked."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accounts import NEW_PASSWORD
from tests.browser.page_faults import MODAL, NARROW, overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch, send, visitor
from tests.factories import PASSWORD

pytestmark = pytest.mark.landing


def status_with(page: Page, token: str) -> int:
    return page.request.get("/api/status", headers={"Authorization": f"Bearer {token}"}).status


def test_a_token_is_created_by_keyboard_shown_once_copied_and_revoked(
    clipboard: None, page: Page, watch: Watch
) -> None:
    page.goto("/profile")
    card = page.locator("section", has=page.get_by_role("heading", name="Tokens"))
    page.get_by_label("Name of the program").fill("  status bar ")
    page.get_by_role("switch", name=re.compile("Export")).press("Space")
    page.get_by_label("Valid for how many days").fill("30")
    page.keyboard.press("Enter")
    field = page.get_by_label("New token")
    expect(field).to_be_focused()
    token = field.input_value()
    assert re.fullmatch(r"ua_[0-9A-Za-z]{38}", token)
    expect(card.get_by_text("The token is created.")).to_be_visible()
    row = card.get_by_role("listitem").filter(has_text="status bar")
    expect(row).to_contain_text(f"{token[:7]}…")
    expect(row).to_contain_text("read, export")
    expect(row).to_contain_text("never used")
    expect(page.get_by_label("Name of the program")).to_have_value("")

    card.get_by_role("button", name="Copy").click()
    expect(card.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token
    assert violations(page, "[aria-labelledby=tokens-title]") == {}
    card.get_by_role("button", name="Done").press("Enter")
    expect(page.get_by_label("Name of the program")).to_be_focused()
    expect(field).to_be_hidden()
    assert token not in page.content()
    assert page.locator("#token-text").input_value() == ""

    assert status_with(page, token) == 200
    page.reload()
    assert token not in page.content()
    expect(row).to_contain_text("last used")
    row.get_by_role("button", name="Revoke the token status bar").press("Enter")
    dialog = page.get_by_role("dialog", name="Revoke the token status bar?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert violations(page, MODAL) == {}
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert status_with(page, token) == 200
    row.get_by_role("button", name="Revoke the token status bar").press("Enter")
    dialog.get_by_role("button", name="Revoke token").press("Enter")
    expect(card.get_by_text(re.compile("^The token .* is revoked"))).to_be_visible()
    expect(row).to_have_count(0)
    expect(page.get_by_label("Name of the program")).to_be_focused()
    assert status_with(page, token) == 401


def test_two_quick_clicks_end_no_token_and_two_in_the_dialog_only_one(
    browser: Browser, person: str, page: Page, instance: Instance
) -> None:
    theirs = visitor(browser, instance, person)
    tokens = {name: send(theirs, "/api/tokens", name=name, scopes=["read"])["token"] for name in ("old", "mid", "new")}
    theirs.goto("/profile")
    rows = theirs.locator("[data-tokens]").get_by_role("listitem")
    dialog = theirs.get_by_role("dialog", name="Revoke the token new?")
    theirs.get_by_role("button", name="Revoke the token new").dblclick()
    expect(dialog).to_be_visible()

    # The button of the dialog may be where the first click was.
    box = dialog.get_by_role("button", name="Revoke token").bounding_box()
    assert box
    theirs.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    theirs.mouse.down(click_count=2)
    theirs.mouse.up(click_count=2)
    expect(dialog).to_be_visible()
    assert [status_with(theirs, token) for token in tokens.values()] == [200] * 3

    dialog.get_by_role("button", name="Revoke token").dblclick()
    expect(theirs.get_by_text(re.compile("^The token .* is revoked"))).to_be_visible()
    expect(rows).to_have_count(2)
    expect(theirs.get_by_role("dialog")).to_have_count(0)
    assert {name: status_with(theirs, token) for name, token in tokens.items()} == {"old": 200, "mid": 200, "new": 401}
    theirs.context.close()


def test_what_is_refused_is_said_and_stays(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/profile")
    page.get_by_label("Name of the program").fill("cron")
    for days, said in (("soon", "whole number from 1 to 3650"), ("4000", "whole number from 1 to 3650")):
        page.get_by_label("Valid for how many days").fill(days)
        page.get_by_role("button", name="Create token").click()
        expect(page.locator("#token [data-form-error]")).to_contain_text(said)
    page.get_by_label("Valid for how many days").fill("")
    page.get_by_role("switch", name=re.compile("Read")).uncheck()
    page.get_by_role("button", name="Create token").click()
    expect(page.locator("#token [data-form-error]")).to_contain_text("A token needs scopes")
    expect(page.get_by_label("Name of the program")).to_have_value("cron")
    expect(page.locator("#new-token")).to_be_hidden()


def test_a_changed_password_ends_tokens_by_choice(
    browser: Browser, person: str, page: Page, instance: Instance
) -> None:
    theirs = visitor(browser, instance, person)
    token = send(theirs, "/api/tokens", name="a " + "long name " * 5, scopes=["read"])["token"]
    theirs.goto("/profile")
    assert overflow(theirs, NARROW) <= 0
    for name, text in (("old", PASSWORD), ("new", NEW_PASSWORD), ("new2", NEW_PASSWORD)):
        theirs.locator(f"#{name}").fill(text)
    theirs.get_by_role("switch", name="End all tokens as well").check()
    theirs.get_by_role("button", name="Change password").click()
    expect(theirs.get_by_text("all tokens have ended")).to_be_visible()
    expect(theirs.get_by_text("You have no tokens.")).to_be_visible()
    assert status_with(theirs, token) == 401
    theirs.context.close()
