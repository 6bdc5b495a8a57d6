"""Collections of the page's visitor: begun, held, stopped, or made up in the store."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Locator, Page

from tests.browser.held_requests import HeldRequests
from tests.browser.running_instance import Instance
from tests.browser.waiting import until
from tests.collection.gated_simulator import GatedSimulator


def wait_until_idle(page: Page) -> None:
    """Wait until no collection runs; a settings change in the middle of one would be another test's trouble."""
    until(page, lambda: not page.request.get("/api/status").json()["running_lock"], "the collection does not end", 0.3)


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
    until(page, gated.reached.is_set, "the request that is to be held does not come")
    return run_id


def make_runs(instance: Instance, user_id: int, *rows: tuple[str, str, int], newest: int = 1) -> None:
    """Past runs of an account, a day apart, the last one `newest` days ago: trigger, status, exit code."""
    for days, (trigger, status, exit_code) in zip(range(len(rows) + newest - 1, newest - 1, -1), rows, strict=True):
        at = now_text(days=days)
        instance.sql(
            "INSERT INTO collection_run (user_id, trigger, status, created_at, started_at, finished_at, win_from,"
            " win_to, duration_ms, fetched, added, dup, total, conflicts, exit_code, message, detail,"
            " stop_requested) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 72000, 1234, 1200, 31, 5000, 3, ?, '', '', FALSE)",
            user_id, trigger, status, at, at, at, at, at, exit_code,
        )  # fmt: skip


def note_heartbeat(instance: Instance) -> None:
    """The workers have just been heard of."""
    instance.sql(
        "INSERT INTO collection_heartbeat (name, at) VALUES ('scheduler', ?)"
        " ON CONFLICT (name) DO UPDATE SET at = excluded.at",
        now_text(),
    )


def rows_of(page: Page) -> Locator:
    return page.locator("#runs tbody tr")


def outcome_of(page: Page) -> Locator:
    return page.locator("#one-run [data-fact=outcome]")


@contextmanager
def asking_to_stop(page: Page, button: Locator) -> Iterator[None]:
    """Press Stop and hold its request back meanwhile: a run that hears of it may end at once."""
    held = HeldRequests(page, "**/api/runs/*/stop")
    button.click()
    yield
    held.take().continue_()
