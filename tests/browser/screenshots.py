"""Screenshots of the main pages for review: `make screenshots` (python -m tests.browser.screenshots FOLDER).

Wide and narrow, light and dark; full ones of the demonstration's archive, empty ones of a new instance.
"""
# ruff: noqa: T201 -- a command that tells what it drew

import argparse
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, sync_playwright

# What the tests share needs Django.
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from collection.sources.codebuddy.simulator.simulator import Simulator  # noqa: E402
from tests.browser.launched_browser import ARGUMENTS, installed_browser  # noqa: E402
from tests.browser.running_instance import (  # noqa: E402
    ROOT,
    manage_command,
    prepare,
    serve,
)
from tests.browser.visits import make_administrator  # noqa: E402
from tests.process_stores import environment  # noqa: E402

WIDTHS = {"wide": (1440, 900), "narrow": (390, 844), "narrowest": (320, 640)}
THEMES = ("light", "dark")
FULL = {
    "overview": "/",
    "overview-year": "/?period=all",
    "records": "/records",
    "records-search": "/records?q=test",
    "repeated": "/repeated?period=all",
    "runs": "/runs",
    "run": "/runs/1",
    "config": "/config",
    "instance-settings": "/config/instance",
    "import": "/import",
    "profile": "/profile",
    "notices": "/notices",
    "api": "/api/docs#get_records",
    "summary": "/summaries/month",
    "statement": f"/statements/{date.today():%Y-%m}",
    "users": "/users",
    "backups": "/backups",
    "audit": "/audit",
    "logs": "/logs",
    "not-found": "/nowhere",
}
EMPTY = {"first-steps": "/", "records-empty": "/records", "runs-empty": "/runs", "backups-empty": "/backups"}
ANONYMOUS = {"login": "/login", "offline": "/offline"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("screenshots"))
    parser.add_argument("--language", default="en", help="the browser's: en, zh-CN")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_browser(playwright.chromium), args=ARGUMENTS)
        with tempfile.TemporaryDirectory() as home, _demonstration(Path(home)) as (url, name, password):
            page = browser.new_page(base_url=url, locale="en")
            page.goto("/login")
            _sign_in(page, name, password)
            _draw(browser, page, FULL, options)
            page.context.clear_cookies()
            _draw(browser, page, ANONYMOUS, options)
        with tempfile.TemporaryDirectory() as home, Simulator(accounts=1, days=1) as upstream:
            for instance in serve(Path(home) / "copy", prepare(Path(home) / "prepared"), upstream):
                page = browser.new_page(base_url=instance.url, locale="en")
                make_administrator(page, instance)
                _draw(browser, page, EMPTY, options)
        browser.close()


def _sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")


def _draw(browser: Browser, signed_in: Page, pages: dict[str, str], options: argparse.Namespace) -> None:
    """Each page in each width and theme, as the signed-in account sees it."""
    state = signed_in.context.storage_state()
    base = signed_in.url.split("/", 3)
    for width, (across, down) in WIDTHS.items():
        context = browser.new_context(
            base_url="/".join(base[:3]), storage_state=state, locale=options.language,
            viewport={"width": across, "height": down},
        )  # fmt: skip
        page = context.new_page()
        for name, path in pages.items():
            page.goto(path, wait_until="networkidle")
            for theme in THEMES:
                page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
                page.wait_for_timeout(300)
                target = options.folder / f"{name}-{width}-{theme}.png"
                page.screenshot(path=target, full_page=True)
                print(target)
        context.close()


@contextmanager
def _demonstration(home: Path) -> Iterator[tuple[str, str, str]]:
    """A running demonstration: its address, and the account that it printed."""
    process = subprocess.Popen(
        manage_command("demo", "--bind", "127.0.0.1:0"),
        env=environment(home), cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        said = dict(_said(process))
        yield said["Address"], said["Account"], said["Password"].split()[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _said(process: "subprocess.Popen[str]") -> Iterator[tuple[str, str]]:
    assert process.stdout is not None
    for line in process.stdout:
        name, _, text = line.replace("Serving on ", "Address: ").partition(": ")
        yield name, text.strip()
        if name == "Address":
            return


if __name__ == "__main__":
    main()
