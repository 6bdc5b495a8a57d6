"""Users and registration in a real browser, most of it by keyboard."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accounts import ADMIN, NEW_PASSWORD
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, send, visitor, watched
from tests.factories import PASSWORD

pytestmark = pytest.mark.landing

SOLVE = """
from itertools import product
from accounts.signin.captcha import ALPHABET, _hash
from accounts.models import Captcha
from tests.statements import of_tests
with of_tests():
    shown = Captcha.objects.latest("expires_at")
print(next(a for a in map("".join, product(ALPHABET, repeat=3)) if _hash(shown.pk, a) == shown.answer_hash))
"""


@pytest.fixture
def person(page: Page, person: str) -> str:
    """The name of a new account, with the administrator on the users page."""
    page.goto("/users")
    expect(row_of(page, person)).to_be_visible()
    return person


def create(page: Page, name: str, password: str = PASSWORD) -> None:
    dialog = page.locator("#create")
    dialog.get_by_label("User name").fill(name)
    dialog.get_by_label("Password", exact=True).fill(password)
    dialog.get_by_label("Password again").fill(password)
    dialog.get_by_role("button", name="Create").click()


def row_of(page: Page, name: str) -> Locator:
    return page.locator(f'tr[data-username="{name}"]')


def edit(page: Page, name: str) -> Locator:
    row_of(page, name).get_by_role("button", name="Edit").click()
    return page.locator("#edit")


def save(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()


def test_a_user_is_made_by_keyboard_alone_and_the_focus_comes_back(page: Page) -> None:
    page.goto("/users")
    page.get_by_role("button", name="New account").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#create-username")).to_be_focused()
    # After each password comes the button that shows it.
    for text in ("keyboard", "By Keyboard", "", PASSWORD, "", PASSWORD, ""):
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("keyboard is created.")
    expect(row_of(page, "keyboard")).to_contain_text("By Keyboard")
    expect(row_of(page, "keyboard").locator("[data-label=Records]")).to_have_text("0")
    expect(row_of(page, "keyboard").get_by_role("button", name="Edit")).to_be_focused()


def test_escape_leaves_a_dialog_and_gives_the_focus_back(page: Page, person: str) -> None:
    dialog = edit(page, person)
    expect(page.locator("#edit-display_name")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(row_of(page, person).get_by_role("button", name="Edit")).to_be_focused()


@pytest.mark.parametrize(
    ("name", "password", "field", "said"),
    [
        ("x", PASSWORD, "username", "2 to 32"),
        (ADMIN, PASSWORD, "username", "taken"),
        ("fine", "short", "password", "8"),
    ],
)
def test_a_refusal_is_said_beside_its_field_and_what_was_typed_stays(
    name: str, password: str, field: str, said: str, page: Page, watch: Watch
) -> None:
    watch.expect(400)
    page.goto("/users")
    page.get_by_role("button", name="New account").click()
    create(page, name, password)
    expect(page.locator(f"#create-{field}-error")).to_contain_text(said)
    expect(page.locator(f"#create-{field}")).to_be_focused()
    expect(page.locator("#create-username")).to_have_value(name)
    expect(page.locator("#create-password2")).to_have_value(password)


def test_name_email_and_role_are_edited(page: Page, person: str) -> None:
    dialog = edit(page, person)
    dialog.get_by_label("Name shown").fill("Somebody")
    dialog.get_by_label("Email").fill("some@example.org")
    dialog.get_by_label("Administrator").check()
    save(dialog)
    expect(row_of(page, person)).to_contain_text(re.compile("Somebody.*some@example.org.*Administrator", re.DOTALL))


def test_an_edit_that_changes_nothing_says_so(page: Page, person: str) -> None:
    dialog = edit(page, person)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Nothing was changed.")).to_be_visible()


def test_a_disabled_account_is_signed_out_at_once(
    page: Page, person: str, browser: Browser, instance: Instance
) -> None:
    theirs = visitor(browser, instance, person)
    dialog = edit(page, person)
    dialog.get_by_label("Active").uncheck()
    save(dialog)
    expect(row_of(page, person)).to_contain_text("disabled")
    theirs.goto("/profile")
    arrived(theirs, re.compile(re.escape("/login")))
    theirs.context.close()


def test_a_password_that_was_reset_signs_in(page: Page, person: str, browser: Browser, instance: Instance) -> None:
    dialog = edit(page, person)
    dialog.get_by_label("New password", exact=True).fill(NEW_PASSWORD)
    dialog.get_by_label("New password again").fill(NEW_PASSWORD)
    save(dialog)
    visitor(browser, instance, person, NEW_PASSWORD).context.close()


def test_the_own_account_offers_nothing_that_would_be_refused(page: Page) -> None:
    page.goto("/users")
    dialog = edit(page, ADMIN)
    expect(dialog.get_by_label("Name shown")).to_be_visible()
    for label in ("Administrator", "Active", "New password"):
        expect(dialog.get_by_label(label, exact=True)).to_be_hidden()
    expect(row_of(page, ADMIN)).to_contain_text("you")
    expect(row_of(page, ADMIN).get_by_role("button", name="Delete")).to_have_count(0)


def test_deleting_asks_for_the_name_and_shows_where_kept_data_stays(page: Page, person: str) -> None:
    account = row_of(page, person).get_attribute("data-id")
    row_of(page, person).get_by_role("button", name="Delete").click()
    dialog = page.locator("#delete")
    dialog.get_by_label("Keep records").check()
    expect(dialog).to_contain_text(f"manage.py adopt_archive {account} NAME")
    dialog.get_by_role("button", name="Delete account").click()
    expect(page.locator("#delete-confirm-error")).to_contain_text(f"Type {person}")
    dialog.get_by_label("User name").fill(person)
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text(f"its data stays under the id {account}")
    expect(row_of(page, person)).to_have_count(0)
    expect(page.get_by_role("button", name="New account")).to_be_focused()


def test_an_account_deleted_meanwhile_is_said_at_the_top(page: Page, person: str, watch: Watch) -> None:
    watch.expect(404)
    dialog = edit(page, person)
    page.evaluate("(id) => fetch(`/api/users/${id}/delete`, {method: 'POST', headers: {'X-CSRF-Token': WB_CSRF}})",
                  row_of(page, person).get_attribute("data-id"))  # fmt: skip
    dialog.get_by_label("Name shown").fill("Too late")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator("[data-form-error]")).to_have_text("There is no such account.")


def test_below_700_pixels_an_account_is_a_card(page: Page) -> None:
    page.set_viewport_size({"width": 690, "height": 800})
    page.goto("/users")
    expect(page.get_by_role("region", name="Accounts").locator("thead")).not_to_be_in_viewport()
    assert row_of(page, ADMIN).evaluate("row => getComputedStyle(row).display") == "grid"


@pytest.fixture
def registration(page: Page) -> Iterator[None]:
    """Registration is open, with captchas short enough to be solved by trying."""
    send(page, "/api/settings", allow_register=True, captcha_policy="always", captcha_length=3)
    yield
    send(page, "/api/settings", allow_register=False, captcha_policy="off", captcha_length="")


@pytest.fixture
def stranger(registration: None, browser: Browser, watch: Watch) -> Iterator[Page]:
    """A page in a browser where nobody is signed in."""
    context = browser.new_context(base_url=watch.origin)
    yield from watched(context, watch)
    context.close()


def answer_picture(page: Page, answer: Callable[[], str]) -> None:
    """Type both passwords, ask for another picture and send the form with the answer to it."""
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    with page.expect_response(re.compile("captcha.png.*again")):
        page.get_by_role("button", name="Another picture").click()
    page.get_by_label("Characters").fill(answer())
    page.keyboard.press("Enter")


def test_a_stranger_registers_with_the_picture(stranger: Page, instance: Instance, watch: Watch) -> None:
    watch.expect(400)
    page = stranger
    page.goto("/login")
    page.get_by_role("link", name="Register").click()
    page.get_by_label("User name").fill("carol")
    answer_picture(page, lambda: "wrong")
    expect(page.get_by_text("do not match the picture")).to_be_visible()
    expect(page.get_by_label("Characters")).to_be_focused()
    expect(page.get_by_label("Characters")).to_have_value("")
    answer_picture(page, lambda: instance.manage("shell", "-c", SOLVE).split()[-1].lower())
    arrived(page, instance.url + "/")
    expect(page.locator(".menu summary")).to_have_text("carol")
