"""Screenshots of all pages for review: `make screenshots` (python -m tests.browser.screenshots FOLDER).

Wide and narrow, light and dark, and in Chinese; full ones of the demonstration's archive, empty ones of a new instance.
"""
# ruff: noqa: T201 -- a command that prints what it drew

import argparse
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import django
import pyotp
from playwright.sync_api import Browser, Page, sync_playwright

# What the tests share needs Django.
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from collection.sources.codebuddy.simulator.simulator import Simulator  # noqa: E402
from tests.browser.accounts import enter, make_account  # noqa: E402
from tests.browser.launched_browser import ARGUMENTS, installed_browser  # noqa: E402
from tests.browser.running_instance import (  # noqa: E402
    ROOT,
    manage_command,
    prepare,
    serve,
)
from tests.browser.visits import make_administrator, send  # noqa: E402
from tests.factories import PASSWORD  # noqa: E402
from tests.process_stores import environment  # noqa: E402

WIDTHS = {"wide": (1440, 900), "narrow": (390, 844), "narrowest": (320, 640)}
# The browser's language, and the themes of each width.
LOOKS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": dict.fromkeys(WIDTHS, ("light", "dark")),
    "zh-CN": {"wide": ("light",), "narrow": ("light",)},
}
LAST_MONTH = date.today().replace(day=1) - timedelta(days=1)
FULL = {
    "overview": "/",
    "overview-year": "/?period=all",
    "overview-hours": "/?tab=hours",
    "records": "/records",
    "record": "/records?record={record}",
    "records-search": "/records?q=test",
    "repeated": "/repeated?period=all",
    "packages": "/packages",
    "runs": "/runs",
    "run": "/runs/1",
    "archives": "/archives",
    "config": "/config",
    "instance-settings": "/config/instance",
    "import": "/import",
    "profile": "/profile",
    "notices": "/notices",
    "api": "/api/docs#get_records",
    "summary": "/summaries/month",
    "summary-week": "/summaries/week",
    "statement": f"/statements/{date.today():%Y-%m}",
    "statement-past": f"/statements/{LAST_MONTH:%Y-%m}",
    "users": "/users",
    "backups": "/backups",
    "audit": "/audit",
    "logs": "/logs",
    "reauthenticate": "/reauthenticate",
    "not-found": "/nowhere",
    "admin": "/admin/",
    "admin-list": "/admin/audit/entry/",
    "admin-form": "/admin/collection/run/1/change/",
}
ANONYMOUS = {"login": "/login", "register": "/register", "invitation": "{invitation}", "offline": "/offline"}
UNUSED = {"first-run": "{first_run}"}
EMPTY = {
    "first-steps": "/",
    "records-empty": "/records",
    "repeated-empty": "/repeated",
    "packages-empty": "/packages",
    "runs-empty": "/runs",
    "backups-empty": "/backups",
}
# Of an account that is no administrator.
REFUSED = {"forbidden": "/users"}
# Of an account with codes, after the password.
HALF_IN = {"second-factor": "/second-factor"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("screenshots"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_browser(playwright.chromium), args=ARGUMENTS)
        with tempfile.TemporaryDirectory() as home, _demonstration(Path(home)) as (url, name, password):
            page = browser.new_page(base_url=url, locale="en")
            page.goto("/login")
            _sign_in(page, name, password)
            send(page, "/api/settings", allow_register=True)
            invitation = send(page, "/api/users/invitations")["path"]
            record = page.request.get("/api/records?size=1").json()["items"][0]["request_id"]
            _draw(browser, page, FULL, folder, record=record)
            page.context.clear_cookies()
            _draw(browser, page, ANONYMOUS, folder, invitation=invitation)
        with tempfile.TemporaryDirectory() as home, Simulator(accounts=1, days=1) as upstream:
            for instance in serve(Path(home) / "copy", prepare(Path(home) / "prepared"), upstream):
                page = browser.new_page(base_url=instance.url, locale="en")
                page.goto("/offline")
                _draw(browser, page, UNUSED, folder, first_run=instance.first_run)
                make_administrator(page, instance)
                _draw(browser, page, EMPTY, folder)
                make_account(instance, "guest")
                enter(page.context, instance, "guest")
                _draw(browser, page, REFUSED, folder)
                secret = send(page, "/api/second-factor/codes")["secret"]
                send(page, "/api/second-factor/codes/confirm", code=pyotp.TOTP(secret).now())
                page.context.clear_cookies()
                page.goto("/login")
                _sign_in(page, "guest", PASSWORD, "**/second-factor*")
                _draw(browser, page, HALF_IN, folder)
        browser.close()


def _sign_in(page: Page, name: str, password: str, arrives: str = "**/") -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(arrives)


def _draw(browser: Browser, visitor: Page, pages: dict[str, str], folder: Path, **places: str) -> None:
    """Each page in each look, as the visitor sees it."""
    state = visitor.context.storage_state()
    base = "/".join(visitor.url.split("/", 3)[:3])
    for language, widths in LOOKS.items():
        for width, themes in widths.items():
            across, down = WIDTHS[width]
            context = browser.new_context(
                base_url=base, storage_state=state, locale=language, viewport={"width": across, "height": down}
            )
            page = context.new_page()
            for name, path in pages.items():
                page.goto(path.format(**places), wait_until="networkidle")
                for theme in themes:
                    _picture(page, theme, folder / f"{name}-{language}-{width}-{theme}.png")
            context.close()


def _picture(page: Page, theme: str, target: Path) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.wait_for_timeout(300)
    page.screenshot(path=target, full_page=True)
    print(target)


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
