"""Runs in a real browser: the list, one run followed live and stopped, messages, the banner, maintenance."""

import itertools
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from archive_site.lib.stored_message import Message
from tests.browser.conftest import Instance, Watch, enter, send
from tests.collection.gated_simulator import GatedSimulator
from tests.factories import PASSWORD

LONG = 30_000
EVERYWHERE = ("/", "/runs", "/config", "/profile", "/users")
ENGLISH = re.compile("[a-z]{2,} [a-z]{2,}")
AT_END = "log => log.scrollHeight - log.scrollTop - log.clientHeight <= 1"
_numbers = itertools.count(1)


@contextmanager
def store(instance: Instance) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(instance.home / "archive.sqlite3", timeout=20)) as connection, connection:
        yield connection


@pytest.fixture
def user_id(page: Page, instance: Instance) -> int:
    """The page with a new administrator signed in instead of the first one."""
    name = f"collector{next(_numbers)}"
    made = send(page, "/api/users", username=name, password=PASSWORD, password2=PASSWORD, is_admin=True)
    enter(page.context, instance, name)
    return int(str(made["id"]))


@pytest.fixture
def gated(page: Page, user_id: int, instance: Instance) -> Iterator[GatedSimulator]:
    """An upstream with the account's cookie that can hold an answer back, and running workers."""
    running = GatedSimulator(accounts=1, days=3, per_day=40)
    with running:
        usual = page.request.get("/api/settings").json()["api_base"]
        ours = {"api_base": running.base_url, "page_size": "20", "collect_min_interval_seconds": "0"}
        send(page, "/api/settings", cookie=running.cookie(), **ours)
        with store(instance) as connection:
            # Their first heartbeat would come half a minute after their start.
            connection.execute("INSERT OR REPLACE INTO collection_heartbeat VALUES ('scheduler', ?)", [now_text()])
        page.goto("/")
        yield running
        running.release()
        wait_until_idle(page)
        send(page, "/api/settings", api_base=usual, page_size="", collect_min_interval_seconds="")


