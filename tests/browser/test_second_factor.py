"""The second factor in a real browser: codes, passkeys of a virtual device, and recovery codes."""

import time
from collections.abc import Iterator
from pathlib import Path

import pyotp
import pytest
from playwright.sync_api import Browser, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.path_proxy import proxy
from tests.browser.accounts import enter, forget_passwords
from tests.browser.page_faults import overflow, violations
from tests.browser.running_instance import Instance, serve_by_name
from tests.browser.settled import arrived
from tests.browser.visits import Watch, administered, send, sign_in_unseen, watched
from tests.factories import PASSWORD

DEVICE = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def named(
    browser: Browser, prepared: Path, upstream: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Instance]:
    """An instance with an administrator, at a name."""
    with proxy() as before:
        home = tmp_path_factory.mktemp("named") / "home"
        yield from administered(browser, serve_by_name(before, home, prepared, upstream))


@pytest.fixture
def profile(browser: Browser, named: Instance, owner: str) -> Iterator[Page]:
    """The profile of an administrator who has just signed in."""
    named.forget_counts()
    context = browser.new_context(base_url=named.url, locale="en-US")
    enter(context, named, owner)
    for page in watched(context, Watch(named.url, {400, 403})):
        page.goto("/profile")
        yield page
    context.close()


def sign_out(page: Page) -> None:
    page.goto("/profile")
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    arrived(page, "/login")


def give_password(page: Page, name: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    arrived(page, "/second-factor")


def test_codes_are_set_up_and_asked_for(profile: Page, owner: str) -> None:
    page, factor = profile, profile.locator("#factor")
    factor.get_by_role("button", name="Set up").click()
    expect(factor.get_by_alt_text("QR code of the secret")).to_be_visible()
    secret = factor.locator("[data-secret]").inner_text().replace(" ", "")
    assert violations(page) == {}
    factor.get_by_label("Code", exact=True).fill("000000")
    page.keyboard.press("Enter")
    expect(factor.get_by_text("The code is wrong.")).to_be_visible()
    factor.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(int(time.time()) - 30))
    page.keyboard.press("Enter")
    expect(factor.get_by_text("These recovery codes are shown only now.")).to_be_visible()
    recovery = factor.locator("[data-codes]").inner_text().split()
    assert len(recovery) == 10
    assert secret not in page.content()
    expect(factor.get_by_text("10 left")).to_be_visible()
    factor.get_by_role("button", name="Done").click()
    assert not any(one in page.content() for one in recovery)

    sign_out(page)
    give_password(page, owner)
    assert [width for width in (320, 1280) if overflow(page, width) > 0] == []
    assert violations(page) == {}
    page.get_by_label("Code", exact=True).fill("000000")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The code is wrong or was used before.")).to_be_visible()
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).now())
    page.keyboard.press("Enter")
    arrived(page, "/")

    sign_out(page)
    give_password(page, owner)
    page.get_by_label("Code", exact=True).fill(recovery[0])
    page.keyboard.press("Enter")
    arrived(page, "/")
    page.goto("/profile")
    expect(page.locator("#factor").get_by_text("9 left")).to_be_visible()


@pytest.mark.landing
def test_a_passkey_is_used_after_the_password_and_alone(profile: Page, owner: str) -> None:
    page, factor = profile, profile.locator("#factor")
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    factor.get_by_label("Name of the new passkey").fill("Laptop")
    page.keyboard.press("Enter")
    expect(factor.get_by_text("The passkey “Laptop” is stored.").first).to_be_visible()
    expect(factor.get_by_text("never used")).to_be_visible()

    sign_out(page)
    give_password(page, owner)
    page.get_by_role("button", name="Use a passkey").click()
    arrived(page, "/")

    page.goto("/profile")
    factor.get_by_label("A passkey signs in without the password").click()
    expect(factor.get_by_text("A passkey signs in alone.")).to_be_visible()
    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    arrived(page, "/")

    page.goto("/profile")
    factor.get_by_role("button", name="Remove the passkey Laptop").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(factor.get_by_text("The passkey “Laptop” is removed.")).to_be_visible()
    expect(factor.locator("[data-renew]")).to_have_count(0)


@pytest.mark.landing
def test_an_administrator_removes_what_an_owner_has_lost(profile: Page, owner: str) -> None:
    page = profile
    added = send(page, "/api/users", username="noah", password=PASSWORD, password2=PASSWORD)
    context = page.context.browser.new_context(base_url=page.url.removesuffix("/profile"))  # type: ignore[union-attr]
    sign_in_unseen(context, "noah")
    theirs = context.new_page()
    secret = send(theirs, "/api/second-factor/codes")["secret"]
    send(theirs, "/api/second-factor/codes/confirm", code=pyotp.TOTP(secret).at(int(time.time()) - 30))

    page.goto("/users")
    row = page.locator(f'tr[data-id="{added["id"]}"]')
    expect(row.get_by_text("with a second factor")).to_be_visible()
    row.get_by_role("button", name="Edit noah").click()
    page.get_by_role("switch", name="Remove the second factor").check()
    assert violations(page) == {}
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("noah signs in with the password alone.")).to_be_visible()
    expect(row.get_by_text("with a second factor")).to_have_count(0)
    sign_in_unseen(context, "noah")
    context.close()

    # One's own is changed on the profile.
    page.get_by_role("button", name=f"Edit {owner}").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("switch", name="Remove the second factor")).to_be_hidden()


@pytest.mark.landing
def test_a_passkey_answers_where_it_is_asked_for_again(profile: Page, named: Instance) -> None:
    page, factor = profile, profile.locator("#factor")
    client = page.context.new_cdp_session(page)
    client.send("WebAuthn.enable")
    client.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    factor.get_by_label("Name of the new passkey").fill("This device")
    factor.get_by_role("button", name="Add passkey").click()
    expect(factor.get_by_text("The passkey “This device” is stored.")).to_be_visible()
    # Neither was given lately, so a token needs both.
    forget_passwords(named)
    page.get_by_label("Name of the program").fill("laptop")
    page.get_by_role("button", name="Create token").click()
    asking = page.get_by_role("dialog")
    asking.get_by_label("Password", exact=True).fill(PASSWORD)
    assert violations(page) == {}
    asking.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("The token is created.")).to_be_visible()


@pytest.mark.landing
def test_an_owner_deletes_the_account(profile: Page, owner: str) -> None:
    page = profile
    page.get_by_role("button", name="Delete my account").click()
    leaving = page.get_by_role("dialog")
    leaving.get_by_label("Type your user name to confirm").fill(owner)
    leaving.get_by_label("Password", exact=True).fill("wrong")
    leaving.get_by_role("button", name="Delete my account").click()
    expect(leaving.get_by_text("The password is wrong.")).to_be_visible()
    assert violations(page) == {}
    assert [width for width in (320, 1280) if overflow(page, width) > 0] == []
    leaving.get_by_label("Password", exact=True).fill(PASSWORD)
    leaving.get_by_role("button", name="Delete my account").click()
    arrived(page, "/login")
