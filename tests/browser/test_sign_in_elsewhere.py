"""Signing in at a real provider, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.accounts.openid.provider_process import SECRET, provider_for
from tests.archive_site.path_proxy import proxy
from tests.browser.accounts import enter
from tests.browser.page_faults import overflow, violations
from tests.browser.running_instance import Instance, serve_by_name
from tests.browser.settled import arrived
from tests.browser.visits import administered

pytestmark = pytest.mark.landing


@pytest.fixture(scope="module")
def named(
    browser: Browser, prepared: Path, upstream: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Instance]:
    """An instance with an administrator and a provider of sign-ins."""
    with proxy() as before, provider_for(before.origin) as issuer:
        variables = {
            "ARCHIVE_OIDC_ISSUER": issuer, "ARCHIVE_OIDC_CLIENT_ID": "archive", "ARCHIVE_OIDC_CLIENT_SECRET": SECRET,
            "ARCHIVE_OIDC_NAME": "Example ID",
        }  # fmt: skip
        home = tmp_path_factory.mktemp("named") / "home"
        yield from administered(browser, serve_by_name(before, home, prepared, upstream, **variables))


@pytest.fixture
def profile(browser: Browser, named: Instance, owner: str) -> Iterator[Page]:
    """The profile of an administrator who has just signed in with the password."""
    context = browser.new_context(base_url=named.url, locale="en-US")
    enter(context, named, owner)
    page = context.new_page()
    page.goto("/profile")
    yield page
    context.close()


def sign_in_there(page: Page, name: str) -> None:
    """What a person does at the provider, which asks who they are and whether the instance may know it."""
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill("any")
    page.locator("[type=submit]").click()
    page.locator("[type=submit]").click()


def test_an_account_is_linked_signed_in_and_signed_out_elsewhere(profile: Page, owner: str) -> None:
    page, card = profile, profile.locator("#elsewhere")
    expect(card.get_by_text("You can sign in with Example ID as well")).to_be_visible()
    assert [width for width in (320, 1280) if overflow(page, width) > 0] == []
    assert violations(page) == {}
    card.get_by_role("button", name="Link with Example ID").click()
    sign_in_there(page, f"{owner}-there")
    arrived(page, "/profile#elsewhere")
    expect(card.get_by_text(f"{owner}-there at Example ID signs in to your account.")).to_be_visible()
    assert violations(page) == {}

    # Nothing ends there: the session was begun with the password.
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    arrived(page, "/login")
    assert [width for width in (320, 1280) if overflow(page, width) > 0] == []
    assert violations(page) == {}
    page.get_by_role("link", name="Sign in with Example ID").click()
    arrived(page, "/")

    # The page may lead to the provider, which asks whether its own session ends, too.
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.locator("[name=logout]").click()
    arrived(page, "/login")


def test_the_owner_and_an_administrator_change_it(profile: Page, owner: str) -> None:
    page, card = profile, profile.locator("#elsewhere")
    card.get_by_role("button", name="Link with Example ID").click()
    sign_in_there(page, f"{owner}-there")
    arrived(page, "/profile#elsewhere")
    card.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(card.get_by_text("Your account no longer signs in elsewhere.")).to_be_visible()
    expect(card.get_by_role("button", name="Link with Example ID")).to_be_visible()

    page.goto("/users")
    page.get_by_role("button", name="New account").click()
    creating = page.get_by_role("dialog")
    creating.get_by_label("User name").fill("noah")
    creating.get_by_label("Password", exact=True).fill("Correct-horse-9")
    creating.get_by_label("Password again").fill("Correct-horse-9")
    creating.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("button", name="Edit noah").click()
    editing = page.get_by_role("dialog")
    editing.get_by_label("Subject at Example ID (optional)").fill("noah-there")
    assert violations(page) == {}
    editing.get_by_role("button", name="Save").click()
    expect(page.get_by_text("noah signs in elsewhere, too.")).to_be_visible()
    expect(page.locator('tr[data-subject="noah-there"]')).to_be_visible()
    page.get_by_role("button", name="Edit noah").click()
    expect(editing.get_by_label("Subject at Example ID (optional)")).to_have_value("noah-there")
