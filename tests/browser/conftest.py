"""A real instance (`manage.py up` on a folder of its own), the simulated upstream, and a real browser.

The tests of pages run in several processes (see `tests/distribution.py`), each over one browser and one instance.
"""

import itertools
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.browser import failure_folder
from tests.browser.accounts import enter, leave, make_account
from tests.browser.collecting import note_heartbeat, wait_until_idle
from tests.browser.launched_browser import Launched
from tests.browser.ledger_page import LEDGER
from tests.browser.overview_page import ARCHIVE, PER_DAY, READER, calls
from tests.browser.records_page import MAKE
from tests.browser.running_instance import Instance, prepare, serve
from tests.browser.visits import Watch, administered, send, watched
from tests.browser.waiting import LONG
from tests.collection.gated_simulator import GatedSimulator
from tests.conftest import ForAll

# Playwright's event loop stays in this thread, where Django would refuse other tests their database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

_numbers = itertools.count(1)
expect.set_options(timeout=LONG)


pytest_runtest_setup = failure_folder.pytest_runtest_setup
pytest_runtest_makereport = failure_folder.pytest_runtest_makereport


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Leave out the tree of the whole page that follows a failed expectation: it buries the failure itself."""
    try:
        yield
    except AssertionError as failure:
        failure.args = (str(failure).partition("\nAria snapshot:")[0],)
        raise


@pytest.fixture(scope="session")
def upstream() -> Iterator[Simulator]:
    with Simulator(accounts=1, days=5, per_day=40) as running:
        yield running


@pytest.fixture(scope="session")
def prepared(for_all: ForAll) -> Path:
    """A data folder without any account, to be copied."""
    return for_all("prepared", prepare)


@pytest.fixture
def fresh_instance(prepared: Path, upstream: Simulator, tmp_path: Path) -> Iterator[Instance]:
    """An instance without any account."""
    yield from serve(tmp_path / "home", prepared, upstream)


@pytest.fixture(scope="session")
def instance(
    prepared: Path, upstream: Simulator, tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[Instance]:
    """An instance with an administrator, for all tests of this process."""
    home = tmp_path_factory.mktemp("instance") / "home"
    yield from administered(browser, serve(home, prepared, upstream))


@pytest.fixture(scope="module")
def private_instance(
    prepared: Path, upstream: Simulator, tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[Instance]:
    """An instance with an administrator, whose receivers and sources may be on this machine."""
    home = tmp_path_factory.mktemp("private") / "home"
    yield from administered(
        browser, serve(home, prepared, upstream, ARCHIVE_NOTIFY_PRIVATE="1", ARCHIVE_SOURCES_PRIVATE="1")
    )


@pytest.fixture
def private_page(browser: Browser, private_instance: Instance) -> Iterator[Page]:
    """An empty page beside it, of a new account."""
    name = f"receiver{next(_numbers)}"
    make_account(private_instance, name)
    context = browser.new_context(base_url=private_instance.url)
    enter(context, private_instance, name)
    yield from watched(context, Watch(private_instance.url))
    context.close()


@pytest.fixture(scope="session")
def browser(running_clock: None) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = Launched(playwright.chromium)
        yield launched.browser
        launched.close()


@pytest.fixture
def fresh_watch(fresh_instance: Instance) -> Watch:
    return Watch(fresh_instance.url)


@pytest.fixture
def fresh_page(browser: Browser, fresh_watch: Watch) -> Iterator[Page]:
    """A page beside an instance without any account."""
    context = browser.new_context(base_url=fresh_watch.origin)
    yield from watched(context, fresh_watch)
    context.close()


@pytest.fixture
def watch(instance: Instance) -> Watch:
    return Watch(instance.url)


@pytest.fixture(scope="session")
def shared_context(browser: Browser, instance: Instance) -> Iterator[BrowserContext]:
    """The browser context of the tests: a new context for each test would take longer than most tests."""
    context = browser.new_context(base_url=instance.url)
    # Without an open page the window would be created again for each test.
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def page(
    request: pytest.FixtureRequest, browser: Browser, watch: Watch, instance: Instance, shared_context: BrowserContext
) -> Iterator[Page]:
    """An empty page with the administrator signed in; fails on errors and on requests to other hosts."""
    if request.node.get_closest_marker("own_context"):
        context = browser.new_context(base_url=instance.url)
    else:
        context = shared_context
    instance.forget_counts()
    enter(context, instance)
    first, *_ = [*context.pages, None]
    yield from watched(context, watch)
    if context is not shared_context:
        context.close()
        return
    for left in context.pages:
        if left is not first:
            left.close()
    leave(context, instance)
    context.clear_permissions()


@pytest.fixture
def user_id(page: Page, instance: Instance) -> int:
    """The page with a new administrator signed in instead of the first one."""
    name = f"collector{next(_numbers)}"
    made = make_account(instance, name, is_admin=True)
    enter(page.context, instance, name)
    return made


@pytest.fixture
def person(instance: Instance) -> str:
    """The name of a new account."""
    name = f"person{next(_numbers)}"
    make_account(instance, name)
    return name


@pytest.fixture
def owner(named: Instance) -> str:
    """The name of a new administrator, where a module has an instance at a name."""
    name = f"owner{next(_numbers)}"
    make_account(named, name, is_admin=True)
    return name


@pytest.fixture
def gated(page: Page, user_id: int, instance: Instance) -> Iterator[GatedSimulator]:
    """An upstream with the account's cookie that can hold an answer back, and running workers."""
    running = GatedSimulator(accounts=1, days=3, per_day=40)
    with running:
        usual = page.request.get("/api/settings").json()["api_base"]
        ours = {"api_base": running.base_url, "page_size": "20", "collect_min_interval_seconds": "0"}
        send(page, "/api/settings", cookie=running.cookie(), **ours)
        # Their first heartbeat would come half a minute after their start.
        note_heartbeat(instance)
        page.goto("/")
        yield running
        running.release()
        wait_until_idle(page)
        send(page, "/api/settings", api_base=usual, page_size="", collect_min_interval_seconds="")


@pytest.fixture(scope="session")
def today(instance: Instance) -> date:
    """The server's day, on which there are calls."""
    return date.fromisoformat(instance.manage("shell", "-c", ARCHIVE).split()[-1])


@pytest.fixture
def unopened(page: Page, instance: Instance, today: date) -> Page:
    """The empty page of an account with an archive, for tests that begin with an address of their own."""
    enter(page.context, instance, READER)
    return page


@pytest.fixture
def overview(unopened: Page) -> Page:
    """The overview of an account with an archive."""
    unopened.goto("/")
    expect(calls(unopened)).to_have_text(f"{30 * PER_DAY}")
    expect(unopened.locator("main [aria-busy=true]:visible")).to_have_count(0)
    return unopened


@pytest.fixture(scope="session")
def ledger_day(instance: Instance) -> date:
    """The server's day, the last one of an account's ledger."""
    return date.fromisoformat(instance.manage("shell", "-c", LEDGER).split()[-1])


@pytest.fixture(scope="session")
def archives(instance: Instance) -> Instance:
    """An instance with an account that has records, and another that has none."""
    instance.manage("shell", "-c", MAKE)
    return instance


@pytest.fixture
def reader(page: Page, archives: Instance) -> Page:
    """The page, of the account with records."""
    enter(page.context, archives, "reader")
    return page


@pytest.fixture
def clipboard(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
