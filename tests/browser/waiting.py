"""The one way in which tests of pages wait for what no page shows: a held request, or an idle server.

What a page shows is waited for with Playwright's `expect`; tests/test_waiting.py forbids all other ways.
"""

from collections.abc import Callable
from threading import Event
from time import monotonic

import pytest
from playwright.sync_api import Page

# Milliseconds that a page may take. A machine that does other things, too, may need long; what holds ends at once.
LONG = 60_000
# Seconds between two looks.
PAUSE = 0.02


def until(page: Page | None, is_so: Callable[[], object], what: str, pause: float = PAUSE) -> None:
    """Look until something is so; fails with `what` after a minute. The page's events are taken in meanwhile."""
    if not comes_true(page, is_so, pause=pause):
        pytest.fail(f"Waited in vain: {what}")


def comes_true(
    page: Page | None, is_so: Callable[[], object], within: float = LONG / 1000, pause: float = PAUSE
) -> bool:
    """Whether something becomes so within these seconds."""
    end = monotonic() + within
    while not is_so():
        if monotonic() > end:
            return False
        if page:
            page.wait_for_timeout(pause * 1000)
        else:
            Event().wait(pause)
    return True
