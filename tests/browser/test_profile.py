"""The profile in a real browser: what it shows and saves, the password, sessions, and wrong tries."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accounts import NEW_PASSWORD
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, sign_in, visitor, watched
from tests.factories import PASSWORD

pytestmark = pytest.mark.landing


def change_password(page: Page, **typed: str) -> None:
    page.goto("/profile")
    for name, text in typed.items():
        page.locator(f"#{name}").fill(text)
    page.get_by_role("button", name="Change password").click()


def test_the_profile_is_saved_and_shown_as_it_was_stored(page: Page) -> None:
    page.goto("/profile")
    page.get_by_label("Name shown").fill("  The Root  ")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The profile is saved.")).to_be_visible()
    expect(page.get_by_label("Name shown")).to_have_value("The Root")
    expect(page.locator(".menu summary")).to_have_text("The Root")


def test_an_email_that_is_none_is_said_beside_it_and_stays(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/profile")
    page.get_by_label("Email").fill("nowhere")
    page.keyboard.press("Enter")
    expect(page.locator("#email-error")).to_contain_text("An email address must")
    expect(page.get_by_label("Email")).to_be_focused()
    expect(page.get_by_label("Email")).to_have_value("nowhere")


@pytest.mark.parametrize(
    ("old", "new", "new2", "field"),
    [
        ("wrong", NEW_PASSWORD, NEW_PASSWORD, "old"),
        (PASSWORD, "short", "short", "new"),
        (PASSWORD, NEW_PASSWORD, "other", "new2"),
    ],
)
def test_a_change_password_is_said_beside_its_field_and_all_three_stay(
    old: str, new: str, new2: str, field: str, person: str, browser: Browser, instance: Instance
) -> None:
    # Not the administrator, whose pages other tests look at: a wrong password puts a notice on all of them.
    theirs = visitor(browser, instance, person)
    watch = Watch(instance.url)
    watch.expect(400)
    for page in watched(theirs.context, watch):
        change_password(page, old=old, new=new, new2=new2)
        expect(page.locator(f"#{field}-error")).to_be_visible()
        expect(page.locator(f"#{field}")).to_be_focused()
        for name, text in (("old", old), ("new", new), ("new2", new2)):
            expect(page.locator(f"#{name}")).to_have_value(text)
    theirs.context.close()


def test_other_sessions_are_signed_out_by_a_button_and_by_a_changed_password(
    page: Page, person: str, browser: Browser, instance: Instance
) -> None:
    theirs, elsewhere = (visitor(browser, instance, person, PASSWORD) for _ in range(2))
    theirs.goto("/profile")
    listed = theirs.locator("[data-sessions] li")
    expect(listed).to_have_count(2)
    expect(listed.first).to_contain_text(re.compile("Chrome on .*this session.*127.0.0.1", re.DOTALL))
    theirs.get_by_role("button", name="Sign out everywhere else").click()
    expect(theirs.get_by_text("1 other session is signed out.")).to_be_visible()
    expect(listed).to_have_count(1)
    elsewhere.goto("/profile")
    arrived(elsewhere, re.compile(re.escape("/login")))
    sign_in(elsewhere, instance, person)
    change_password(theirs, old=PASSWORD, new=NEW_PASSWORD, new2=NEW_PASSWORD)
    expect(theirs.get_by_text("The password is changed")).to_be_visible()
    expect(theirs.locator("#old")).to_have_value("")
    theirs.goto("/profile")
    elsewhere.goto("/profile")
    assert (theirs.url, "/login" in elsewhere.url) == (instance.url + "/profile", True)
    theirs.context.close()
    elsewhere.context.close()


def test_wrong_old_passwords_are_shown_until_they_are_dismissed_or_the_password_is_changed(
    page: Page, person: str, browser: Browser, instance: Instance
) -> None:
    theirs = visitor(browser, instance, person)
    notice = theirs.locator("#password-notice")
    change_password(theirs, old="wrong Horse 7", new=NEW_PASSWORD, new2=NEW_PASSWORD)
    expect(theirs.get_by_text("The old password is wrong.")).to_be_visible()
    theirs.goto("/records")
    expect(notice).to_contain_text("1 wrong try to change the password of this account since")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    theirs.goto("/")
    expect(theirs.locator("#banner")).to_be_attached()
    expect(notice).to_have_count(0)
    change_password(theirs, old="wrong Horse 7", new=NEW_PASSWORD, new2=NEW_PASSWORD)
    expect(theirs.get_by_text("The old password is wrong.")).to_be_visible()
    change_password(theirs, old=PASSWORD, new=NEW_PASSWORD, new2=NEW_PASSWORD)
    expect(theirs.get_by_text("The password is changed")).to_be_visible()
    expect(notice).to_have_count(0)
    theirs.context.close()
