"""What a visitor does in a browser, and what goes wrong meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.browser.accounts import ADMIN, enter
from tests.browser.failure_folder import photograph
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.factories import PASSWORD


@dataclass
class Watch:
    """What went wrong in a page; a test names the error statuses that it provokes."""

    origin: str
    allowed: set[int] = field(default_factory=set)
    allowed_texts: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def expect(self, *statuses: int) -> None:
        self.allowed.update(statuses)

    def allow_text(self, text: str) -> None:
        """Expect messages with this text, such as those of requests that a test breaks off."""
        self.allowed_texts.add(text)

    def note_message(self, message: ConsoleMessage) -> None:
        expected = any(f"with a status of {status} " in message.text for status in self.allowed)
        expected = expected or any(text in message.text for text in self.allowed_texts)
        if message.type == "error" and not expected:
            self.problems.append(message.text)

    def note_request(self, request: Request) -> None:
        if not request.url.startswith((self.origin + "/", "data:")):
            self.problems.append(f"left the origin: {request.url}")


def sign_in_unseen(context: BrowserContext, name: str = ADMIN, password: str = PASSWORD) -> None:
    """Sign in with name and password, without a page."""
    context.clear_cookies()
    context.request.get("/login")
    form: dict[str, str | float | bool] = {"username": name, "password": password, "_csrf": token_of(context)}
    answer = context.request.post("/login", form=form, max_redirects=0)
    assert answer.status == 302, answer.text()


def visitor(browser: Browser, instance: Instance, name: str, password: str = "") -> Page:
    """The account's own browser, signed in, with its password if that is given; to be closed with its context."""
    page = browser.new_context(base_url=instance.url).new_page()
    if password:
        sign_in_unseen(page.context, name, password)
    else:
        enter(page.context, instance, name)
    return page


def token_of(context: BrowserContext) -> str:
    return next(cookie["value"] for cookie in context.cookies() if cookie["name"].endswith("_csrf"))


def send(page: Page, path: str, **body: object) -> dict[str, Any]:
    """What the API answers the page's visitor."""
    answer = page.request.post(path, data=body, headers={"X-CSRF-Token": token_of(page.context)})
    assert answer.ok, answer.text()
    said: dict[str, Any] = answer.json()
    return said


def make_administrator(page: Page, instance: Instance) -> None:
    make_first(page, instance.first_run)
    arrived(page, instance.url + "/")


def administered(browser: Browser, instances: Iterator[Instance]) -> Iterator[Instance]:
    """Make the administrator of each instance."""
    for running in instances:
        page = browser.new_page()
        make_administrator(page, running)
        page.close()
        yield running


def make_first(page: Page, link: str) -> None:
    """Create the administrator on the first-run page."""
    page.goto(link)
    page.get_by_label("User name").fill(ADMIN)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()


def sign_in(page: Page, instance: Instance, username: str = ADMIN, password: str = PASSWORD) -> None:
    sign_in_at(page, instance.url, username, password)


def sign_in_at(page: Page, url: str, username: str = ADMIN, password: str = PASSWORD) -> None:
    """Sign in by the form of the service at that address."""
    page.goto(url + "/login")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    arrived(page, url + "/")


def watched(context: BrowserContext, watch: Watch) -> Iterator[Page]:
    page = context.new_page()
    page.on("console", watch.note_message)
    page.on("pageerror", lambda error: watch.problems.append(str(error)))
    context.on("request", watch.note_request)
    yield page
    if watch.problems:
        photograph()
    page.close()
    context.remove_listener("request", watch.note_request)
    assert watch.problems == []
