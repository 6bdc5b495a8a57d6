"""The card of webhooks in a real browser: created, its secret shown once and copied, tested, deleted."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.accounts.delivery.sending.receivers import receiving
from tests.accounts.webhooks.hooks import is_signed
from tests.browser.page_faults import MODAL, NARROW, look, overflow, violations
from tests.browser.visits import Watch, send

pytestmark = pytest.mark.landing

CARD = "[aria-labelledby=webhooks-title]"


def test_a_webhook_is_created_tested_and_deleted(private_page: Page) -> None:
    page = private_page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/notices")
    card = page.locator(CARD)
    expect(card.get_by_text("You have no webhooks.")).to_be_visible()
    with receiving(204) as receiver:
        card.get_by_label("Address of the webhook").fill(receiver.url)
        page.keyboard.press("Enter")
        field = card.get_by_label("Secret of the new webhook")
        expect(field).to_be_focused()
        secret = field.input_value()
        assert re.fullmatch(r"whs_[0-9A-Za-z]{40}", secret)
        card.get_by_role("button", name="Copy").click()
        expect(card.get_by_text("Copied.")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == secret
        assert violations(page, CARD) == {}
        assert overflow(page, NARROW) <= 0
        card.get_by_role("button", name="Done").click()
        expect(card.get_by_label("Address of the webhook")).to_be_focused()
        assert not [text for text in (secret, "/hook") if text in page.content()]

        row = card.get_by_role("listitem")
        expect(row).to_contain_text(f"http://127.0.0.1:{receiver.port}/…")
        expect(row).to_contain_text("nothing was sent yet")
        row.get_by_role("button", name="Send a test to webhook 1").click()
        expect(row).to_contain_text("it was taken (status 204)", timeout=120_000)
        ((headers, body),) = zip(receiver.headers, receiver.bodies, strict=True)
        assert (is_signed(headers, body, secret), json.loads(body)["type"]) == (True, "test")

    row.get_by_role("button", name="Delete webhook 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(row).to_be_visible()
    row.get_by_role("button", name="Delete webhook 1").click()
    assert violations(page) == {}
    expect(page.get_by_role("dialog")).to_contain_text(f"Delete the webhook http://127.0.0.1:{receiver.port}/…?")
    page.get_by_role("dialog").get_by_role("button", name="Delete webhook").click()
    expect(card.get_by_text("The webhook is deleted.")).to_be_visible()
    expect(row).to_have_count(0)


@pytest.mark.thorough
def test_what_a_webhook_gets_is_chosen_and_changed(private_page: Page) -> None:
    page = private_page
    page.goto("/notices")
    card = page.locator(CARD)
    card.get_by_label("Address of the webhook").fill("http://127.0.0.1:9/hook")
    card.get_by_label("Collections:").first.uncheck()
    card.get_by_label("Notices:").first.check()
    card.get_by_role("button", name="Create webhook").click()
    row = card.get_by_role("listitem")
    expect(row).to_contain_text("gets notices")
    shown = page.locator("[data-addresses]")
    expect(shown).to_contain_text("Sent to your webhooks as well: http://127.0.0.1:9/…")
    change = row.get_by_role("button", name="Change what webhook 1 gets")
    change.focus()
    page.keyboard.press("Enter")
    dialog = page.locator(MODAL)
    expect(dialog.get_by_label("Collections:")).not_to_be_checked()
    expect(dialog.get_by_label("Notices:")).to_be_checked()
    assert violations(page, MODAL) == {}
    dialog.get_by_label("Collections:").check()
    dialog.get_by_label("Notices:").uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("gets collections")
    expect(shown).not_to_contain_text("webhooks")
    expect(change).to_be_focused()


def test_a_webhook_that_would_get_nothing_is_refused(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/notices")
    page.get_by_label("Address of the webhook").fill("https://1.1.1.1/hook")
    page.get_by_label("Collections:").first.uncheck()
    page.get_by_role("button", name="Create webhook").click()
    expect(page.locator("#webhook [data-form-error]")).to_contain_text("at least one")


@pytest.mark.thorough
def test_a_very_long_host_leaves_the_page_as_narrow(private_page: Page) -> None:
    page = private_page
    host = ".".join(["h" * 60] * 4)
    send(page, "/api/webhooks", address=f"https://{host}:8443/hook")
    page.goto("/notices")
    row = page.locator(CARD).get_by_role("listitem")
    expect(row).to_contain_text(f"https://{host}:8443/…")
    assert overflow(page, NARROW) <= 0
    row.get_by_role("button", name="Delete webhook 1").click()
    assert violations(page, MODAL) == {}
    look(page, "light", NARROW)
    for part in (row.get_by_role("strong"), page.locator(MODAL), page.locator(f"{MODAL} h2")):
        box = part.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW


def test_a_private_address_is_refused_beside_its_form(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/notices")
    page.get_by_label("Address of the webhook").fill("https://127.0.0.1/marker-path")
    page.get_by_role("button", name="Create webhook").click()
    expect(page.locator("#webhook [data-form-error]")).to_contain_text("its host is not public")
    expect(page.get_by_label("Address of the webhook")).to_have_value("https://127.0.0.1/marker-path")
    expect(page.locator("#new-webhook")).to_be_hidden()
