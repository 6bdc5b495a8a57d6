"""GET /metrics: the times of requests, measured in the real middleware (docs/metrics.md)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from archive_site.metrics import request_times
from tests.archive_site.metrics_page import Metrics, Scraper
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call

pytestmark = pytest.mark.django_db
Count = dict[tuple[str, str, str], float]


def counts() -> Count:
    """How many requests this process has measured, by route, method and status."""
    found = Metrics.of(request_times.text().decode()).by_labels("http_request_duration_seconds_count")
    named = [(dict(labels), number) for labels, number in found.items()]
    return {(labels["route"], labels["method"], labels["status"]): number for labels, number in named}


@contextmanager
def counted() -> Iterator[Count]:
    """What was measured in the block."""
    before, found = counts(), Count()
    yield found
    found.update({key: number - before.get(key, 0) for key, number in counts().items() if number != before.get(key, 0)})


Ask = Callable[[Client], Any]


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda client: client.get("/"), ("/", "GET", "2xx")),
        (lambda client: client.get("/api/summary?from=2026-01-01"), ("/api/summary", "GET", "2xx")),
        (lambda client: client.get("/api/records/r1"), ("/api/records/<request_id>", "GET", "2xx")),
        (lambda client: client.get("/api/records/r2"), ("/api/records/<request_id>", "GET", "4xx")),
        (lambda client: client.get("/api/runs/7"), ("/api/runs/<run_id>", "GET", "4xx")),
        (lambda client: client.get("/api/nothing"), ("none", "GET", "4xx")),
        (lambda client: client.get("/nothing"), ("none", "GET", "4xx")),
        (lambda client: client.get("/admin/usage/record/"), ("/admin/", "GET", "3xx")),
        (lambda client: client.head("/api/summary"), ("/api/summary", "HEAD", "2xx")),
        (lambda client: client.post("/api/summary"), ("/api/summary", "POST", "4xx")),
        (lambda client: client.generic("BREW", "/api/summary"), ("/api/summary", "other", "4xx")),
        (lambda client: client.get("/healthz"), ("/healthz", "GET", "2xx")),
        (lambda client: client.get("/static/nothing.js"), ("/static/", "GET", "4xx")),
        (lambda client: client.get("/", headers={"Host": "evil.example"}), ("none", "GET", "4xx")),
    ],
)
def test_a_request_is_measured_under_its_route(
    ask: Ask, expected: tuple[str, str, str], alice: User, scraper: Scraper
) -> None:
    archive(alice, call("r1"))
    client = ApiClient.signed_in(alice).client
    with counted() as found:
        ask(client)
    assert found == {expected: 1}


@pytest.mark.usefixtures("more_routes")
def test_a_failure_is_measured(scraper: Scraper) -> None:
    with counted() as found:
        assert ApiClient().get("/broken").status_code == 500
    assert found == {("/broken", "GET", "5xx"): 1}


def test_the_times_fall_into_buckets(scraper: Scraper, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = {"route": "/readyz", "method": "GET", "status": "2xx"}
    before = scraper.read()
    ticks = iter([10.0, 10.3])
    with monkeypatch.context() as patch:
        patch.setattr("archive_site.metrics.middleware.perf_counter", lambda: next(ticks))
        assert ApiClient().get("/readyz").status_code == 200
    after = scraper.read()

    def risen(part: str, **more: str) -> float:
        name = f"http_request_duration_seconds_{part}"
        return (after.value(name, **labels, **more) or 0) - (before.value(name, **labels, **more) or 0)

    assert [risen("bucket", le=le) for le in ("0.25", "0.5", "30.0", "+Inf")] == [0, 1, 1, 1]
    assert risen("count") == 1
    assert risen("sum") == pytest.approx(0.3)


def test_no_other_metric_says_when_each_began(scraper: Scraper) -> None:
    scraper.text()
    assert not [name for name in scraper.read().names if name.endswith("_created")]


def test_no_word_of_a_visitor_becomes_a_label(scraper: Scraper) -> None:
    client = ApiClient().client
    for number in range(5):
        client.get(f"/marker-7f3a-{number}")
        client.get(f"/api/records/marker-7f3a-{number}")
        client.generic(f"MARKER{number}", "/login")
    assert "marker" not in scraper.text().lower()


def test_nothing_is_measured_where_the_page_is_off() -> None:
    with counted() as found:
        ApiClient().get("/healthz")
    assert found == {}
