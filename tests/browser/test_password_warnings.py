"""The warning about a password that is easy to guess, in a real browser: before an account or a password exists."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.browser.page_faults import MODAL, violations
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing
COMMON = "Password1"
WORDS = re.compile("list of common ones")
GOOD = "seven Lanterns 42"


@pytest.fixture
def bodies(page: Page) -> list[str]:
    """What the page sends: addresses and bodies."""
    return noted(page)


def noted(page: Page) -> list[str]:
    sent: list[str] = []

    def note(request: Request) -> None:
        sent.append(f"{request.url} {request.post_data}")

    page.on("request", note)
    return sent


def warning_of(place: Locator | Page) -> Locator:
    return place.locator("[data-password-warning]:visible")


def enter_password(place: Locator | Page, label: str, page: Page, password: str) -> None:
    place.get_by_label(label, exact=True).fill(password)
    page.keyboard.press("Tab")


@pytest.mark.thorough
def test_the_first_run_warns_before_the_account_exists(fresh_page: Page, fresh_instance: Instance) -> None:
    page, sent = fresh_page, noted(fresh_page)
    page.goto(fresh_instance.first_run)
    page.get_by_label("User name").fill("boss")
    enter_password(page, "Password", page, COMMON)
    expect(warning_of(page)).to_have_text(WORDS)
    assert violations(page) == {}
    page.get_by_label("Password", exact=True).press_sequentially("-lantern")
    expect(page.locator("[data-password-warning]")).to_be_empty()
    enter_password(page, "Password", page, "my-boss-1948")
    expect(warning_of(page)).to_have_text(re.compile("holds the user name"))
    assert not [text for text in sent if COMMON in text or "my-boss" in text]


@pytest.fixture
def open_to_all(instance: Instance) -> Iterator[None]:
    """Strangers may register meanwhile."""
    instance.manage("config", "set", "allow_register", "1")
    yield
    instance.manage("config", "set", "allow_register", "0")


def test_registration_warns_in_the_language_of_the_page(
    page: Page, watch: Watch, bodies: list[str], open_to_all: None
) -> None:
    page.context.clear_cookies()
    page.goto("/register")
    enter_password(page, "Password", page, COMMON)
    expect(warning_of(page)).to_have_text(WORDS)
    assert not [text for text in bodies if COMMON in text]


def test_an_administrator_is_warned_before_the_account_is_created(page: Page, bodies: list[str]) -> None:
    page.goto("/users")
    page.get_by_role("button", name="New account").click()
    dialog = page.locator("#create")
    enter_password(dialog, "Password", page, COMMON)
    expect(warning_of(dialog)).to_have_text(WORDS)
    assert violations(page, MODAL) == {}
    # Closed and opened again, it begins empty.
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="New account").click()
    expect(dialog.locator("[data-password-warning]")).to_be_empty()
    assert not [text for text in bodies if COMMON in text]


def test_a_change_of_the_own_password_is_warned_of_before_it_is_sent(page: Page, bodies: list[str]) -> None:
    page.goto("/profile")
    enter_password(page, "New password", page, COMMON)
    expect(warning_of(page)).to_have_text(WORDS)
    enter_password(page, "New password", page, GOOD)
    expect(page.locator("[data-password-warning]")).to_be_empty()
    assert not [text for text in bodies if COMMON in text or GOOD in text]


def test_without_the_list_the_form_works_as_before(page: Page, watch: Watch) -> None:
    watch.allow_text("ERR_FAILED")
    page.route("**/common-passwords.txt", lambda route: route.abort())
    page.goto("/users")
    page.get_by_role("button", name="New account").click()
    dialog = page.locator("#create")
    dialog.get_by_label("User name").fill("nolist")
    enter_password(dialog, "Password", page, "xx-nolist-77")
    expect(warning_of(dialog)).to_have_text(re.compile("holds the user name"))
