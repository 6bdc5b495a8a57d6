"""What the overview costs on the wire: encoded bytes, as the browser counts them, with a new profile and then again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.benchmarks.overview import Wire
from tests.browser.accounts import enter
from tests.browser.overview_page import READER
from tests.browser.running_instance import Instance
from tests.browser.settled import answered

pytestmark = pytest.mark.landing

FIRST, AGAIN = 140_000, 12_000


@pytest.fixture
def fresh(browser: Browser, instance: Instance, today: object) -> Iterator[BrowserContext]:
    """A new profile, signed in without a page, which would fill its cache."""
    context = browser.new_context(base_url=instance.url, viewport={"width": 1440, "height": 900})
    enter(context, instance, READER)
    yield context
    context.close()


def weighed(context: BrowserContext, path: str) -> Wire:
    page, wire = context.new_page(), Wire()
    wire.watch(page)
    page.goto(path)
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    answered(page)
    page.close()
    return wire


@pytest.mark.parametrize("path", ["/", "/?period=all"])
def test_the_overview_is_light_at_first_and_lighter_again(path: str, fresh: BrowserContext) -> None:
    first, again = weighed(fresh, path), weighed(fresh, path)
    assert 20_000 < first.rest < FIRST
    assert 1_000 < again.rest < AGAIN


def test_pages_are_compressed_and_data_too(fresh: BrowserContext) -> None:
    page = fresh.new_page()
    with page.expect_response("**/api/daily*") as data:
        answer = page.goto("/")
    assert answer
    assert answer.headers.get("content-encoding") in ("gzip", "br", "zstd")
    assert data.value.headers.get("content-encoding") in ("gzip", "br", "zstd")
    page.close()
