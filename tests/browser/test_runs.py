"""Runs in a real browser: the list, and the page of one run."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.collecting import hold_a_run, make_runs, rows_of
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch
from tests.collection.gated_simulator import GatedSimulator

pytestmark = pytest.mark.landing


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
            re.compile(r"Collection\s+Interrupted\s+command line"),
            re.compile(r"CodeBuddy failed\s+schedule \(catch-up\)"),
            re.compile(r"Cookie expired\s+schedule"),
            re.compile(r"Done\s+you\s+[-\d]+\s+1,234\s+1,200\s+31\s+3\s+1 min 12 s"),
        ]
    )


def test_each_kind_of_run_has_its_words_and_a_verification_its_report(
    page: Page, user_id: int, instance: Instance
) -> None:
    make_runs(instance, user_id, *[("manual", "ok", 0)] * 4, ("manual", "failed", 4))
    ids = [row[0] for row in instance.sql("SELECT id FROM collection_run WHERE user_id = ? ORDER BY id", user_id)]
    kinds = ("collection", "older", "import", "verification", "verification")
    for kind, run_id in zip(kinds, ids, strict=True):
        instance.sql("UPDATE collection_run SET kind = ? WHERE id = ?", kind, run_id)
    page.goto("/runs")
    words = ["Verification", "Verification", "Import", "Older calls", "Collection"]
    expect(rows_of(page).locator(".kind")).to_have_text(words)
    report = page.get_by_role("link", name="Download report")
    for run_id, is_there in zip(ids, (False, False, False, True, False), strict=True):
        page.goto(f"/runs/{run_id}")
        expect(page.locator("[data-fact=kind]")).not_to_be_empty()
        expect(report).to_be_visible() if is_there else expect(report).to_be_hidden()
    page.goto(f"/runs/{ids[3]}")
    expect(report).to_have_attribute("href", f"/runs/{ids[3]}/report")


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
    expect(first).to_contain_text("Done")
    expect(first.get_by_role("progressbar")).to_be_hidden()
    expect(first.locator("[data-figure=added]")).to_have_text(str(len(gated.rows())))
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    arrived(page, f"/runs/{run_id}")


def test_another_accounts_run_is_a_missing_page(page: Page, user_id: int, instance: Instance, watch: Watch) -> None:
    watch.expect(404)
    make_runs(instance, user_id + 10**6, ("manual", "ok", 0))
    [(others,)] = instance.sql("SELECT MAX(id) FROM collection_run")
    page.goto(f"/runs/{others}")
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()


def test_no_page_of_runs_scrolls_sideways(page: Page, user_id: int, instance: Instance) -> None:
    make_runs(instance, user_id, ("startup", "failed", 3), ("cli", "failed", 5), ("schedule", "ok", 0))
    instance.sql(
        "UPDATE collection_run SET fetched = 123456789, added = 123456789, dup = 123456789, conflicts = 123456789,"
        " duration_ms = 3599000, message = ?, detail = ? WHERE user_id = ?",
        "word" * 200, f"2026-09-08 12:00:00 {'long' * 500}\n", user_id,
    )  # fmt: skip
    for width in (320, 710, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("/runs")
        expect(rows_of(page)).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        rows_of(page).first.get_by_role("link").click()
        expect(page.locator("#log")).to_contain_text("long")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
