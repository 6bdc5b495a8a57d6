"""Backups in a real browser: made, restored behind the file's name, deleted and pruned."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accounts import ADMIN
from tests.browser.held_requests import HeldRequests
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import Watch, make_administrator
from tests.factories import PASSWORD

pytestmark = pytest.mark.landing

NAME = "backup-20260908-120000-manual.zip"


def item(name: str = NAME, **fields: Any) -> dict[str, Any]:
    values = {
        "name": name, "size": 5700000, "size_human": "5.7 MB", "created_at": "2026-09-08 12:00:00", "trigger": "manual",
        "note": "", "accounts": 2, "records": 1234, "schema": 4, "sha256": "ab" * 32, "valid": True,
    }  # fmt: skip
    return {**values, **fields}


def serve(page: Page, *items: dict[str, Any], keep: int = 14) -> None:
    """Let the list of backups be this one, whatever the instance has."""
    answer = {
        "items": items, "dir": "/data/backups", "total_human": "5.7 MB", "enabled": True, "interval_hours": 24,
        "keep": keep, "last_auto": None,
    }  # fmt: skip
    page.route(
        "**/api/backups",
        lambda route: route.fulfill(json=answer) if route.request.method == "GET" else route.fallback(),
    )


def refuse(status: int, message: str, code: str = "backup") -> Any:
    return lambda route: route.fulfill(status=status, json={"ok": False, "error": code, "message": message})


def rows_of(page: Page) -> Locator:
    return page.locator("#shelf tbody tr")


def fact(page: Page, name: str) -> Locator:
    return page.locator(f"[data-fact={name}]")


def test_a_backup_is_made_downloaded_and_restored(fresh_page: Page, fresh_instance: Instance) -> None:
    page = fresh_page
    make_administrator(page, fresh_instance)
    fresh_instance.wait_for_first_backup()
    page.locator(".menu summary").click()
    page.get_by_role("link", name="Backups").click()
    page.get_by_label("Note").fill("before the test")
    page.get_by_role("button", name="Create backup").click()
    expect(page.locator("#said")).to_contain_text("is created")
    row = rows_of(page).filter(has_text="before the test")
    expect(row).to_contain_text("manual")
    # The last backup of any kind.
    expect(fact(page, "last")).to_have_text(row.locator("[data-at]").inner_text())
    name = row.get_attribute("data-name") or ""
    with page.expect_download() as download:
        row.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == name
    row.get_by_role("button", name="Check").click()
    expect(row.locator("[data-checked]")).to_have_text("Checked: it can be restored.")
    expect(row.get_by_role("button", name="Check")).to_be_focused()
    fresh_instance.manage("config", "set", "timeout", "77")
    row.get_by_role("button", name="Restore").click()
    dialog = page.locator("#restore")
    expect(dialog).to_contain_text("1 account and 0 records")
    expect(dialog.get_by_label("Restore the instance key")).to_be_checked()
    dialog.get_by_label("File name").fill("backup.zip")
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Type the file name shown below")).to_be_visible()
    dialog.get_by_label("File name").fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Backup restored")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("User name").fill(ADMIN)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    arrived(page, fresh_instance.url + "/")
    assert fresh_instance.manage("config", "get", "timeout").strip() == "30"
    page.goto("/backups")
    expect(rows_of(page).filter(has_text="before a restore")).to_have_count(1)
    page.goto("/audit")
    expect(page.locator("#audit tbody")).to_contain_text("Backup restored")


@pytest.fixture
def other_number(instance: Instance) -> Iterator[None]:
    """The test sets how many backups are kept; others keep as many as usual."""
    yield
    instance.manage("config", "set", "backup_keep", "14")


def test_backups_are_checked_pruned_and_deleted_after_a_question(
    page: Page, instance: Instance, watch: Watch, other_number: None
) -> None:
    watch.expect(400)
    damaged = instance.home / "backups" / "backup-20200101-000000-manual.zip"
    damaged.write_text("not a ZIP at all")
    instance.wait_for_first_backup()
    for _ in range(2):
        instance.manage("backup", "create", "--note", "to be pruned")
    instance.manage("config", "set", "backup_keep", "1")
    page.goto("/backups")
    expect(page.locator("tr", has_text=damaged.name)).to_contain_text("cannot be read")
    expect(page.locator("tr", has_text=damaged.name).get_by_role("button", name="Restore")).to_be_hidden()
    page.locator("tr", has_text=damaged.name).get_by_role("button", name="Check").click()
    expect(page.locator("tr", has_text=damaged.name)).to_contain_text("Cannot be restored: It is not a ZIP file")
    expect(fact(page, "automatic")).to_contain_text("the newest 1 are kept")
    page.get_by_role("button", name="Prune").click()
    dialog = page.locator("#prune")
    named = re.search(r"deletes (\d+) backups?", dialog.inner_text())
    assert named
    before = rows_of(page).count()
    dialog.get_by_role("button", name="Prune").click()
    expect(page.locator("#said")).to_contain_text("Removed backup-")
    expect(rows_of(page)).to_have_count(before - int(named[1]))
    expect(page.get_by_role("button", name="Prune")).to_be_hidden()
    page.locator("tr", has_text=damaged.name).get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Cancel").click()
    assert damaged.exists()
    page.locator("tr", has_text=damaged.name).get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete backup").click()
    expect(page.locator("#said")).to_contain_text(f"{damaged.name} is deleted")
    expect(page.locator("tr", has_text=damaged.name)).to_have_count(0)
    assert not damaged.exists()


def test_while_a_backup_is_made_the_page_says_so_and_a_failure_is_reported(page: Page, watch: Watch) -> None:
    watch.expect(400)
    serve(page)
    page.goto("/backups")
    expect(page.get_by_text("No backups yet.")).to_be_visible()
    expect(page.get_by_role("button", name="Prune")).to_be_hidden()
    held = HeldRequests(page, "**/api/backups", "POST")
    page.get_by_label("Note").fill("a note")
    page.get_by_role("button", name="Create backup").click()
    expect(page.get_by_role("button", name="Creating…")).to_be_disabled()
    expect(page.get_by_role("progressbar", name="Creating the backup")).to_be_visible()
    asked = held.take()
    assert asked.request.post_data_json == {"note": "a note"}
    refuse(400, "The disk is full.")(asked)
    expect(page.locator("#create [data-form-error]")).to_have_text("The disk is full.")
    expect(page.get_by_role("button", name="Create backup")).to_be_enabled()
    expect(page.get_by_role("button", name="Create backup")).to_be_focused()
    expect(page.get_by_label("Note")).to_have_value("a note")


def test_while_a_backup_is_checked_its_row_says_so_also_when_the_list_is_read_again(page: Page, watch: Watch) -> None:
    watch.expect(409)
    serve(page, item())
    held = HeldRequests(page, "**/check")
    page.goto("/backups")
    page.get_by_role("button", name="Check").click()
    asked = held.take()
    expect(rows_of(page).locator("[data-checked]")).to_have_text("Checking the whole file…")
    page.evaluate("document.dispatchEvent(new Event('archive:signed-in'))")
    expect(page.get_by_role("button", name="Check")).to_have_attribute("aria-busy", "true")
    page.get_by_role("button", name="Check").click()
    refuse(409, "A backup is under way.", "busy")(asked)
    expect(rows_of(page).locator("[data-checked]")).to_have_text("A backup is under way.")
    assert asked.request.url.endswith(f"/api/backups/{NAME}/check")
    assert held.routes == []


def test_a_restore_cannot_be_left_while_it_works_and_a_refusal_is_reported(page: Page, watch: Watch) -> None:
    watch.expect(409)
    serve(page, item())
    page.goto("/backups")
    page.get_by_role("button", name="Restore").click()
    dialog = page.locator("#restore")
    held = HeldRequests(page, "**/restore")
    dialog.get_by_label("Restore the instance key").uncheck()
    dialog.get_by_label("File name").fill(f" {NAME} ")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name="Restoring…")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    asked = held.take()
    assert asked.request.post_data_json == {"include_instance": False}
    assert asked.request.url.endswith(f"/api/backups/{NAME}/restore")
    refuse(409, "A collection is already running.", "busy")(asked)
    expect(dialog.locator("[data-form-error]")).to_have_text("A collection is already running.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    # The next dialog starts empty.
    page.get_by_role("button", name="Restore").click()
    expect(dialog.get_by_label("Restore the instance key")).to_be_checked()
    expect(dialog.get_by_label("File name")).to_have_value("")


def test_what_is_pruned_is_counted_as_the_server_does(page: Page) -> None:
    kinds = [("manual", 1, True), ("pre_restore", 4, True), ("auto", 2, True), ("manual", 1, False)]
    names = [(trigger, valid) for trigger, amount, valid in kinds for _ in range(amount)]
    serve(page, *[item(f"b{n}.zip", trigger=trigger, valid=valid) for n, (trigger, valid) in enumerate(names)], keep=2)
    page.goto("/backups")
    page.get_by_role("button", name="Prune").click()
    # The third of all but the `pre_restore` ones, and the fourth of these; unreadable ones stay.
    expect(page.locator("#prune")).to_contain_text("This permanently deletes 2 backups: b6.zip, b4.zip.")


def test_a_list_that_cannot_be_read_says_so_and_is_tried_again(page: Page, watch: Watch) -> None:
    watch.expect(503)
    page.route("**/api/backups", refuse(503, "Away.", "unavailable"))
    page.goto("/backups")
    expect(page.locator("#shelf [data-failed]")).to_contain_text("Away.")
    page.unroute("**/api/backups")
    serve(page, item(note="a note"))
    page.get_by_role("button", name="Try again").click()
    expect(rows_of(page)).to_contain_text(re.compile(r"manual\s+a note\s+2\s+1,234\s+5.7 MB"))
    expect(page.locator("#shelf [data-failed]")).to_be_hidden()


def test_the_page_does_not_scroll_sideways(page: Page) -> None:
    serve(page, item(note="word" * 50, records=123456789, trigger="pre_restore"), item(valid=False, accounts=None))
    for width in (360, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("/backups")
        expect(rows_of(page)).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        rows_of(page).first.get_by_role("button", name="Restore").click()
        assert page.locator("#restore").evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
        assert page.locator(".table-box").evaluate("box => box.scrollWidth <= box.clientWidth") or width > 960


def test_the_list_is_saved_with_a_column_for_each_value_and_the_whole_checksum(page: Page) -> None:
    broken: dict[str, Any] = {"accounts": None, "records": None, "valid": False, "trigger": "auto", "name": "other.zip"}
    serve(page, item(note="of today, first"), item(**broken))
    page.goto("/backups")
    expect(rows_of(page)).to_have_count(2)
    page.get_by_text("Copy or save", exact=True).click()
    with page.expect_download() as saved:
        page.locator("#shelf").get_by_role("button", name="JSON").click()
    found = json.loads(Path(saved.value.path()).read_text())
    names = ["Created", "File", "SHA-256", "State", "Trigger", "Note", "Accounts", "Records", "Size"]
    assert found["columns"] == names
    at, whole = "2026-09-08 12:00:00", "ab" * 32
    assert found["rows"] == [
        [at, NAME, whole, None, "manual", "of today, first", 2, 1234, "5.7 MB"],
        [at, "other.zip", whole, "cannot be read", "automatic", None, None, None, "5.7 MB"],
    ]
