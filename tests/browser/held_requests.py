"""Requests of a page that wait until the test answers them or lets them go."""

import re

from playwright.sync_api import Page, Route

from tests.browser.waiting import until


class HeldRequests:
    """The requests to addresses of a pattern, and of one method if it is given, whose answers wait."""

    def __init__(self, page: Page, pattern: str | re.Pattern[str], method: str = "") -> None:
        self.page, self.pattern, self.method = page, pattern, method
        self.routes: list[Route] = []
        page.route(pattern, self._hold)

    def _hold(self, route: Route) -> None:
        if self.method in ("", route.request.method):
            self.routes.append(route)
        else:
            route.fallback()

    def take(self) -> Route:
        """The next request, once it is there: the page may show what it does before the test has heard of it."""
        until(self.page, lambda: self.routes, f"no request to {self.pattern} came")
        return self.routes.pop(0)

    def release(self) -> None:
        """Let go what is held; later requests are no longer held."""
        for route in self.routes:
            route.continue_()
        self.page.unroute(self.pattern)
