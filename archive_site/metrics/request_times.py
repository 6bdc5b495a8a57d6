"""How long the requests of this process took, by route, method and status. All three have few values."""

import re
from functools import lru_cache

from django.http import HttpRequest
from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_METHODS = ("GET", "HEAD", "POST")
# Answered before a route is looked for.
_PROBES = ("/healthz", "/readyz", "/metrics")
_STATIC = "/static/"
NO_ROUTE = "none"

# Without a metric for the time at which each of the others began.
disable_created_metrics()  # type: ignore[no-untyped-call]  # not typed there
registry = CollectorRegistry()
_times = Histogram(
    "usage_archive_http_request_duration_seconds",
    "Seconds from a request to the beginning of its answer, in the process that was asked.",
    ["route", "method", "status"],
    registry=registry,
    buckets=_BUCKETS,
)


def note(request: HttpRequest, status: int, seconds: float) -> None:
    """Note how long a request took."""
    method = request.method if request.method in _METHODS else "other"
    _times.labels(_route_of(request), method, f"{status // 100}xx").observe(seconds)


def text() -> bytes:
    """What was noted, for Prometheus."""
    return generate_latest(registry)


def _route_of(request: HttpRequest) -> str:
    if request.resolver_match:
        return _named(request.resolver_match.route)
    if request.path_info in _PROBES:
        return request.path_info
    return _STATIC if request.path_info.startswith(_STATIC) else NO_ROUTE


@lru_cache(maxsize=512)
def _named(route: str) -> str:
    """The pattern of a route without the types of its parts: `/api/runs/<run_id>`. The admin site counts as one."""
    if route.startswith("admin/"):
        return "/admin/"
    # A route for all that has none.
    return NO_ROUTE if route.startswith("^") else "/" + re.sub(r"<\w+:(\w+)>", r"<\1>", route)
