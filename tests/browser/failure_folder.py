"""One folder for each test of pages that fails; its path is in the output of the test.

It has a picture and the HTML of each open page, the console, the requests, and what the server said since the test
began. Cookies, tokens and passwords are left out. The folders are in `$FAILURES`, else in a new temporary one.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Cookie, Error, Page

from tests.browser.accounts import NEW_PASSWORD
from tests.browser.journal import JOURNAL
from tests.factories import PASSWORD

LEFT_OUT = "[left out]"
# The variable that names where the folders are kept.
KEPT = "FAILURES"
# Fields that show a secret, or may.
SECRET_FIELDS = "input[type=password], input[autocomplete*=password], input[readonly], #cookie"
# What comes before a secret, and the secret.
SECRETS = re.compile(
    r"(?P<before>/(?:first-run|invitation)/|WB_CSRF = \"|_csrf\"? value=\"|(?:session|archive_csrf)=|Bearer )"
    r"[^\s\"'<>&;?]+|\b(?:ua|whsec)_[0-9A-Za-z+/=]{16,}"
)
# Milliseconds that a page may take for its picture: one that hangs has none.
PATIENCE = 5000


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    JOURNAL.begin(item.nodeid)
    if KEPT in os.environ:
        # That of an earlier run has other pictures.
        shutil.rmtree(_path(), ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        report.sections.append(("Failure folder", str(write())))
    return report


def write() -> Path:
    """Write down what is known of the test that runs; pictures that are already there stay."""
    folder = _folder()
    if not (folder / "screenshot.png").exists():
        photograph()
    texts: dict[str, Callable[[], list[str]]] = {
        "console.txt": lambda: JOURNAL.console,
        "requests.txt": JOURNAL.requests,
        "server.log": lambda: list(JOURNAL.server_log()),
    }
    for name, lines in texts.items():
        _write(folder / name, "\n".join(lines()))
    return folder


def photograph() -> None:
    """Keep what the open pages show, before they are closed."""
    for number, page in enumerate(JOURNAL.pages(), 1):
        ending = f"-{number}" if number > 1 else ""
        try:
            _photograph(page, ending)
        except Error as error:
            JOURNAL.console.append(f"No picture of {page.url}: {error.message}")


def _photograph(page: Page, ending: str) -> None:
    folder = _folder()
    hidden = [page.locator(SECRET_FIELDS)]
    page.screenshot(path=folder / f"screenshot{ending}.png", timeout=PATIENCE, mask=hidden)
    _write(folder / f"page{ending}.html", page.content())


def _write(path: Path, text: str) -> None:
    path.write_text(without_secrets(text), encoding="utf-8")


def without_secrets(text: str) -> str:
    given = {cookie.get("value", "") for context in JOURNAL.contexts for cookie in _cookies(context)}
    for secret in {PASSWORD, NEW_PASSWORD, *(value for value in given if len(value) >= 16)}:
        text = text.replace(secret, LEFT_OUT)
    return SECRETS.sub(lambda found: (found["before"] or "") + LEFT_OUT, text)


def _cookies(context: BrowserContext) -> list[Cookie]:
    """Those of a context; none where its browser is gone, which must not hide how the test failed."""
    try:
        return context.cookies()
    except Error:
        return []


def _folder() -> Path:
    folder = _path()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _path() -> Path:
    return _base() / re.sub(r"[^\w.-]+", "-", JOURNAL.test)[-150:].strip("-")


@cache
def _base() -> Path:
    return Path(os.environ.get(KEPT) or tempfile.mkdtemp(prefix="usage-archive-failures-"))
