"""Retention on the settings page, and the line of lists that calls were erased, in a browser."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accounts import enter
from tests.browser.page_faults import faults, overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.settled import answered
from tests.browser.visits import Watch
from tests.browser.waiting import until

pytestmark = pytest.mark.landing

# One call on each of the last 30 days.
CALLS = """
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call
forgetful, today = make_user("forgetful"), clock.today()
archive(forgetful, *[
    call(f"c{n}", ts=f"{today - timedelta(days=n)} 12:00:00", prompt=f"prompt {n}", credits=1) for n in range(1, 31)
])
print(today)
"""
LEFT = """
    SELECT COUNT(*), COUNT(p.record_id) FROM usage_record r JOIN accounts_user u ON u.id = r.user_id
    LEFT JOIN usage_prompt p ON p.record_id = r.id WHERE u.username = 'forgetful'"""


@pytest.fixture(scope="module")
def today(instance: Instance) -> date:
    return date.fromisoformat(instance.manage("shell", "-c", CALLS).strip().splitlines()[-1])


@pytest.fixture
def own(page: Page, instance: Instance, today: date) -> Page:
    enter(page.context, instance, "forgetful")
    return page


def test_a_choice_says_what_it_erases_and_lists_say_what_was(
    own: Page, instance: Instance, today: date, watch: Watch
) -> None:
    page, first = own, today - timedelta(days=10)
    page.goto("/config")
    card = page.locator("#retention")
    calls, prompts = (card.get_by_label(re.compile(f"whose {what} are kept")) for what in ("calls", "prompts"))
    said = card.locator("[data-preview]")
    calls.fill("0")
    watch.expect(400)
    calls.blur()
    expect(said).to_contain_text("a whole number of days from 1 to 36,500")
    calls.fill("10")
    calls.blur()
    words = f"20 calls from before {first} would be erased. 20 prompts would be erased."
    expect(said).to_have_text(words)
    prompts.fill("5")
    card.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog", name="Erase what is older?")
    expect(dialog).to_contain_text(words.replace("20 prompts", "25 prompts"))
    expect(dialog).to_contain_text("Earlier backups keep it")
    assert violations(page) == {}
    dialog.get_by_role("button", name="Cancel").click()
    assert page.request.get("/api/retention").json()["calls_days"] is None
    card.get_by_role("button", name="Save").click()
    dialog.get_by_role("button", name="Erase").click()
    expect(card.get_by_text("Saved. What is older is being erased; its sums stay.")).to_be_visible()
    assert page.request.get("/api/retention").json()["calls_days"] == 10
    until(page, lambda: instance.sql(LEFT) == [(10, 5)], "the workers do not erase what is older")
    page.reload()
    expect(calls).to_have_value("10")
    expect(prompts).to_have_value("5")
    expect(card.get_by_text(f"Calls before {first} were erased.")).to_be_visible()
    assert [width for width in (320, 1280) if overflow(page, width) > 0] == []
    # Where nothing more goes, nothing is asked.
    card.get_by_role("button", name="Save").click()
    expect(said).to_have_text("Nothing would be erased now.")
    expect(card.get_by_text("Saved.")).to_be_visible()

    line = page.get_by_text(f"Calls before {first} were erased; their sums stay.")
    page.goto("/records")
    answered(page)
    expect(page.locator("#records .record-said")).to_contain_text("10")
    expect(line).to_be_visible()
    assert faults(page) == {}
    page.goto(f"/records?from={first}")
    answered(page)
    expect(page.locator("#records tbody tr").first).to_be_visible()
    expect(line).to_be_hidden()
    page.goto("/?period=all")
    answered(page)
    expect(line).to_be_visible()
    page.goto("/repeated?period=all")
    answered(page)
    expect(line).to_be_visible()
