"""A test of pages that fails leaves a folder with all that is known of it, and no secret."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.failure_folder import LEFT_OUT, without_secrets
from tests.browser.running_instance import ROOT
from tests.factories import PASSWORD

TESTS = '''
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import running_instance
from tests.browser.launched_browser import Launched
from tests.browser.running_instance import Instance
from tests.browser.visits import Watch, watched

expect.set_options(timeout=200)
PAGE = b"""<h1>Here</h1><input type=password value=hidden>
<script>window.WB_CSRF = "secret-of-the-page"; console.warn("a warning"); fetch("/missing?q=1")</script>"""


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "plain=cookie-of-the-visitor; Path=/")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def watch(address: str) -> Watch:
    return Watch(address, {404})


@pytest.fixture(scope="session")
def browser() -> Iterator[Launched]:
    with sync_playwright() as playwright:
        launched = Launched(playwright.chromium)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def log(tmp_path_factory, address):
    home = tmp_path_factory.mktemp("home")
    (home / "logs").mkdir()
    running_instance._outputs[""] = running_instance.Queue()
    Instance(address, "", home)
    file = home / "logs" / "app.log"
    file.write_text("before the tests\\\\n")
    return file


@pytest.fixture
def page(log, browser: Launched, watch: Watch, address: str) -> Iterator[Page]:
    context = browser.browser.new_context(base_url=address)
    yield from watched(context, watch)
    context.close()


@pytest.fixture
def opened(page: Page) -> Page:
    with page.expect_response("**/missing*"):
        page.goto("/")
    return page


@pytest.fixture
def broken(opened: Page) -> None:
    raise ValueError("the setup is broken")


def test_good(opened: Page, log) -> None:
    log.write_text(log.read_text() + "during the good test\\\\n")
    opened.evaluate("console.warn('said in the good test')")


def test_call(opened: Page, log) -> None:
    log.write_text(log.read_text() + "during the bad test\\\\n")
    expect(opened.locator("h1")).to_have_text("There")


def test_setup(broken: None) -> None:
    pass


def test_watch(opened: Page) -> None:
    with opened.expect_event("pageerror"):
        opened.evaluate("setTimeout(() => { throw new Error('thrown in the page') })")
'''


def run(folder: Path) -> str:
    """What a run of those tests says, by a process of xdist, which has to send the path."""
    file = folder / "test_tiny.py"
    file.write_text(TESTS.replace("\\\\n", "\\n"))
    hooks = "pytest_runtest_makereport, pytest_runtest_setup"
    (folder / "conftest.py").write_text(f"from tests.browser.failure_folder import {hooks}\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    # In this order: the log of an instance that begins with a test belongs to it as a whole.
    command = [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:randomly", "-p", "no:schemathesis"]
    environment = {**os.environ, "FAILURES": str(folder / "failures"), "PYTHONPATH": str(ROOT)}
    environment["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    done = subprocess.run([*command, file], cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    return done.stdout + done.stderr


@pytest.mark.thorough
def test_each_failure_leaves_its_folder_and_says_where(tmp_path: Path) -> None:
    said = run(tmp_path)
    # The failed watch is an error after a test that passed.
    assert "1 failed, 2 passed, 2 errors" in said, said
    folders = sorted((tmp_path / "failures").iterdir())
    assert [folder.name for folder in folders] == [f"test_tiny.py-test_{name}" for name in ("call", "setup", "watch")]
    for folder in folders:
        assert str(folder) in said
        names = {"screenshot.png", "page.html", "console.txt", "requests.txt", "server.log"}
        assert {file.name for file in folder.iterdir()} == names
        assert (folder / "screenshot.png").read_bytes().startswith(b"\x89PNG")
        assert "<h1>Here</h1>" in (folder / "page.html").read_text()
        assert "warning: a warning" in (folder / "console.txt").read_text()
        requests = (folder / "requests.txt").read_text()
        assert re.search(r"GET http://127\.0\.0\.1:\d+/missing\?q=1: 404, \d+ ms", requests)
        assert "said in the good test" not in (folder / "console.txt").read_text()
        texts = "".join(file.read_text() for file in folder.iterdir() if file.suffix != ".png")
        assert [secret for secret in ("secret-of-the-page", "cookie-of-the-visitor") if secret in texts] == []
    call, _, watch = folders
    log = (call / "server.log").read_text()
    assert "during the bad test" in log
    assert "before the tests" not in log
    assert "thrown in the page" in (watch / "console.txt").read_text()


@pytest.mark.parametrize(
    "text",
    [
        f"name: {PASSWORD}!",
        "/first-run/abcDEF-123_x and more",
        "http://127.0.0.1/invitation/abcDEF-123_x",
        'window.WB_CSRF = "abcDEF-123_x";',
        '<input name="_csrf" value="abcDEF-123_x">',
        "Cookie: session=abcDEF|123|x",
        f"ua_{'aB3' * 12}aB",
        "Bearer abcDEF-123_x",
    ],
)
def test_a_secret_is_left_out(text: str) -> None:
    left = without_secrets(text)
    assert LEFT_OUT in left
    assert not re.search(r"abcDEF|123|aB3|Horse", left)
