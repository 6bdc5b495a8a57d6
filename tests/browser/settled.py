"""Pages that have asked for everything and shown it, and the address that follows."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.journal import JOURNAL
from tests.browser.waiting import until

# Lets the page work off what is before it; timers may be those of a clock that the test moves.
A_TASK = """() => new Promise((resume) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => resume(true);
  port2.postMessage(0);
})"""
# After an answer the page has to read it, and may then ask for more.
LOOKS = 3


def quiet(page: Page) -> None:
    """Wait until no request of the page is under way, and none follows from the answers."""
    looks = 0

    def is_quiet() -> bool:
        nonlocal looks
        page.evaluate(A_TASK)
        looks = 0 if JOURNAL.is_under_way(page) else looks + 1
        return looks >= LOOKS

    until(page, is_quiet, f"{page.url} goes on asking")


def answered(page: Page) -> Page:
    """The page, once each of its parts is shown and it asks for nothing more."""
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    quiet(page)
    return page


def arrived(page: Page, url: str | re.Pattern[str]) -> None:
    """Wait for this address and the scripts of its document, which hear keys only some time after it is there."""
    expect(page).to_have_url(url)
    expect(page.locator("html")).to_have_js_property("ownerDocument.readyState", "complete")


def asked(page: Page) -> dict[str, str]:
    """The parameters in the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def expect_asked(page: Page, parameters: dict[str, Any]) -> None:
    """Wait until the address has these parameters alone: it follows in an event of its own."""
    wanted = {name: str(value) for name, value in parameters.items()}
    until(page, lambda: asked(page) == wanted, f"the address asks for {wanted}")


def expect_among_asked(page: Page, **parameters: object) -> None:
    """Wait until the address has these parameters, too; `from_` is `from`."""
    wanted = {name.rstrip("_"): str(value) for name, value in parameters.items()}
    until(page, lambda: wanted.items() <= asked(page).items(), f"the address asks for {wanted} among others")


def expect_evaluated(place: Locator, script: str, value: object) -> None:
    """Wait until a script says this of an element, where no expectation has words for it."""
    until(place.page, lambda: place.evaluate(script) == value, f"{script} of {place} is {value}")


def ending(url: str) -> re.Pattern[str]:
    """For `arrived`: an address that ends in this way."""
    return re.compile(f"{re.escape(url)}$")
