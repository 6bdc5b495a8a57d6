"""Requests of a page that wait until the test answers them or lets them go."""

import pytest
from playwright.sync_api import Page, Route

from tests.browser.launched_browser import LONG


class HeldRequests:
    """The requests to addresses of a pattern, and of one method if it is given, whose answers wait."""

    def __init__(self, page: Page, pattern: str, method: str = "") -> None:
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
        for _ in range(LONG // 20):
            if self.routes:
                return self.routes.pop(0)
            self.page.wait_for_timeout(20)
        pytest.fail(f"No request to {self.pattern} came.")

    def release(self) -> None:
        """Let go what is held; later requests are no longer held."""
        for route in self.routes:
            route.continue_()
        self.page.unroute(self.pattern)
