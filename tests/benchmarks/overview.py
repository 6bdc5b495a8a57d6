"""The overview page over the data set in a real browser: time to first paint, time to charts, and bytes.

python -m tests.benchmarks.overview [--home FOLDER]
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.benchmarks import dataset
from tests.benchmarks.dataset import NAME, PASSWORD
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, ms
from tests.benchmarks.serving import Site
from tests.browser.launched_browser import installed_browser

ROUNDS = 9
# Milliseconds from the opening of a tab to the address.
SETTLED = 400
MOST_PAINT, MOST_CHARTS, MOST_OF_MODEL = 400.0, 700.0, 900.0
MOST_FIRST, MOST_SECOND = 140_000, 12_000
PAGES = {
    "all": "/?period=all",
    "a model": "/?period=all&model=model-a",
    "30 days": "/?period=custom&from=2026-09-01&to=2026-09-30",
    "30 days of a model": "/?period=custom&from=2026-09-01&to=2026-09-30&model=model-a",
}
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
# Not `wait_for_function`: the page's Content-Security-Policy forbids its eval.
DRAWN = """() => new Promise((done) => {
  const tell = (list) => list.getEntriesByName("archive:charts").forEach(({ startTime }) => done(startTime));
  new PerformanceObserver(tell).observe({ type: "mark", buffered: true });
})"""


@dataclass
class Wire:
    """The bytes on the wire, headers included: answers of the API, and all others."""

    data: int = 0
    rest: int = 0
    _paths: dict[str, str] = field(default_factory=dict)

    def watch(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._begin)
        session.on("Network.loadingFinished", self._end)

    def _begin(self, event: dict[str, Any]) -> None:
        self._paths[event["requestId"]] = event["request"]["url"]

    def _end(self, event: dict[str, Any]) -> None:
        size = int(event["encodedDataLength"])
        if "/api/" in self._paths.get(event["requestId"], ""):
            self.data += size
        else:
            self.rest += size


@dataclass(frozen=True)
class Visit:
    """One load of a page: milliseconds until it is painted and its charts are drawn, and its bytes if weighed."""

    painted: float
    drawn: float
    data: int
    rest: int


def measure(home: Path, report: Report) -> None:
    with Site(home) as site, _browser() as browser:
        for name, path in PAGES.items():
            # The first visits warm the server; they also count bytes, which slows a browser down.
            weights = _visits(browser, site.address, path, weigh=True)
            first, second = zip(*(_visits(browser, site.address, path) for _ in range(ROUNDS)), strict=True)
            report.line()
            for words, visits, weight in zip(("first", "second"), (first, second), weights, strict=True):
                _report(f"{name}, {words} load", visits, weight, report)
            if name == "all":
                _hold(first, weights, report)
            if name == "a model":
                charts = median(one.drawn for one in first)
                report.limit("overview: ms until charts of one model are drawn", charts, most=MOST_OF_MODEL)


def _report(words: str, visits: tuple[Visit, ...], weight: Visit, report: Report) -> None:
    painted, drawn = (median(getattr(visit, what) for visit in visits) for what in ("painted", "drawn"))
    report.line(
        f"{words}: painted after {ms(painted / 1000)}, charts after {ms(drawn / 1000)}, "
        f"{weight.rest:,} bytes and {weight.data:,} of data"
    )


def _hold(first: tuple[Visit, ...], weights: tuple[Visit, Visit], report: Report) -> None:
    report.limit("overview: ms until first contentful paint", median(one.painted for one in first), most=MOST_PAINT)
    report.limit("overview: ms until charts are drawn", median(one.drawn for one in first), most=MOST_CHARTS)
    report.limit("overview: kB on first load apart from data", weights[0].rest / 1000, most=MOST_FIRST / 1000)
    report.limit("overview: kB on second load apart from data", weights[1].rest / 1000, most=MOST_SECOND / 1000)


def _visits(browser: Browser, origin: str, path: str, *, weigh: bool = False) -> tuple[Visit, Visit]:
    """The first load with an empty cache, and the next one."""
    # Bytes that a service worker fetches do not count for the page.
    workers: Literal["block", "allow"] = "block" if weigh else "allow"
    context = browser.new_context(viewport={"width": 1440, "height": 900}, service_workers=workers)
    try:
        _sign_in(context, origin)
        return _visit(context, origin + path, weigh=weigh), _visit(context, origin + path, weigh=weigh)
    finally:
        context.close()


def _visit(context: BrowserContext, url: str, *, weigh: bool) -> Visit:
    page, wire = context.new_page(), Wire()
    if weigh:
        wire.watch(page)
    # A tab that was opened this moment still starts its processes, and the one before still ends its own.
    page.wait_for_timeout(SETTLED)
    page.goto(url)
    drawn = page.evaluate(DRAWN)
    page.wait_for_load_state("networkidle")
    visit = Visit(page.evaluate(PAINTED), drawn, wire.data, wire.rest)
    page.close()
    return visit


def _sign_in(context: BrowserContext, origin: str) -> None:
    """Sign in without a page, since a page would fill the cache."""
    context.request.get(f"{origin}/login")
    token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "archive_csrf")
    form: dict[str, Any] = {"username": NAME, "password": PASSWORD, "_csrf": token}
    context.request.post(f"{origin}/login", form=form, headers={"Origin": origin})


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed_browser(playwright.chromium), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.overview")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    report = Report(sys.stdout)
    measure(prepare(parser.parse_args().home, report), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
