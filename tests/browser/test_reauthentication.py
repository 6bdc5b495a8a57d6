"""The dialog that asks for the password again, and weak passwords, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.browser.accounts import forget_passwords
from tests.browser.page_faults import MODAL, NARROW, violations
from tests.browser.running_instance import Instance, serve
from tests.browser.visits import Watch, make_administrator, send, watched
from tests.factories import PASSWORD

pytestmark = pytest.mark.landing

WRONG = "wrong Horse 7"
WEAK = "Password1"


@pytest.fixture(scope="module")
def asking(prepared: Path, upstream: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An instance that asks for the password again."""
    home = tmp_path_factory.mktemp("asking") / "home"
    for running in serve(home, prepared, upstream, ARCHIVE_REAUTHENTICATE_MINUTES="60"):
        running.wait_for_first_backup()
        yield running


@pytest.fixture(scope="module")
def visited(browser: Browser, asking: Instance) -> Iterator[tuple[Page, Watch]]:
    watch = Watch(asking.url)
    context = browser.new_context(base_url=asking.url)
    for page in watched(context, watch):
        make_administrator(page, asking)
        yield page, watch
    context.close()


@pytest.fixture
def stale(visited: tuple[Page, Watch], asking: Instance) -> Page:
    """The page of an administrator whose password was entered long ago."""
    page, watch = visited
    watch.allowed = {400, 403}
    forget_passwords(asking)
    return page


def dialog_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Enter your password")


def enter_password(page: Page, password: str = PASSWORD) -> None:
    field = dialog_of(page).get_by_label("Password")
    expect(field).to_be_focused()
    field.fill(password)
    field.press("Enter")


def create(page: Page, name: str, password: str = PASSWORD) -> Locator:
    page.goto("/users")
    page.get_by_role("button", name="New account").click()
    dialog = page.locator("#create")
    dialog.get_by_label("User name").fill(name)
    dialog.get_by_label("Password", exact=True).fill(password)
    dialog.get_by_label("Password again").fill(password)
    dialog.get_by_role("button", name="Create").click()
    return dialog


def test_the_dialog_asks_and_the_change_is_then_made(stale: Page) -> None:
    create(stale, "carol")
    enter_password(stale)
    expect(stale.locator("#said")).to_have_text("carol is created.")
    expect(dialog_of(stale)).to_have_count(0)


def test_a_wrong_password_is_said_and_may_be_tried_again(stale: Page) -> None:
    create(stale, "dora")
    enter_password(stale, WRONG)
    expect(dialog_of(stale).get_by_role("alert")).to_have_text("The password is wrong.")
    enter_password(stale)
    expect(stale.locator("#said")).to_have_text("dora is created.")


def test_who_cancels_is_back_in_the_form_with_what_was_typed(stale: Page) -> None:
    form = create(stale, "emil")
    expect(dialog_of(stale)).to_be_visible()
    stale.keyboard.press("Escape")
    expect(form.get_by_text("Enter your password again to do this.")).to_be_visible()
    expect(form.get_by_label("User name")).to_have_value("emil")
    form.get_by_role("button", name="Create").click()
    dialog_of(stale).get_by_role("button", name="Cancel").click()
    expect(dialog_of(stale)).to_have_count(0)


def test_the_dialog_is_accessible_and_fits_a_phone(stale: Page) -> None:
    create(stale, "fritz")
    enter_password(stale, WRONG)
    expect(dialog_of(stale).get_by_role("alert")).to_be_visible()
    looks: list[Any] = [("light", 1440, {}), ("dark", NARROW, {})]
    assert violations(stale, MODAL, looks) == {}


def test_settings_of_the_instance_ask(stale: Page) -> None:
    stale.goto("/config/instance")
    stale.locator("#timeout").fill("77")
    stale.locator("#timeout").press("Enter")
    enter_password(stale)
    expect(stale.get_by_text("Saved.")).to_be_visible()


def test_a_backup_is_created_and_deleted_after_the_password(stale: Page, asking: Instance) -> None:
    # While the first one is made, another is refused.
    asking.wait_for_first_backup()
    stale.goto("/backups")
    stale.get_by_role("button", name="Create backup").click()
    enter_password(stale)
    # The words above the list have this, too.
    expect(stale.locator("#said")).to_contain_text("is created")
    forget_passwords(asking)
    stale.get_by_role("button", name="Delete").first.click()
    stale.get_by_role("button", name="Delete backup").click()
    enter_password(stale)
    expect(stale.get_by_text("is deleted.")).to_be_visible()


def test_a_webhook_asks_and_says_so_in_chinese(stale: Page) -> None:
    send(stale, "/api/profile", language="zh-hans")
    stale.goto("/notices")
    stale.get_by_label("Webhook 的地址").fill("https://127.0.0.1/marker-path")
    stale.get_by_role("button", name="创建 Webhook").click()
    dialog = stale.get_by_role("dialog", name="输入密码")
    dialog.get_by_label("密码").fill(PASSWORD)
    dialog.get_by_label("密码").press("Enter")
    expect(stale.locator("#webhook [data-form-error]")).to_contain_text("公")
    send(stale, "/api/profile", language="")


@pytest.mark.thorough
def test_a_backup_is_downloaded_after_the_password(stale: Page, asking: Instance) -> None:
    asking.manage("backup", "create")
    stale.goto("/backups")
    link = stale.get_by_role("link", name="Download").first
    link.click()
    expect(dialog_of(stale)).to_be_visible()
    with stale.expect_download() as download:
        enter_password(stale)
    assert Path(download.value.path()).stat().st_size > 0
    with stale.expect_download():
        link.click()


@pytest.mark.thorough
def test_the_address_of_a_backup_leads_to_the_form(stale: Page, asking: Instance) -> None:
    asking.manage("backup", "create")
    stale.goto("/backups")
    address = stale.get_by_role("link", name="Download").first.get_attribute("href") or ""
    stale.goto(address)
    expect(stale.get_by_role("heading", name="Enter your password")).to_be_visible()
    assert violations(stale, looks=[("light", NARROW, {})]) == {}
    stale.get_by_label("Password").fill(PASSWORD)
    with stale.expect_download():
        stale.get_by_role("button", name="Continue").click()


def test_a_weak_password_is_warned_of_after_it_is_saved(stale: Page) -> None:
    create(stale, "gerda", WEAK)
    enter_password(stale)
    expect(stale.locator("#said")).to_contain_text("gerda is created. This password is on a list of common ones")


def test_the_profile_warns_beside_the_form(stale: Page) -> None:
    stale.goto("/profile")
    for name, text in (("old", PASSWORD), ("new", WEAK), ("new2", WEAK)):
        stale.locator(f"#{name}").fill(text)
    stale.get_by_role("button", name="Change password").click()
    enter_password(stale)
    expect(stale.locator("#password").get_by_role("alert").filter(has_text="list of common")).to_be_visible()
    send(stale, "/api/password", old=WEAK, new=PASSWORD, new2=PASSWORD)
