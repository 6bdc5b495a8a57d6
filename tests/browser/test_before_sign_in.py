"""Pages before the sign-in: language and theme, showing a password, a forgotten one."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accounts import ADMIN, enter, make_account
from tests.browser.page_faults import faults, overflow
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, send, watched
from tests.factories import PASSWORD


@pytest.fixture
def stranger(browser: Browser, watch: Watch) -> Iterator[Page]:
    """A page in an English browser where nobody is signed in."""
    context = browser.new_context(base_url=watch.origin, locale="en-US")
    yield from watched(context, watch)
    context.close()


def theme_of(page: Page) -> object:
    return page.evaluate("document.documentElement.dataset.bsTheme")


@pytest.mark.landing
def test_the_language_is_chosen_by_keyboard_and_holds_after_the_sign_in(stranger: Page, instance: Instance) -> None:
    make_account(instance, "reads-chinese")
    stranger.goto("/login?next=/profile")
    stranger.get_by_role("button", name="简体中文").press("Enter")
    expect(stranger.get_by_role("heading", name="登录")).to_be_visible()
    expect(stranger.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(stranger.locator("input[name=next]")).to_have_value("/profile")
    stranger.locator("[name=username]").fill("reads-chinese")
    stranger.locator("[name=password]").fill(PASSWORD)
    stranger.keyboard.press("Enter")
    arrived(stranger, "/profile")
    expect(stranger.locator("html")).to_have_attribute("lang", "zh-hans")


@pytest.mark.landing
def test_the_choice_of_the_account_counts_more_and_ends_that_of_the_browser(stranger: Page, instance: Instance) -> None:
    make_account(instance, "likes-light")
    enter(stranger.context, instance, "likes-light")
    stranger.context.add_cookies([{"name": "archive_theme", "value": "dark", "url": instance.url}])
    stranger.emulate_media(color_scheme="light")
    stranger.goto("/profile")
    assert theme_of(stranger) == "dark"
    for chosen in ("light", "auto"):
        stranger.locator("#theme").select_option(chosen)
        stranger.locator("#looks").get_by_role("button", name="Save").click()
        expect(stranger.locator("html")).to_have_attribute("data-theme", chosen)
        assert theme_of(stranger) == "light"
    assert not [cookie for cookie in stranger.context.cookies() if cookie["name"] == "archive_theme"]


@pytest.mark.landing
def test_the_theme_changes_at_once_and_holds(stranger: Page) -> None:
    stranger.emulate_media(color_scheme="light")
    stranger.goto("/login")
    stranger.get_by_label("User name").fill("half typed")
    stranger.get_by_label("Theme").select_option("dark")
    assert theme_of(stranger) == "dark"
    expect(stranger.get_by_label("User name")).to_have_value("half typed")
    stranger.reload()
    assert theme_of(stranger) == "dark"
    expect(stranger.get_by_label("Theme")).to_have_value("dark")
    stranger.get_by_label("Theme").select_option("auto")
    assert theme_of(stranger) == "light"


@pytest.mark.landing
def test_a_wrong_value_in_the_cookies_is_as_none(stranger: Page, watch: Watch) -> None:
    stranger.emulate_media(color_scheme="light")
    names = {"archive_language": "xx-<b>", "archive_theme": "pink"}
    stranger.context.add_cookies([{"name": name, "value": value, "url": watch.origin} for name, value in names.items()])
    stranger.goto("/login")
    expect(stranger.get_by_role("heading", name="Sign in")).to_be_visible()
    assert theme_of(stranger) == "light"


@pytest.mark.landing
def test_after_a_failed_try_the_language_changes_without_sending_the_form_again(stranger: Page, watch: Watch) -> None:
    watch.expect(400)
    stranger.goto("/login?next=/runs")
    stranger.get_by_label("User name").fill("nobody-at-all")
    stranger.get_by_label("Password").fill("wrong Horse 7")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_text("User name or password is wrong.")).to_be_visible()
    sent: list[str] = []
    stranger.on("request", lambda request: sent.append(request.method))
    stranger.get_by_role("button", name="简体中文").click()
    expect(stranger.locator("html")).to_have_attribute("lang", "zh-hans")
    assert "POST" not in sent
    expect(stranger.locator("input[name=next]")).to_have_value("/runs")


@pytest.mark.landing
def test_a_password_is_shown_and_hidden_by_keyboard(stranger: Page) -> None:
    stranger.goto("/login")
    field = stranger.get_by_label("Password")
    field.fill("half typed 1")
    field.press("Tab")
    expect(stranger.get_by_role("button", name="Show the password")).to_be_focused()
    stranger.keyboard.press("Enter")
    expect(field).to_have_attribute("type", "text")
    expect(field).to_have_value("half typed 1")
    stranger.get_by_role("button", name="Hide the password").press("Space")
    expect(field).to_have_attribute("type", "password")


@pytest.mark.landing
def test_a_shown_password_is_hidden_before_it_is_sent(stranger: Page) -> None:
    stranger.goto("/login")
    stranger.get_by_role("button", name="Show the password").click()
    expect(stranger.get_by_label("Password")).to_have_attribute("type", "text")
    # The form is held back, so that its state at that moment can be seen.
    stranger.evaluate("document.forms[0].addEventListener('submit', (event) => event.preventDefault())")
    stranger.get_by_label("User name").press("Enter")
    expect(stranger.get_by_label("Password")).to_have_attribute("type", "password")


@pytest.mark.landing
def test_each_password_field_in_a_dialog_has_its_own_button_and_is_hidden_when_opened_again(page: Page) -> None:
    page.goto("/users")
    page.get_by_role("button", name="New account").click()
    first, second = page.locator("#create-password"), page.locator("#create-password2")
    page.locator("#create").get_by_role("button", name="Show the password").nth(1).click()
    expect(first).to_have_attribute("type", "password")
    expect(second).to_have_attribute("type", "text")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New account").click()
    expect(second).to_have_attribute("type", "password")


@pytest.mark.landing
def test_who_forgot_a_password_reads_what_to_do(stranger: Page) -> None:
    stranger.goto("/login")
    stranger.get_by_text("Forgot your password?").press("Enter")
    expect(stranger.get_by_text("Ask an administrator of this instance")).to_be_visible()
    expect(stranger.get_by_text("manage.py set_password NAME")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["/login", "/register"])
def test_the_pages_have_no_faults(path: str, page: Page, stranger: Page) -> None:
    send(page, "/api/settings", allow_register=True)
    try:
        stranger.goto(path)
        assert faults(stranger) == {}
        assert overflow(stranger, 320) <= 0
    finally:
        send(page, "/api/settings", allow_register=False)


@pytest.mark.landing
def test_without_scripts_the_sign_in_works_and_shows_no_dead_controls(browser: Browser, instance: Instance) -> None:
    context = browser.new_context(base_url=instance.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/login")
    expect(page.get_by_label("Theme")).to_be_hidden()
    expect(page.get_by_role("button", name="Show")).to_be_hidden()
    page.get_by_label("User name").fill(ADMIN)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    arrived(page, instance.url + "/")
    context.close()
