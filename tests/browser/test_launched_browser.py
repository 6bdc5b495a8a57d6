"""A browser that hangs is started again, so that one lost answer of it does not stop all tests of pages."""

import signal
from contextlib import suppress

import psutil
import pytest
from playwright.sync_api import Browser

from tests.browser.launched_browser import Launched, browsers


@pytest.mark.thorough
def test_a_browser_that_hangs_is_started_again(browser: Browser) -> None:
    before = browsers()
    launched = Launched(browser.browser_type, patience=5)
    try:
        for child in browsers() - before:
            with suppress(psutil.NoSuchProcess):
                child.send_signal(signal.SIGSTOP)
        with pytest.warns(UserWarning, match="another one is started"):
            page = launched.browser.new_page()
        page.set_content("here")
        assert page.inner_text("body") == "here"
    finally:
        launched.close()
