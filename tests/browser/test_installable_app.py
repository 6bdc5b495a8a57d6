"""The service worker in a real browser: a page that says that there is no connection, and nothing else kept."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accounts import enter
from tests.browser.open_pages import set_hidden
from tests.browser.page_faults import faults
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived, ending, quiet
from tests.browser.visits import Watch, watched

pytestmark = pytest.mark.landing

ACTIVE = "navigator.serviceWorker.ready.then(({ active }) => new URL(active.scriptURL).pathname)"
KEPT = """async () => {
  const names = await caches.keys();
  const opened = await Promise.all(names.map((name) => caches.open(name)));
  const found = await Promise.all(opened.map((cache) => cache.keys()));
  return found.flat().map(({ url }) => new URL(url).pathname);
}"""
KEPT_TEXTS = """async () => {
  const names = await caches.keys();
  const opened = await Promise.all(names.map((name) => caches.open(name)));
  const found = await Promise.all(opened.map((cache) => cache.matchAll()));
  return Promise.all(found.flat().map((kept) => kept.text()));
}"""
# A page that gets no event about the connection.
NO_EVENT = "addEventListener('online', (event) => event.stopImmediatePropagation(), true)"
REPLACED = """async (before) => {
  const isReplaced = (now) => now.length === 1 && now[0] !== before[0];
  while (!isReplaced(await caches.keys())) await new Promise((resume) => { setTimeout(resume, 20); });
}"""


@pytest.fixture
def app(browser: Browser, instance: Instance) -> Iterator[Page]:
    """The overview in a browser that has installed the service worker."""
    watch = Watch(instance.url)
    context = browser.new_context(base_url=instance.url, service_workers="allow", locale="en-US")
    enter(context, instance)
    for page in watched(context, watch):
        page.goto("/profile")
        assert page.evaluate(ACTIVE) == "/service-worker.js"
        # From now on the worker answers for this page.
        page.reload()
        expect(page.locator("#own-name")).to_be_visible()
        assert page.evaluate("navigator.serviceWorker.controller !== null")
        yield page
        watch.problems.clear()
    context.close()


def looks_of(page: Page) -> list[str]:
    """The requests of the page that look for the server, from now on."""
    looks: list[str] = []
    page.on("request", lambda request: looks.append(request.url) if request.url.endswith("/api/status") else None)
    return looks


def test_without_a_connection_a_page_says_so_and_the_button_comes_back(app: Page) -> None:
    app.add_init_script(NO_EVENT)
    app.context.set_offline(True)
    app.goto("/records?model=a")
    expect(app.get_by_role("heading", name="No connection")).to_be_visible()
    arrived(app, ending("/records?model=a"))
    # Styles and theme are there too.
    assert app.evaluate("getComputedStyle(document.querySelector('.card')).paddingTop") != "0px"
    assert faults(app) == {}
    app.context.set_offline(False)
    app.get_by_role("link", name="Try again").press("Enter")
    expect(app.get_by_role("heading", name="Records")).to_be_visible()
    arrived(app, ending("/records?model=a"))


def test_the_page_comes_back_when_the_browser_has_a_connection_again(app: Page) -> None:
    app.context.set_offline(True)
    app.goto("/records?model=a")
    expect(app.get_by_role("heading", name="No connection")).to_be_visible()
    app.context.set_offline(False)
    expect(app.get_by_role("heading", name="Records")).to_be_visible()
    arrived(app, ending("/records?model=a"))


@pytest.mark.thorough
def test_a_visible_page_looks_for_the_server_every_ten_seconds(app: Page) -> None:
    app.add_init_script(NO_EVENT)
    app.context.set_offline(True)
    app.goto("/records?model=a")
    expect(app.get_by_role("heading", name="No connection")).to_be_visible()
    app.clock.install()
    app.reload()
    set_hidden(app, True)
    app.context.set_offline(False)
    looks = looks_of(app)
    app.clock.run_for(25_000)
    quiet(app)
    assert looks == []
    set_hidden(app, False)
    expect(app.get_by_role("heading", name="Records")).to_be_visible()


@pytest.mark.thorough
def test_the_offline_page_at_its_own_address_stays(app: Page) -> None:
    app.clock.install()
    app.goto("/offline")
    looks = looks_of(app)
    app.clock.run_for(25_000)
    expect(app.get_by_role("heading", name="No connection")).to_be_visible()
    quiet(app)
    assert looks == []


@pytest.mark.thorough
def test_nothing_but_the_offline_page_is_kept(app: Page) -> None:
    pages = (
        "/",
        "/records",
        "/runs",
        "/import",
        "/config",
        "/config/instance",
        "/users",
        "/backups",
        "/audit",
        "/logs",
    )
    for path in (*pages, "/api/status", "/api/records", "/admin/", "/profile"):
        app.goto(path)
    found = app.evaluate(KEPT)
    assert "/offline" in found
    assert [path for path in found if path != "/offline" and not path.startswith("/static/")] == []
    kept = "".join(app.evaluate(KEPT_TEXTS))
    assert "No connection" in kept
    assert [mark for mark in ("WB_CSRF", "data-account", 'id="own-name"') if mark in kept] == []


def test_without_a_connection_the_api_fails_as_before(app: Page) -> None:
    app.context.set_offline(True)
    assert app.evaluate("fetch('/api/status').then(() => 'answered', () => 'failed')") == "failed"
    app.context.set_offline(False)


@pytest.mark.thorough
def test_another_language_installs_its_own_page(app: Page, instance: Instance) -> None:
    before = app.evaluate("caches.keys()")
    app.context.add_cookies([{"name": "archive_language", "value": "zh-hans", "url": instance.url}])
    app.evaluate("navigator.serviceWorker.ready.then((found) => found.update())")
    app.evaluate(REPLACED, before)
    app.context.set_offline(True)
    app.goto("/runs")
    expect(app.locator("html")).to_have_attribute("lang", "zh-hans")
    app.context.set_offline(False)
    # The page loads itself again; a browser that closes it meanwhile may never answer.
    expect(app.locator("#own-name")).to_be_visible()
