"""The notices page in a real browser: addresses, events, quiet hours, and a test that arrives."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from collection.simulator.simulator import Simulator
from tests.accounts.notices.sending.receivers import Receiver, receiving
from tests.browser.held_requests import HeldRequests
from tests.browser.page_faults import overflow, violations
from tests.browser.running_instance import Instance, serve
from tests.browser.visits import Watch, make_administrator


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


def told(page: Page) -> list[str]:
    return page.locator(".told li").all_inner_texts()


@pytest.mark.landing
def test_a_private_address_is_refused_beside_its_form(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/notices")
    expect(page.get_by_text("No address yet")).to_be_visible()
    expect(page.get_by_text("Nothing yet.")).to_be_visible()
    page.get_by_label("Address", exact=True).fill("json://127.0.0.1/marker-path")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#address [data-form-error]")).to_contain_text("its host is not public")
    expect(page.get_by_label("Address", exact=True)).to_have_value("json://127.0.0.1/marker-path")
    assert violations(page) == {}


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


@pytest.fixture
def fresh_instance(upstream: Simulator, tmp_path: Path) -> Iterator[Instance]:
    """An instance whose receivers may be on this machine."""
    yield from serve(tmp_path / "home", upstream, ARCHIVE_NOTIFY_PRIVATE="1")


@pytest.mark.landing
def test_an_address_is_added_tested_and_removed(fresh_page: Page, fresh_instance: Instance, receiver: Receiver) -> None:
    page = fresh_page
    make_administrator(page, fresh_instance)
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
    expect(page.locator(".told li").first).to_contain_text("arrived at")
    assert "This is a test" in json.loads(receiver.bodies[0])["message"]
    for width in (320, 1440):
        assert overflow(page, width) == 0
    assert violations(page) == {}
    page.get_by_role("button", name="Remove address 1").click()
    expect(page.get_by_text("No address yet")).to_be_visible()
    assert len(told(page)) == 1
