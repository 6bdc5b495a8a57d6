"""The notices page in a real browser: addresses, events, quiet hours, and a test that arrives."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from accounts.notices.service_forms import FORMS
from tests.accounts.delivery.sending.receivers import Receiver, receiving
from tests.browser.held_requests import HeldRequests
from tests.browser.page_faults import overflow, violations
from tests.browser.visits import Watch


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


def sent(page: Page) -> list[str]:
    return page.locator(".ruled li").all_inner_texts()


@pytest.mark.landing
def test_a_private_address_is_refused_beside_its_form(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/notices")
    expect(page.get_by_text("No address yet")).to_be_visible()
    expect(page.get_by_text("No notices yet.")).to_be_visible()
    page.get_by_label("Address", exact=True).fill("json://127.0.0.1/marker-path")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#address [data-form-error]")).to_contain_text("its host is not public")
    expect(page.get_by_label("Address", exact=True)).to_have_value("json://127.0.0.1/marker-path")
    assert violations(page) == {}


@pytest.mark.landing
def test_events_and_quiet_hours_are_kept(page: Page) -> None:
    page.goto("/notices")
    page.get_by_label("Far more than usual is spent").uncheck()
    page.locator("#events").get_by_role("button", name="Save").click()
    expect(page.locator("#events [data-form-done]")).to_have_text("The notices are saved.")
    page.get_by_label("From").fill("22:00")
    page.get_by_label("To", exact=True).fill("07:00")
    page.locator("#quiet").get_by_role("button", name="Save").click()
    expect(page.locator("#quiet [data-form-done]")).to_have_text("The notices are saved.")
    page.reload()
    expect(page.get_by_label("Far more than usual is spent")).not_to_be_checked()
    expect(page.get_by_label("The cookie ends soon")).to_be_checked()
    expect(page.get_by_label("From")).to_have_value("22:00")
    page.get_by_label("From").fill("")
    page.get_by_label("To", exact=True).fill("")
    page.locator("#quiet").get_by_role("button", name="Save").click()
    expect(page.locator("#quiet [data-form-done]")).to_have_text("The notices are saved.")


@pytest.mark.landing
def test_a_form_waits_for_its_script(page: Page) -> None:
    held = HeldRequests(page, re.compile(r"/js/pages/notices\b.*\.js"))
    page.goto("/notices", wait_until="commit")
    expect(page.locator("#address")).to_have_attribute("inert", "")
    held.take().continue_()
    expect(page.locator("#address")).not_to_have_attribute("inert", "")


@pytest.mark.landing
def test_half_of_the_quiet_hours_is_refused(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/notices")
    page.get_by_label("From").fill("22:00")
    page.locator("#quiet").get_by_role("button", name="Save").click()
    expect(page.locator("#quiet [data-form-error]")).to_contain_text("need both")


@pytest.mark.landing
def test_an_address_is_added_tested_and_removed(private_page: Page, receiver: Receiver) -> None:
    page = private_page
    page.goto("/")
    page.locator(".menu summary").click()
    page.get_by_role("link", name="Notices").click()
    page.get_by_label("Address", exact=True).fill(receiver.address)
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".receivers li")).to_contain_text(f"json://127.0.0.1:{receiver.port}/…")
    expect(page.get_by_label("Address", exact=True)).to_have_value("")
    assert "/hook" not in page.content()
    page.get_by_role("button", name="Test address 1").click()
    expect(page.locator("#address [data-form-done]")).to_have_text(
        "How the test went is listed below.", timeout=120_000
    )
    expect(page.locator(".ruled li").first).to_contain_text("arrived at")
    assert "This is a test" in json.loads(receiver.bodies[0])["message"]
    for width in (320, 1440):
        assert overflow(page, width) == 0
    assert violations(page) == {}
    page.get_by_role("button", name="Remove address 1").click()
    expect(page.get_by_text("No address yet")).to_be_visible()
    assert len(sent(page)) == 1


@pytest.mark.landing
def test_a_service_is_chosen_and_its_address_named_with_the_keyboard(private_page: Page, receiver: Receiver) -> None:
    page = private_page
    page.goto("/notices")
    page.get_by_label("Service").focus()
    page.keyboard.type("nt")
    expect(page.get_by_role("textbox", name="Topic")).to_be_visible()
    expect(page.get_by_label("Address", exact=True)).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Server")).to_be_focused()
    page.keyboard.type(f"http://127.0.0.1:{receiver.port}")
    page.keyboard.press("Tab")
    page.keyboard.type("marker-topic")
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_label("Name of your choice (optional)")).to_be_focused()
    page.keyboard.type("My phone")
    page.keyboard.press("Enter")
    expect(page.locator(".receivers li")).to_contain_text("My phone")
    expect(page.locator(".receivers li .under")).to_have_text(f"ntfy · http://127.0.0.1:{receiver.port}/…")
    expect(page.get_by_label("Address", exact=True)).to_be_visible()
    assert "marker-topic" not in page.content()
    page.get_by_role("button", name="Rename address 1").press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Name", exact=True)).to_have_value("My phone")
    page.get_by_role("dialog").get_by_label("Name", exact=True).fill("")
    page.keyboard.press("Enter")
    expect(page.locator(".receivers strong")).to_have_text(f"http://127.0.0.1:{receiver.port}/…")
    expect(page.get_by_role("button", name="Rename address 1")).to_be_focused()
    assert violations(page) == {}


@pytest.mark.landing
def test_a_missing_part_is_named_beside_the_form(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/notices")
    page.get_by_label("Service").select_option(label="DingTalk")
    page.get_by_role("textbox", name="Webhook address").fill("https://oapi.dingtalk.com/robot/send")
    page.locator("#address").get_by_role("button", name="Add").click()
    expect(page.locator("#address [data-form-error]")).to_contain_text("access_token")
    expect(page.get_by_role("textbox", name="Webhook address")).to_have_value("https://oapi.dingtalk.com/robot/send")


@pytest.mark.thorough
@pytest.mark.parametrize("service", [form.name for form in FORMS.values()])
def test_the_fields_of_each_service_fit_a_narrow_page(service: str, page: Page) -> None:
    page.goto("/notices")
    page.get_by_label("Service").select_option(service)
    expect(page.locator(f"fieldset[data-service={service}]")).to_be_visible()
    expect(page.locator("#address fieldset:visible")).to_have_count(1)
    assert overflow(page, 320) == 0
    assert violations(page) == {}
