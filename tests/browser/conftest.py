"""A real instance (`manage.py up` on a folder of its own), the simulated upstream, and a real browser.

All tests of pages run in one process (see `tests/distribution.py`), over one browser and one instance.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request, sync_playwright

from collection.simulator.simulator import Simulator
from tests.factories import PASSWORD

# Playwright's event loop stays in this thread, where Django would refuse other tests their database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = (Path(__file__).parent / "browsers.txt").read_text().split()
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
# Captchas are off; the tests about them switch them on.
SETTINGS = """
from django.core.management import call_command
call_command("config", "set", "api_base", "{api_base}")
call_command("config", "set", "captcha_policy", "off")
"""
START_SECONDS = 60
STOP_SECONDS = 20
ADMIN = "root"


@dataclass
class Instance:
    """A running instance that collects from a simulator; `first_run` is the link that it printed."""

    url: str
    first_run: str
    home: Path
    # The cookies of accounts that signed in.
    cookies: dict[str, Any] = field(default_factory=dict)

    def manage(self, *arguments: str) -> str:
        """What a command says on this instance's store."""
        return run_command(self.home, *arguments)


@dataclass
class Watch:
    """What went wrong in a page; a test names the error statuses that it provokes."""

    origin: str
    allowed: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def expect(self, *statuses: int) -> None:
        self.allowed.update(statuses)

    def note_message(self, message: ConsoleMessage) -> None:
        expected = any(f"with a status of {status} " in message.text for status in self.allowed)
        if message.type == "error" and not expected:
            self.problems.append(message.text)

    def note_request(self, request: Request) -> None:
        if not request.url.startswith((self.origin + "/", "data:")):
            self.problems.append(f"left the origin: {request.url}")


@pytest.fixture(scope="session")
def upstream() -> Iterator[Simulator]:
    with Simulator(accounts=1, days=5, per_day=40) as running:
        yield running


@pytest.fixture
def fresh_instance(upstream: Simulator, tmp_path: Path) -> Iterator[Instance]:
    """An instance without any account."""
    yield from serve(tmp_path / "home", upstream)


@pytest.fixture(scope="session")
def instance(upstream: Simulator, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Instance]:
    """An instance with an administrator, for all tests of this process."""
    for running in serve(tmp_path_factory.mktemp("instance") / "home", upstream):
        page = browser.new_page()
        make_administrator(page, running)
        page.close()
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_browser(playwright), args=ARGUMENTS)
        yield browser
        browser.close()


def installed_browser(playwright: Playwright) -> str:
    """The browser of this machine, else Playwright's own."""
    installed = next(filter(None, map(shutil.which, BROWSERS)), None) or playwright.chromium.executable_path
    if not Path(installed).exists():
        pytest.fail(f"No browser: install one of {', '.join(BROWSERS)}, or run 'playwright install chromium'.")
    return installed


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
    enter(context, instance)
    first, *_ = [*context.pages, None]
    yield from watched(context, watch)
    if context is not shared_context:
        context.close()
        return
    for left in context.pages:
        if left is not first:
            left.close()
    context.clear_cookies()
    context.clear_permissions()


def enter(context: BrowserContext, instance: Instance, username: str = ADMIN, password: str = PASSWORD) -> None:
    """Sign in without a page; a session that is still valid is reused."""
    context.clear_cookies()
    if username in instance.cookies:
        context.add_cookies(instance.cookies[username])
        if context.request.get("/api/profile").ok:
            return
        context.clear_cookies()
    context.request.get("/login")
    form: dict[str, str | float | bool] = {"username": username, "password": password, "_csrf": token_of(context)}
    answer = context.request.post("/login", form=form, max_redirects=0)
    assert answer.status == 302, answer.text()
    instance.cookies[username] = context.cookies()


def token_of(context: BrowserContext) -> str:
    return next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "archive_csrf")


def send(page: Page, path: str, **body: object) -> dict[str, Any]:
    """What the API answers the page's visitor."""
    answer = page.request.post(path, data=body, headers={"X-CSRF-Token": token_of(page.context)})
    assert answer.ok, answer.text()
    said: dict[str, Any] = answer.json()
    return said


def make_administrator(page: Page, instance: Instance) -> None:
    page.goto(instance.first_run)
    page.get_by_label("User name").fill(ADMIN)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Make account").click()
    page.wait_for_url(instance.url + "/")


def sign_in(page: Page, instance: Instance, username: str = ADMIN, password: str = PASSWORD) -> None:
    page.goto(instance.url + "/login")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(instance.url + "/")


def watched(context: BrowserContext, watch: Watch) -> Iterator[Page]:
    page = context.new_page()
    page.on("console", watch.note_message)
    page.on("pageerror", lambda error: watch.problems.append(str(error)))
    context.on("request", watch.note_request)
    yield page
    page.close()
    context.remove_listener("request", watch.note_request)
    assert watch.problems == []


def serve(home: Path, upstream: Simulator) -> Iterator[Instance]:
    address = free_address()
    environment = environment_of(home)
    run_command(home, "shell", "-c", SETTINGS.format(api_base=upstream.base_url))
    process = subprocess.Popen(
        manage_command("up", "--bind", address),
        env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        link = _first_run_link(process)
        wait_until_it_answers(address)
        yield Instance(f"http://{address}", link, home)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def run_command(home: Path, *arguments: str) -> str:
    done = subprocess.run(
        manage_command(*arguments),
        env=environment_of(home), cwd=ROOT, check=True, capture_output=True, text=True, timeout=START_SECONDS,
    )  # fmt: skip
    return done.stdout


def manage_command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def environment_of(home: Path) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("ARCHIVE_", "DJANGO_"))}
    return {**ours, "ARCHIVE_HOME": str(home), "TZ": "Europe/Berlin"}


def _first_run_link(process: subprocess.Popen[str]) -> str:
    """The link on the instance's output, which a thread goes on reading so that it never blocks."""
    lines: Queue[str] = Queue()
    assert process.stdout is not None
    threading.Thread(target=_read_on, args=[process.stdout, lines], daemon=True).start()
    said: list[str] = []
    try:
        while "/first-run/" not in (said or [""])[-1]:
            said.append(lines.get(timeout=START_SECONDS))
    except Empty:
        pytest.fail(f"The instance printed no first-run link but: {''.join(said)!r}")
    return said[-1].split()[-1]


def _read_on(output: IO[str], lines: "Queue[str]") -> None:
    for line in output:
        lines.put(line)


def wait_until_it_answers(address: str) -> None:
    host, _, port = address.partition(":")
    for _ in range(START_SECONDS * 20):
        try:
            socket.create_connection((host, int(port)), 1).close()
            return
        except OSError:
            threading.Event().wait(0.05)
    pytest.fail(f"Nothing listens on {address}.")
