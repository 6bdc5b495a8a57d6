"""A page that stays open for a day: `python -m tests.soaks.open_page [--refreshes N]`.

The overview and the records are refreshed 1,000 times in a real browser. After a garbage collection they may hold at
most 10 MB of JavaScript more than after the first refreshes, and no more nodes and event listeners.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.browser.accounts import enter
from tests.browser.launched_browser import ARGUMENTS, installed_browser
from tests.browser.open_pages import Held, held_by, refresh
from tests.browser.overview_page import ARCHIVE, READER
from tests.browser.running_instance import Instance, prepare, serve
from tests.browser.visits import make_administrator
from tests.soaks import say

WARM = 20
STEP = 100
MOST_BYTES, MOST_NODES, MOST_LISTENERS = 10_000_000, 500, 50
PAGES = ("/", "/records")


def grown(page: Page, instance: Instance, path: str, refreshes: int) -> Held:
    """What the page holds more after all refreshes."""
    page.goto(path)
    page.wait_for_load_state("networkidle")
    refresh(page, instance, WARM)
    first = last = held_by(page)
    for done in range(0, refreshes, STEP):
        refresh(page, instance, min(STEP, refreshes - done))
        last = held_by(page)
        say(f"  {path} after {min(done + STEP, refreshes)}: {last}")
    return Held(last.bytes - first.bytes, last.nodes - first.nodes, last.listeners - first.listeners)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.open_page")
    options.add_argument("--refreshes", type=int, default=1000)
    refreshes = options.parse_args().refreshes
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    wrong = []
    with (
        tempfile.TemporaryDirectory(prefix="usage-archive-soak-") as folder,
        Simulator(accounts=1, days=1) as upstream,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=installed_browser(playwright.chromium), args=ARGUMENTS)
        for instance in serve(Path(folder) / "home", prepare(Path(folder) / "prepared"), upstream):
            first = browser.new_page(service_workers="block")
            make_administrator(first, instance)
            first.close()
            instance.manage("shell", "-c", ARCHIVE)
            context = browser.new_context(base_url=instance.url, service_workers="block")
            enter(context, instance, READER)
            for path in PAGES:
                page = context.new_page()
                more = grown(page, instance, path, refreshes)
                page.close()
                say(f"{path}: {more.bytes:,} bytes, {more.nodes} nodes and {more.listeners} listeners more")
                if more.bytes > MOST_BYTES or more.nodes > MOST_NODES or more.listeners > MOST_LISTENERS:
                    wrong.append(path)
        browser.close()
    say(f"too much is held: {', '.join(wrong)}" if wrong else "nothing grows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
