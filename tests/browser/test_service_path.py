"""Every page under a path of a host: nothing it asks for lies elsewhere (docs/deploy.md#a-path-of-a-host)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.path_proxy import PATH, proxied
from tests.browser.running_instance import Instance, serve
from tests.browser.settled import arrived
from tests.browser.test_every_page import VIEWS
from tests.browser.visits import Watch, make_first, send, sign_in_at, watched

pytestmark = pytest.mark.landing

# Links of a page to this host that leave the path.
STRAY = """(path) => [...document.querySelectorAll("a[href], form[action]")]
  .map((one) => new URL(one.getAttribute("href") ?? one.getAttribute("action"), location.href))
  .filter(({ origin, pathname }) => origin === location.origin && !pathname.startsWith(`${path}/`))
  .map(({ pathname }) => pathname)"""
WORKER = """navigator.serviceWorker.ready.then(({ active, scope }) => [active.scriptURL, scope]
  .map((address) => new URL(address).pathname))"""
CACHES = "caches.keys()"


@dataclass
class Place:
    """An instance behind a proxy, and a browser there; `page` fails on errors and on requests out of the path."""

    url: str
    page: Page
    instance: Instance

    def open(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        expect(self.page.locator("main [aria-busy=true]:visible")).to_have_count(0)
        return self.page

    def send(self, path: str, **body: object) -> None:
        send(self.page, f"{self.url}{path}", **body)

    def read(self, path: str) -> Any:
        return self.page.request.get(f"{self.url}{path}").json()


@pytest.fixture(scope="module")
def served(
    browser: Browser, prepared: Path, upstream: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Instance, str]]:
    """An instance with an administrator, and its address behind the proxy."""
    # That a proxy strips the path changes nothing for browsers: tests/archive_site/test_service_path.py has both kinds.
    for instance in serve(tmp_path_factory.mktemp("path") / "home", prepared, upstream, ARCHIVE_PATH=PATH):
        with proxied(instance.url, strips=False) as url:
            page = browser.new_page()
            make_first(page, instance.first_run.replace(instance.url, url))
            arrived(page, f"{url}/")
            page.close()
            yield instance, url


@pytest.fixture
def place(browser: Browser, served: tuple[Instance, str]) -> Iterator[Place]:
    instance, url = served
    context = browser.new_context(service_workers="allow", locale="en-US")
    for page in watched(context, Watch(url)):
        sign_in_at(page, url)
        yield Place(url, page, instance)
    context.close()


def test_each_page_loads_and_leads_on_within_the_path(place: Place, upstream: Simulator) -> None:
    place.instance.wait_for_first_backup()
    place.send("/api/settings", cookie=upstream.cookie())
    place.send("/api/collect")
    record = place.read("/api/records?size=1")["items"][0]["request_id"]
    run = place.read("/api/runs?limit=1")["items"][0]["id"]
    for view in VIEWS:
        if view.who == "keeper" and view.status == 200:
            page = place.open(view.path.format(record=record, run=run))
            assert page.evaluate(STRAY, PATH) == [], view.name


@pytest.mark.thorough
def test_keys_dialogs_and_signing_out_stay_within_the_path(place: Place) -> None:
    page = place.open("/profile")
    page.keyboard.press("g")
    page.keyboard.press("r")
    arrived(page, f"{place.url}/records")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("two words")
    page.keyboard.press("Enter")
    arrived(page, f"{place.url}/records?q=two+words")
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    arrived(page, f"{place.url}/login")
    page.get_by_label("Theme").select_option("dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    sign_in_at(page, place.url)


@pytest.mark.thorough
def test_the_worker_is_that_of_the_path_and_leaves_other_caches_alone(place: Place) -> None:
    page = place.open("/profile")
    page.evaluate("caches.open('offline-0123456789ab')")
    assert page.evaluate(WORKER) == [f"{PATH}/service-worker.js", f"{PATH}/"]
    page.reload()
    names = page.evaluate(CACHES)
    assert len(names) == 2
    assert "offline-0123456789ab" in names
