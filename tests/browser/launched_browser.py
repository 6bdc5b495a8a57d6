"""The browser of the tests, which is started again if it hangs, with a warning.

That is no second try of a test: nothing was looked at yet. Playwright waits without end for a browser that does not
answer, so one lost answer would stop all tests of pages.
"""

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Timer
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Error, Page

from tests import processes
from tests.browser.journal import JOURNAL
from tests.browser.waiting import LONG

BROWSERS = (Path(__file__).parent / "browsers.txt").read_text().split()
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--renderer-process-limit=1",
    "--in-process-gpu",
]  # fmt: skip
# Seconds to open a context, which takes less than one. Playwright waits for it without end.
PATIENCE = 120.0


class Launched:
    """A browser; `browser` opens contexts in another one where the first did not open any more."""

    def __init__(self, chromium: BrowserType, patience: float = PATIENCE):
        self._chromium = chromium
        self._patience = patience
        self._processes: set[psutil.Process] = set()
        self._now = self.browser = self._launch()
        for name in ("new_context", "new_page"):
            setattr(self.browser, name, partial(self._open, getattr(Browser, name)))

    def close(self) -> None:
        self._now.close()

    def _launch(self) -> Browser:
        before = browsers()
        launched = self._chromium.launch(executable_path=installed_browser(self._chromium), args=ARGUMENTS)
        self._processes = browsers() - before
        return launched

    def _open(self, make: Any, **options: Any) -> BrowserContext | Page:
        """A context or page whose actions may take as long as a busy machine needs."""
        # With a service worker, Playwright could not hold back or change the requests of a page.
        # Browsers of people name a language; one that is driven does only where it has a locale.
        options = {"service_workers": "block", "locale": "en-US", **options}
        with self._killed_if_late() as was_killed:
            try:
                opened = make(self._now, **options)
            except Error:
                if not was_killed.is_set():
                    raise
                warnings.warn("The browser opened no page in time: another one is started.", stacklevel=2)
                self._now = self._launch()
                opened = make(self._now, **options)
        opened.set_default_timeout(LONG)
        JOURNAL.follow(opened.context if isinstance(opened, Page) else opened)
        return opened  # type: ignore[no-any-return]

    @contextmanager
    def _killed_if_late(self) -> Iterator[Event]:
        """Kill the browser if the block takes too long; says whether it did."""
        was_killed = Event()

        def kill() -> None:
            was_killed.set()
            processes.kill(self._processes)

        timer = Timer(self._patience, kill)
        timer.start()
        try:
            yield was_killed
        finally:
            timer.cancel()


def browsers() -> set[psutil.Process]:
    """The processes of browsers that this process has started."""
    return {child for child in psutil.Process().children(recursive=True) if "chrom" in processes.name(child)}


def installed_browser(chromium: BrowserType) -> str:
    """The browser of this machine, else Playwright's own."""
    installed = next(filter(None, map(shutil.which, BROWSERS)), None) or chromium.executable_path
    if not Path(installed).exists():
        pytest.fail(f"No browser: install one of {', '.join(BROWSERS)}, or run 'playwright install chromium'.")
    return installed
