"""Invitation links in a real browser: created and revoked by an administrator, used by the invited person."""

import itertools
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.page_faults import MODAL, NARROW, faults, look, overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived, quiet
from tests.browser.visits import Watch, send, watched
from tests.factories import PASSWORD

_numbers = itertools.count(1)


@pytest.fixture
def guest(browser: Browser, watch: Watch) -> Iterator[Page]:
    """A page in a browser where nobody is signed in."""
    context = browser.new_context(base_url=watch.origin)
    yield from watched(context, watch)
    context.close()


@pytest.fixture
def name() -> str:
    return f"invited{next(_numbers)}"


def dialog_of(page: Page) -> Locator:
    return page.locator("#inviting")


def new_link(page: Page, **body: str) -> str:
    return str(send(page, "/api/users/invitations", **body)["path"])


def row_of(page: Page, name: str) -> Locator:
    return page.locator("[data-invitation]").filter(has_text=name)


def fill_passwords(page: Page) -> None:
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)


@pytest.mark.landing
def test_a_link_is_created_by_keyboard_shown_once_and_used(page: Page, guest: Page, name: str, watch: Watch) -> None:
    watch.expect(404)
    page.goto("/users")
    page.get_by_role("button", name="Invite", exact=True).press("Enter")
    expect(page.locator("#invite-username")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type("The Guest")
    page.keyboard.press("Enter")
    field = page.get_by_label("Invitation link")
    expect(field).to_be_focused()
    link = field.input_value()
    assert re.fullmatch(rf"{watch.origin}/invitation/[\w-]{{32,}}", link)
    page.get_by_role("button", name="Done").press("Enter")
    expect(dialog_of(page)).to_be_hidden()
    expect(row_of(page, name)).to_contain_text("The Guest")
    assert link.rpartition("/")[2] not in page.content()

    guest.goto(link)
    expect(guest.get_by_label("User name")).to_have_value(name)
    expect(guest.get_by_label("User name")).to_have_attribute("readonly", "")
    expect(guest.get_by_label("Name shown")).to_be_focused()
    expect(guest.get_by_label("Name shown")).to_have_value("The Guest")
    fill_passwords(guest)
    guest.keyboard.press("Enter")
    arrived(guest, watch.origin + "/")
    expect(guest.locator("#own-name")).to_have_text("The Guest")

    # What the overview still asks for would be refused.
    quiet(guest)
    guest.context.clear_cookies()
    guest.goto(link)
    expect(guest.get_by_role("heading")).to_have_text("This invitation is not valid")
    page.reload()
    expect(row_of(page, name)).to_have_count(0)
    expect(page.locator(f'tr[data-username="{name}"]')).to_contain_text("Ordinary account")


@pytest.mark.landing
def test_the_link_is_copied_and_gone_with_the_dialog(page: Page, clipboard: None, name: str) -> None:
    page.goto("/users")
    page.get_by_role("button", name="Invite", exact=True).click()
    page.locator("#invite-username").fill(name)
    page.get_by_role("button", name="Create link").click()
    dialog_of(page).get_by_role("button", name="Copy").click()
    expect(dialog_of(page).get_by_text("Copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_label("Invitation link").input_value()
    page.keyboard.press("Escape")
    expect(dialog_of(page)).to_be_hidden()
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_label("Invitation link")).to_have_value("")
    expect(page.locator("#invite-username")).to_have_value("")


@pytest.mark.landing
def test_a_refused_name_is_said_at_its_field(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/users")
    page.get_by_role("button", name="Invite", exact=True).click()
    page.locator("#invite-username").fill("root")
    page.keyboard.press("Enter")
    expect(page.locator("#invite-username-error")).to_contain_text("taken")
    expect(page.locator("#invite-username")).to_be_focused()
    expect(page.get_by_label("Invitation link")).to_be_hidden()


@pytest.mark.landing
def test_a_revoked_link_opens_nothing(page: Page, guest: Page, name: str, watch: Watch) -> None:
    watch.expect(404)
    link = new_link(page, username=name)
    page.goto("/users")
    button = page.get_by_role("button", name=f"Revoke the invitation for {name}")
    dialog = page.get_by_role("dialog", name=f"Revoke the invitation for {name}")
    button.press("Enter")
    dialog.get_by_role("button", name="Cancel").press("Enter")
    expect(row_of(page, name)).to_be_visible()
    button.press("Enter")
    dialog.get_by_role("button", name="Revoke").press("Enter")
    expect(page.locator("#said")).to_have_text("The invitation is revoked.")
    expect(row_of(page, name)).to_have_count(0)
    guest.goto(link)
    expect(guest.get_by_text("not valid")).to_be_visible()


@pytest.mark.landing
def test_a_question_asked_again_at_once_is_answered(page: Page, name: str) -> None:
    send(page, "/api/users/invitations", username=name)
    page.goto("/users")
    button = page.get_by_role("button", name=f"Revoke the invitation for {name}")
    # All in one task of the page: the first question's close event comes after the second answer.
    button.evaluate("""revoke => {
        const [cancel, yes] = document.querySelectorAll("#invitation-revoke button");
        for (const each of [revoke, cancel, revoke, yes]) each.click();
    }""")
    expect(page.locator("#said")).to_have_text("The invitation is revoked.")
    expect(row_of(page, name)).to_have_count(0)


@pytest.mark.landing
def test_a_link_that_was_used_meanwhile_is_said_and_leaves_the_list(page: Page, name: str, watch: Watch) -> None:
    watch.expect(404)
    made = send(page, "/api/users/invitations", username=name)
    page.goto("/users")
    send(page, f"/api/users/invitations/{made['id']}/revoke")
    page.get_by_role("button", name=f"Revoke the invitation for {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.locator("#said")).to_have_text("There is no such open invitation.")
    expect(row_of(page, name)).to_have_count(0)


@pytest.mark.landing
def test_an_error_keeps_what_was_typed_but_passwords(page: Page, guest: Page, watch: Watch) -> None:
    watch.expect(400)
    guest.goto(new_link(page))
    guest.get_by_label("User name").fill("x")
    fill_passwords(guest)
    guest.keyboard.press("Enter")
    expect(guest.get_by_text("2 to 32 characters")).to_be_visible()
    expect(guest.get_by_label("User name")).to_be_focused()
    expect(guest.get_by_label("User name")).to_have_value("x")
    expect(guest.get_by_label("Password", exact=True)).to_have_value("")


@pytest.mark.landing
def test_the_page_sends_its_address_to_no_other_page(page: Page, guest: Page, watch: Watch) -> None:
    guest.goto(new_link(page))
    asked = guest.evaluate("performance.getEntriesByType('resource').map(({name}) => new URL(name).origin)")
    assert set(asked) == {watch.origin}
    assert guest.evaluate("document.querySelectorAll('a[href*=invitation], [src*=invitation]').length") == 0


@pytest.mark.thorough
@pytest.mark.parametrize("given", ["", "somebody-with-a-long-name-01"])
def test_the_page_has_no_faults(given: str, page: Page, guest: Page) -> None:
    guest.goto(new_link(page, **({"username": given} if given else {})))
    assert faults(guest) == {}
    assert overflow(guest, 320) <= 0


@pytest.mark.thorough
def test_the_dialog_and_the_list_have_no_faults(page: Page, instance: Instance) -> None:
    new_link(page, display_name="A guest with a name that takes all of sixty-four characters. Yes.")
    page.goto("/users")
    assert violations(page, "#invitations") == {}
    assert overflow(page, 320) <= 0
    page.get_by_role("button", name="Invite", exact=True).click()
    assert violations(page, MODAL) == {}
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_label("Invitation link")).to_be_visible()
    assert violations(page, MODAL) == {}
    look(page, "light", NARROW)
    box = page.locator(MODAL).bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= NARROW
