"""Measures requests and answers `/metrics`. Where the page is off, Django leaves both out."""

from collections.abc import Callable
from time import perf_counter

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from archive_site.metrics.access import is_on

PATH = "/metrics"
Next = Callable[[HttpRequest], HttpResponse]


def measure_requests(get_response: Next) -> Next:
    """Measure each request up to the beginning of its answer."""
    if not is_on():
        raise MiddlewareNotUsed
    # Loaded only where it is used, as in `answer_metrics`: the library takes memory.
    from archive_site.metrics.request_times import note

    def answer(request: HttpRequest) -> HttpResponse:
        begin = perf_counter()
        response = get_response(request)
        note(request, response.status_code, perf_counter() - begin)
        return response

    return answer


def answer_metrics(get_response: Next) -> Next:
    """Answer beside the probes, before the Host header is checked and personal tokens and sessions are looked at."""
    if not is_on():
        raise MiddlewareNotUsed
    from archive_site.metrics.page import metrics

    def answer(request: HttpRequest) -> HttpResponse:
        return (metrics if request.path_info == PATH else get_response)(request)

    return answer