def wait_until_idle(page: Page) -> None:
    """Wait until no collection runs; a settings change in the middle of one would be another test's trouble."""
    for _ in range(LONG // 200):
        if not page.request.get("/api/status").json()["running_lock"]:
            return
        page.wait_for_timeout(200)
    pytest.fail("The collection does not end.")


def now_text(**ago: float) -> str:
    return f"{datetime.now(UTC) - timedelta(**ago):%Y-%m-%d %H:%M:%S.%f}"


def collect(page: Page) -> int:
    """Press the button; the id of the run that it began."""
    with page.expect_response("**/api/collect") as answer:
        page.get_by_role("button", name=re.compile("^Collect")).click()
    return int(answer.value.json()["run_id"])


def hold_a_run(page: Page, gated: GatedSimulator, request: int = 8) -> int:
    """Begin a run whose n-th request waits; its id."""
    gated.hold_at(request)
    run_id = collect(page)
    assert gated.reached.wait(LONG / 1000)
    return run_id


def make_runs(instance: Instance, user_id: int, *rows: tuple[str, str, int]) -> None:
    """Past runs of an account, a day apart and the last one newest: trigger, status, exit code."""
    with store(instance) as connection:
        for days, (trigger, status, exit_code) in zip(range(len(rows), 0, -1), rows, strict=True):
            at = now_text(days=days)
            connection.execute(
                "INSERT INTO collection_run (user_id, trigger, status, created_at, started_at, finished_at, win_from,"
                " win_to, duration_ms, fetched, added, dup, total, conflicts, exit_code, message, detail,"
                " stop_requested) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 72000, 1234, 1200, 31, 5000, 3, ?, '', '', 0)",
                [user_id, trigger, status, at, at, at, at, at, exit_code],
            )


def rows_of(page: Page) -> Locator:
    return page.locator("#runs tbody tr")


def outcome_of(page: Page) -> Locator:
    return page.locator("#one-run [data-fact=outcome]")


def test_an_account_without_runs_reads_what_will_stand_here(page: Page, user_id: int) -> None:
    page.goto("/runs")
    expect(page.get_by_text("No runs yet.")).to_be_visible()
    expect(page.locator("#runs table")).to_be_hidden()


def test_each_way_to_start_and_to_end_has_its_words(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(
        instance, user_id,
        ("manual", "ok", 0), ("schedule", "failed", 4), ("startup", "failed", 5), ("cli", "interrupted", 6),
    )  # fmt: skip
    page.goto("/runs")
    expect(rows_of(page)).to_contain_text(
        [
            re.compile(r"Interrupted\s+command line"),
            re.compile(r"Upstream failed\s+schedule \(catch-up\)"),
            re.compile(r"Cookie expired\s+schedule"),
            re.compile(r"Done\s+you\s+[-\d]+\s+1,234\s+1,200\s+31\s+3\s+1 min 12 s"),
        ]
    )


def test_fifty_runs_are_shown_and_more_on_demand(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, *[("schedule", "ok", 0)] * 60)
    page.goto("/runs")
    expect(rows_of(page)).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(rows_of(page)).to_have_count(60)
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()


def test_a_list_that_cannot_be_read_says_so_and_is_tried_again(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(503)
    page.route("**/api/runs?*", lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    page.goto("/runs")
    expect(page.locator("#runs [data-failed]")).to_contain_text("Away.")
    page.unroute("**/api/runs?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("No runs yet.")).to_be_visible()
    expect(page.locator("#runs [data-failed]")).to_be_hidden()


def test_a_run_under_way_is_listed_first_and_becomes_done_without_a_reload(
    page: Page, user_id: int, instance: Instance, gated: GatedSimulator
) -> None:
    make_runs(instance, user_id, ("schedule", "ok", 0))
    page.goto("/runs")
    run_id = hold_a_run(page, gated)
    first = rows_of(page).first
    expect(first).to_contain_text("Running")
    expect(first.get_by_role("progressbar")).to_be_visible()
    link = first.get_by_role("link")
    link.focus()
    gated.release()
    expect(first).to_contain_text("Done", timeout=LONG)
    expect(first.get_by_role("progressbar")).to_be_hidden()
    expect(first.locator("[data-figure=added]")).to_have_text(str(len(gated.rows())))
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{run_id}")


@pytest.mark.own_context
def test_the_log_follows_live_and_polling_ends_with_the_run(page: Page, gated: GatedSimulator) -> None:
    run_id = hold_a_run(page, gated)
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: note(request, asked))
    page.goto(f"/runs/{run_id}")
    log = page.locator("#log")
    expect(log).to_contain_text("page 1,")
    expect(log).not_to_contain_text("new records")
    expect(page.locator("#run")).to_be_hidden()
    gated.release()
    expect(outcome_of(page)).to_have_text("Done", timeout=LONG)
    expect(log).to_contain_text(f"{len(gated.rows())} new records")
    lines = (log.text_content() or "").splitlines()
    assert len(lines) == len(set(lines))
    # The frame's own looks end, too.
    page.clock.run_for(5000)
    page.wait_for_load_state("networkidle")
    asked.clear()
    page.clock.run_for(20_000)
    assert asked == []


def note(request: Request, asked: list[str]) -> None:
    if "/api/runs/" in request.url:
        asked.append(request.url)


@pytest.mark.parametrize("scrolled_up", [False, True])
def test_the_log_stays_at_its_end_unless_somebody_scrolled_up(
    scrolled_up: bool, page: Page, gated: GatedSimulator
) -> None:
    page.set_viewport_size({"width": 1280, "height": 160})
    page.goto(f"/runs/{hold_a_run(page, gated)}")
    log = page.locator("#log")
    expect(log).to_contain_text("page 1,")
    assert log.evaluate("log => log.scrollHeight > log.clientHeight")
    assert log.evaluate(AT_END)
    if scrolled_up:
        log.evaluate("log => log.scrollTo(0, 0)")
    gated.release()
    expect(outcome_of(page)).to_have_text("Done", timeout=LONG)
    assert log.evaluate(AT_END) is not scrolled_up
    assert (log.evaluate("log => log.scrollTop") == 0) is scrolled_up


@contextmanager
def asking_to_stop(page: Page, button: Locator) -> Iterator[None]:
    """Press Stop and hold its request back meanwhile: a run that hears of it may end at once."""
    held: list[Route] = []
    page.route("**/api/runs/*/stop", lambda route: held.append(route))
    button.click()
    yield
    held[0].continue_()


def test_stop_ends_a_run_and_says_what_becomes_of_the_rest(page: Page, gated: GatedSimulator) -> None:
    page.goto(f"/runs/{hold_a_run(page, gated)}")
    with asking_to_stop(page, page.get_by_role("button", name="Stop")):
        expect(page.get_by_role("button", name="Stopping…")).to_be_disabled()
    expect(outcome_of(page)).to_have_text("Interrupted", timeout=LONG)
    expect(page.get_by_role("button", name="Stopping…")).to_be_hidden()
    expect(page.locator("#one-run [data-advice]")).to_contain_text("The next run completes this one")
    expect(page.locator("#banner")).to_be_hidden()
    page.goto("/runs")
    expect(page.locator("#banner")).to_contain_text("may be missing because a collection did not finish")


def test_stopping_a_run_that_ended_meanwhile_shows_its_end(page: Page, gated: GatedSimulator, watch: Watch) -> None:
    watch.expect(409)
    page.goto(f"/runs/{hold_a_run(page, gated)}")
    stop = page.get_by_role("button", name="Stop")
    with page.expect_response("**/api/runs/*/stop") as answer, asking_to_stop(page, stop):
        gated.release()
        expect(outcome_of(page)).to_have_text("Done", timeout=LONG)
    assert answer.value.status == 409
    expect(page.get_by_role("button", name=re.compile("^Stop"))).to_be_hidden()


def test_the_progress_panel_leads_to_the_run_and_stops_it(page: Page, gated: GatedSimulator) -> None:
    run_id = hold_a_run(page, gated)
    panel = page.locator("#run")
    expect(panel.get_by_role("link", name="Details")).to_have_attribute("href", f"/runs/{run_id}")
    with asking_to_stop(page, panel.get_by_role("button", name="Stop")):
        expect(panel.get_by_role("button", name="Stopping…")).to_be_disabled()
    expect(panel).to_contain_text("Collection interrupted", timeout=LONG)
    expect(panel.get_by_role("button", name="Stop")).to_be_hidden()


@pytest.mark.parametrize(
    ("exit_code", "message", "said", "href"),
    [
        (4, Message("cookie_refused"), "Paste a new cookie", "/config"),
        (5, Message("user_agent_refused"), "Check the User-Agent", "/config#user_agent"),
        (5, Message("cookie_too_large"), "Paste a shorter cookie", "/config"),
        (5, Message("address_unknown", status=404), "An administrator can change this", None),
        (5, Message("no_answer", why="HTTP 503"), "requests what is missing again", None),
        (1, Message("internal_error", event="01234567"), "give the event id to an administrator", None),
    ],
)
def test_each_failure_says_what_to_do(
    exit_code: int, message: Message, said: str, href: str | None, page: Page, user_id: int, instance: Instance
) -> None:
    make_runs(instance, user_id, ("manual", "failed", exit_code))
    with store(instance) as connection:
        connection.execute("UPDATE collection_run SET message = ? WHERE user_id = ?", [message.stored(), user_id])
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
    with store(instance) as connection:
        log = "".join(f"{note.stored(at='2026-09-08 12:00:00')}\n" for note in notes)
        change = "UPDATE collection_run SET message = ?, detail = ? WHERE user_id = ?"
        connection.execute(change, [message.stored(), log, user_id])
    send(page, "/api/settings", cookie="session=1|2|3")
    page.goto("/runs")
    expect(page.locator("#banner")).to_contain_text(str(message))
    send(page, "/api/profile", language="zh-hans")
    page.reload()
    expect(page.locator("#banner")).to_contain_text("2026-09-01 00:00:00 至 2026-09-07 23:59:59")
    expect(page.locator("#last-run")).to_have_attribute("title", re.compile("在 5 次尝试中.*30 秒内.*1200 条新记录"))
    expect(rows_of(page).locator(".outcome")).to_have_attribute("title", re.compile("在 5 次尝试中"))
    rows_of(page).get_by_role("link").click()
    expect(page.locator("[data-message]")).to_contain_text("在 5 次尝试中")
    lines = page.locator("#log").inner_text().splitlines()
    assert [line for line in lines if ENGLISH.search(line) or not line.startswith("2026-09-08 12:00:00 ")] == []
    assert len(lines) == len(notes)
    # The banner does not repeat the page.
    expect(page.locator("#last-run")).to_be_visible()
    expect(page.locator("#banner")).to_be_hidden()


def test_another_accounts_run_is_a_missing_page(page: Page, user_id: int, instance: Instance, watch: Watch) -> None:
    watch.expect(404)
    make_runs(instance, user_id + 10**6, ("manual", "ok", 0))
    with store(instance) as connection:
        (others,) = connection.execute("SELECT MAX(id) FROM collection_run").fetchone()
    page.goto(f"/runs/{others}")
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()


def test_a_missing_cookie_is_told_on_every_page_but_beside_the_first_steps(page: Page, user_id: int) -> None:
    banner = page.locator("#banner")
    for path in EVERYWHERE[1:]:
        page.goto(path)
        expect(banner).to_contain_text("No cookie is set")
    page.goto("/")
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(banner).to_be_hidden()


def test_a_broken_cookie_is_told_on_every_page(page: Page, user_id: int, instance: Instance) -> None:
    send(page, "/api/settings", cookie="session=1|2|3")
    with store(instance) as connection:
        connection.execute("UPDATE accounts_setting SET value = 'x' WHERE key = 'cookie' AND user_id = ?", [user_id])
    for path in EVERYWHERE:
        page.goto(path)
        expect(page.locator("#banner")).to_contain_text("cannot be read, so nothing is collected")


def test_an_expired_cookie_is_told_on_every_page_until_it_is_replaced(
    page: Page, user_id: int, instance: Instance, gated: GatedSimulator
) -> None:
    send(page, "/api/settings", cookie="session=nobody|1|2")
    collect(page)
    banner = page.locator("#banner")
    close = page.locator("#run").get_by_role("button", name="Close")
    close.wait_for(timeout=LONG)
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
    page.wait_for_load_state("networkidle")
    expect(banner).to_be_hidden()


@contextmanager
def silent_workers(instance: Instance) -> Iterator[None]:
    """No heartbeat of the workers is stored meanwhile."""
    with store(instance) as connection:
        connection.execute("DELETE FROM collection_heartbeat")
        for change in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TRIGGER silence_{change} AFTER {change} ON collection_heartbeat "
                "BEGIN DELETE FROM collection_heartbeat; END"
            )
    try:
        yield
    finally:
        with store(instance) as connection:
            for change in ("INSERT", "UPDATE"):
                connection.execute(f"DROP TRIGGER silence_{change}")


@pytest.mark.own_context
def test_a_scheduler_that_stays_silent_is_told_to_administrators(
    page: Page, user_id: int, gated: GatedSimulator, instance: Instance
) -> None:
    page.clock.install()
    with silent_workers(instance):
        page.goto("/runs")
        page.wait_for_load_state("networkidle")
        expect(page.locator("#banner")).to_be_hidden()
        page.clock.fast_forward(46_000)
        expect(page.locator("#banner")).to_contain_text("The scheduler is not running")
        # From page to page it is not waited for again.
        page.goto("/profile")
        expect(page.locator("#banner")).to_contain_text("The scheduler is not running")
        send(page, f"/api/users/{user_id}", display_name="x")
    with store(instance) as connection:
        connection.execute("INSERT OR REPLACE INTO collection_heartbeat VALUES ('scheduler', ?)", [now_text()])
    page.clock.fast_forward(16_000)
    expect(page.locator("#banner")).to_be_hidden()


def run_action(page: Page, name: str) -> Locator:
    """Press an action's button; what is said beside it."""
    task = page.locator(".task", has=page.get_by_role("button", name=name))
    task.get_by_role("button").click()
    said = task.locator("[data-said]")
    expect(said).not_to_have_text("Working…", timeout=LONG)
    return said


def test_an_action_says_beside_its_button_what_it_did_and_how_long_to_wait(
    page: Page, user_id: int, watch: Watch
) -> None:
    watch.expect(429)
    page.goto("/config")
    expect(run_action(page, "Recount")).to_contain_text("0 records")
    said = run_action(page, "Recount")
    expect(said).to_contain_text(re.compile(r"wait \d seconds"))
    expect(said).to_have_attribute("data-kind", "wait")


def test_an_export_is_linked(page: Page, user_id: int) -> None:
    page.goto("/config")
    said = run_action(page, "Export CSV")
    file = re.search(r"[\w.-]+\.csv", said.inner_text())
    assert file
    expect(said.get_by_role("link", name="Download")).to_have_attribute("href", f"/exports/{file[0]}")


def test_filling_prompts_without_a_cookie_fails_in_words(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(409)
    page.goto("/config")
    said = run_action(page, "Fill prompts")
    expect(said).to_contain_text("No cookie is set")
    expect(said).to_have_attribute("data-kind", "failed")


def test_compacting_beside_a_collection_is_a_matter_of_waiting(page: Page, gated: GatedSimulator, watch: Watch) -> None:
    watch.expect(409)
    hold_a_run(page, gated)
    page.goto("/config")
    said = run_action(page, "Compact the store")
    expect(said).to_contain_text("A collection is already running")
    expect(said).to_have_attribute("data-kind", "wait")


def test_the_next_runs_begin_with_the_one_that_the_server_names(page: Page, user_id: int) -> None:
    page.goto("/config")
    due = page.request.get("/api/status").json()["scheduler"]["next_run"]
    expect(page.locator("#next-runs")).to_contain_text(re.compile(rf"Next runs: (today|tomorrow) {due[11:16]},"))


def test_no_page_of_runs_scrolls_sideways(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, ("startup", "failed", 3), ("cli", "failed", 5), ("schedule", "ok", 0))
    with store(instance) as connection:
        connection.execute(
            "UPDATE collection_run SET fetched = 123456789, added = 123456789, dup = 123456789, conflicts = 123456789,"
            " duration_ms = 3599000, message = ?, detail = ? WHERE user_id = ?",
            ["word" * 200, f"2026-09-08 12:00:00 {'long' * 500}\n", user_id],
        )
    for width in (360, 710, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("/runs")
        expect(rows_of(page)).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        rows_of(page).first.get_by_role("link").click()
        expect(page.locator("#log")).to_contain_text("long")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
