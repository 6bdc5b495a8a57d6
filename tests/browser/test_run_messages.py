"""What runs say in a real browser: failures with advice, and the banner of every page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from archive_site.lib.storage import engine
from archive_site.lib.stored_message import Message
from tests.browser.collecting import collect, make_runs, note_heartbeat, rows_of
from tests.browser.running_instance import Instance
from tests.browser.settled import answered
from tests.browser.visits import send
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing

EVERYWHERE = ("/", "/runs", "/config", "/profile", "/users")
ENGLISH = re.compile("[a-z]{2,} [a-z]{2,}")


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("exit_code", "message", "said", "href"),
    [
        (4, Message("cookie_refused"), "Paste a new cookie", "/config"),
        (5, Message("user_agent_refused"), "Check the User-Agent", "/config#user_agent"),
        (5, Message("cookie_too_large"), "Paste a shorter cookie", "/config"),
        (5, Message("address_unknown", status=404), "An administrator can change this", None),
        (5, Message("no_answer", why="HTTP 503"), "requests what is missing again", None),
        (7, Message("account_full", used="1.0", most="1.0"), "An administrator can change this", None),
        (1, Message("internal_error", event="01234567"), "give the event id to an administrator", None),
    ],
)
def test_each_failure_says_what_to_do(
    exit_code: int, message: Message, said: str, href: str | None, page: Page, user_id: int, instance: Instance
) -> None:
    make_runs(instance, user_id, ("manual", "failed", exit_code))
    instance.sql("UPDATE collection_run SET message = ? WHERE user_id = ?", message.stored(), user_id)
    page.goto("/runs")
    rows_of(page).get_by_role("link").click()
    expect(page.locator("[data-message]")).to_have_text(str(message))
    advice = page.locator("#one-run [data-advice]")
    expect(advice).to_contain_text(said)
    assert [link.get_attribute("href") for link in advice.get_by_role("link").all()] == ([href] if href else [])


def test_what_a_run_says_is_said_in_the_readers_language(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, ("schedule", "failed", 5))
    window = Message("window", first="2026-09-01 00:00:00", last="2026-09-07 23:59:59")
    silence = Message("answer_too_slow", seconds="30")
    counts = [Message("records_new", count=1200), Message("records_known", count=31)]
    rest = Message("collected", counts=counts)
    why = Message("no_answer_in_tries", tries=5, why=silence)
    message = Message("leftover_unreadable", window=window, why=why, rest=rest)
    notes = [Message("window_left", window=window), Message("window_again", window=window, why=silence), message]
    log = "".join(f"{note.stored(at='2026-09-08 12:00:00')}\n" for note in notes)
    instance.sql("UPDATE collection_run SET message = ?, detail = ? WHERE user_id = ?", message.stored(), log, user_id)
    send(page, "/api/settings", cookie="session=1|2|3")
    page.goto("/runs")
    expect(page.locator("#banner")).to_contain_text(str(message))
    send(page, "/api/profile", language="zh-hans")
    page.reload()
    expect(page.locator("#banner")).to_contain_text("2026-09-01 00:00:00 至 2026-09-07 23:59:59")
    expect(page.locator("#last-run")).to_have_attribute("title", re.compile("在 5 次尝试中.*30 秒内.*新增 1,200 条"))
    expect(rows_of(page).locator(".outcome")).to_have_attribute("title", re.compile("在 5 次尝试中"))
    rows_of(page).get_by_role("link").click()
    expect(page.locator("[data-message]")).to_contain_text("在 5 次尝试中")
    lines = page.locator("#log").inner_text().splitlines()
    assert [line for line in lines if ENGLISH.search(line) or not line.startswith("2026-09-08 12:00:00 ")] == []
    assert len(lines) == len(notes)
    # The banner does not repeat the page.
    expect(page.locator("#last-run")).to_be_visible()
    expect(page.locator("#banner")).to_be_hidden()


def test_a_missing_cookie_is_shown_on_every_page_but_beside_the_first_steps(page: Page, user_id: int) -> None:
    banner = page.locator("#banner")
    for path in EVERYWHERE[1:]:
        page.goto(path)
        expect(banner).to_contain_text("No cookie is set")
    page.goto("/")
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    answered(page)
    expect(banner).to_be_hidden()


def test_a_broken_cookie_is_shown_on_every_page(page: Page, user_id: int, instance: Instance) -> None:
    send(page, "/api/settings", cookie="session=1|2|3")
    instance.sql("UPDATE accounts_setting SET value = 'x' WHERE key = 'cookie' AND user_id = ?", user_id)
    for path in EVERYWHERE:
        page.goto(path)
        expect(page.locator("#banner")).to_contain_text("cannot be read, so nothing is collected")


def test_an_expired_cookie_is_shown_on_every_page_until_it_is_replaced(
    page: Page, user_id: int, instance: Instance, gated: GatedSimulator
) -> None:
    send(page, "/api/settings", cookie="session=nobody|1|2")
    collect(page)
    banner = page.locator("#banner")
    close = page.locator("#run").get_by_role("button", name="Close")
    expect(close).to_be_visible()
    expect(page.locator("#last-run")).to_contain_text("Collection failed")
    # The panel already has the message.
    expect(banner).to_be_hidden()
    close.click()
    expect(banner).to_contain_text("your cookie has expired")
    # A run that did not get as far as to try it says nothing about it.
    make_runs(instance, user_id, ("schedule", "interrupted", 6))
    for path in EVERYWHERE:
        page.goto(path)
        expect(banner).to_contain_text("Your cookie has expired")
    expect(banner.get_by_role("link", name="Open settings")).to_have_attribute("href", "/config")
    page.goto("/config")
    page.locator("#cookie").fill(gated.cookie())
    page.get_by_role("button", name="Save cookie").click()
    expect(banner).to_be_hidden()
    page.reload()
    answered(page)
    expect(banner).to_be_hidden()


# The statements that keep heartbeats from being stored, and those that end it, by engine.
SILENCE = {
    "sqlite": (
        [
            f"CREATE TRIGGER silence_{change} AFTER {change} ON collection_heartbeat"
            " BEGIN DELETE FROM collection_heartbeat; END"
            for change in ("INSERT", "UPDATE")
        ],
        ["DROP TRIGGER silence_INSERT", "DROP TRIGGER silence_UPDATE"],
    ),
    "postgresql": (
        [
            "CREATE FUNCTION silence() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "CREATE TRIGGER silence BEFORE INSERT OR UPDATE ON collection_heartbeat"
            " FOR EACH ROW EXECUTE FUNCTION silence()",
        ],
        ["DROP TRIGGER silence ON collection_heartbeat", "DROP FUNCTION silence"],
    ),
}


@contextmanager
def silent_workers(instance: Instance) -> Iterator[None]:
    """No heartbeat of the workers is stored meanwhile."""
    silence, end = SILENCE["sqlite" if engine.IS_SQLITE else "postgresql"]
    for statement in silence:
        instance.sql(statement)
    instance.sql("DELETE FROM collection_heartbeat")
    try:
        yield
    finally:
        for statement in end:
            instance.sql(statement)


@pytest.mark.own_context
def test_a_scheduler_that_stays_silent_is_reported_to_administrators(
    page: Page, user_id: int, gated: GatedSimulator, instance: Instance
) -> None:
    page.clock.install()
    with silent_workers(instance):
        page.goto("/runs")
        answered(page)
        expect(page.locator("#banner")).to_be_hidden()
        page.clock.fast_forward(46_000)
        expect(page.locator("#banner")).to_contain_text("The scheduler is not running")
        # From page to page it is not waited for again.
        page.goto("/profile")
        expect(page.locator("#banner")).to_contain_text("The scheduler is not running")
        send(page, f"/api/users/{user_id}", display_name="x")
    note_heartbeat(instance)
    answered(page)
    page.clock.fast_forward(16_000)
    expect(page.locator("#banner")).to_be_hidden()
