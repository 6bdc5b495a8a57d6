"""Pages that are left open: hidden ones ask for nothing, refreshed ones do not grow."""

import pytest
from playwright.sync_api import Page

from tests.browser.collecting import make_runs
from tests.browser.open_pages import Held, held_by, refresh, set_hidden
from tests.browser.running_instance import Instance
from tests.browser.settled import answered, quiet
from tests.browser.waiting import comes_true

HOUR = 3_600_000
KILOBYTE = 1000


@pytest.mark.thorough_after(3)
@pytest.mark.landing
@pytest.mark.own_context
@pytest.mark.parametrize("path", ["/", "/records", "/runs", "/runs/{run}", "/logs", "/audit", "/backups", "/config"])
def test_a_page_that_is_hidden_for_a_day_asks_for_nothing_and_then_goes_on(
    path: str, page: Page, user_id: int, instance: Instance
) -> None:
    # A run that does not end keeps its page asking.
    make_runs(instance, user_id, ("manual", "running", 0))
    run = page.request.get("/api/runs?limit=1").json()["items"][0]["id"]
    page.clock.install()
    page.goto(path.format(run=run))
    answered(page)
    # Until its end: a read that is under way is shared by the one that the page makes when it becomes visible.
    with page.expect_request_finished(lambda request: request.url.endswith("/api/status")):
        page.clock.fast_forward(61_000)
    answered(page)
    asked: list[str] = []
    set_hidden(page, True)
    page.on("request", lambda request: asked.append(request.url))
    for _ in range(24):
        page.clock.fast_forward(HOUR)
    quiet(page)
    assert asked == []
    with page.expect_response("**/api/status"):
        set_hidden(page, False)


@pytest.mark.thorough
@pytest.mark.own_context
@pytest.mark.parametrize("path", ["/", "/records"])
def test_sixty_refreshes_leave_nothing_behind(path: str, unopened: Page, instance: Instance) -> None:
    unopened.goto(path)
    answered(unopened)
    # The first ones fill caches.
    refresh(unopened, instance, 10)
    grown = []
    # What each refresh leaves behind is there after every sixty; what came into view once is not.
    for _ in range(3):
        before = held_by(unopened)
        refresh(unopened, instance, 60)
        grown.append(growth_since(before, unopened))
        if is_small(grown[-1]):
            return
    pytest.fail(f"More after each sixty: {grown}")


def growth_since(before: Held, page: Page) -> Held:
    """What the page holds more than before, once timers and the last answers have let go of it."""
    more = before

    def is_let_go() -> bool:
        nonlocal more
        after = held_by(page)
        more = Held(after.bytes - before.bytes, after.nodes - before.nodes, after.listeners - before.listeners)
        return is_small(more)

    comes_true(page, is_let_go, within=20, pause=1)
    return more


def is_small(more: Held) -> bool:
    return more.nodes <= 60 and more.listeners <= 10 and more.bytes < 600 * KILOBYTE
