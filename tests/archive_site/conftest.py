"""The small site that tests of the web server visit; routes beside those of the project, and an account."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import User
from archive_site.metrics import page, store_metrics
from archive_site.serving import web_server
from tests.accounts.page_forms import ApiOf
from tests.archive_site.metrics_page import TOKEN, Scraper
from tests.archive_site.small_site import Site
from tests.factories import ApiClient

LONGEST_BODY = 1000


@pytest.fixture
def site(settings: Any, running_clock: None) -> Iterator[Site]:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = LONGEST_BODY
    made = Site()
    yield made
    made.open.close()
    made.server.stop()
    made.let_pass(web_server.STOP_PATIENCE + 1)
    made.thread.join(10)
    assert not made.thread.is_alive()


@pytest.fixture
def more_routes(settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.archive_site.more_routes"


@pytest.fixture
def member(alice: User, api_of: ApiOf) -> ApiClient:
    return api_of(alice)


@pytest.fixture
def scraper(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Scraper:
    """A visitor of `/metrics`, which shares nothing with other tests and reads everything anew for each answer."""
    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setattr(store_metrics, "KEPT", 0.0)
    monkeypatch.setattr(page, "store_metrics", store_metrics.StoreMetrics())
    return Scraper()
