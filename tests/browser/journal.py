"""What pages say and ask for while a test runs, and what the instances say meanwhile: kept for a test that fails."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, Response, WebError

from tests.browser import running_instance
from tests.browser.running_instance import Instance


@dataclass
class Asked:
    """A request of a page, without headers and bodies, which hold cookies and passwords."""

    at: str
    begun: float
    method: str
    url: str
    said: str = "no answer yet"
    ended: float = 0.0

    def __str__(self) -> str:
        took = f"{(self.ended - self.begun) * 1000:.0f} ms" if self.ended else "not ended"
        return f"{self.at} {self.method} {self.url}: {self.said}, {took}"


class Journal:
    """Of all contexts that the browser opens; begun anew by each test."""

    def __init__(self) -> None:
        self.test = ""
        self.console: list[str] = []
        self.contexts: list[BrowserContext] = []
        self._asked: dict[Request, Asked] = {}
        self._marks: dict[Path, tuple[int, int]] = {}

    def begin(self, test: str) -> None:
        self.test = test
        self.console.clear()
        self._asked.clear()
        self._marks = {one.home: (len(one.output), _size(_log_of(one))) for one in running_instance.KNOWN}

    def follow(self, context: BrowserContext) -> None:
        self.contexts.append(context)
        context.on("close", self._forget)
        context.on("console", self._note_message)
        context.on("weberror", self._note_error)
        context.on("request", self._note_request)
        context.on("response", self._note_answer)
        context.on("requestfinished", self._note_end)
        context.on("requestfailed", self._note_failure)

    def pages(self) -> list[Page]:
        """The open pages that show something, the newest context's first."""
        found = [page for context in reversed(self.contexts) for page in context.pages]
        return [page for page in found if page.url != "about:blank"]

    def is_under_way(self, page: Page) -> bool:
        """Whether a request of the page has not ended."""
        return any(not asked.ended and _page_of(request) == page for request, asked in self._asked.items())

    def requests(self) -> list[str]:
        return [str(asked) for asked in self._asked.values()]

    def server_log(self) -> Iterator[str]:
        """What each instance said since the test began: its output, then its log."""
        for one in running_instance.KNOWN:
            of_output, of_log = self._marks.get(one.home, (0, 0))
            parts = {"output": "".join(one.output[of_output:]), "logs/app.log": _since(_log_of(one), of_log)}
            for name, text in parts.items():
                if text:
                    yield f"== {one.url} {name}\n{text}"

    def _forget(self, context: BrowserContext) -> None:
        self.contexts.remove(context)

    def _note_message(self, message: ConsoleMessage) -> None:
        self.console.append(f"{_now()} {message.type}: {message.text}")

    def _note_error(self, error: WebError) -> None:
        self.console.append(f"{_now()} page error: {error.error.stack or error.error}")

    def _note_request(self, request: Request) -> None:
        self._asked[request] = Asked(_now(), perf_counter(), request.method, request.url)

    def _note_answer(self, response: Response) -> None:
        if asked := self._asked.get(response.request):
            asked.said = str(response.status)

    def _note_end(self, request: Request) -> None:
        if asked := self._asked.get(request):
            asked.ended = perf_counter()

    def _note_failure(self, request: Request) -> None:
        self._note_end(request)
        if asked := self._asked.get(request):
            asked.said = f"failed: {request.failure}"


def _page_of(request: Request) -> Page | None:
    # A request for a page that is not there yet, and one of a service worker, have no frame.
    try:
        return request.frame.page
    except Error:
        return None


def _now() -> str:
    return f"{datetime.now():%H:%M:%S.%f}"[:-3]


def _log_of(instance: Instance) -> Path:
    return instance.home / "logs" / "app.log"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _since(path: Path, begin: int) -> str:
    """The text of a file from there on; all of it if another file has begun in its place meanwhile."""
    if not path.exists():
        return ""
    whole = path.read_bytes()
    return whole[begin if begin <= len(whole) else 0 :].decode(errors="replace")


JOURNAL = Journal()
