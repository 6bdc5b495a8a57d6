"""GET /metrics: docs/metrics.md."""

import logging

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.store_refusals import RETRY_AFTER
from archive_site.lib.locks import write_freeze
from archive_site.metrics import request_times
from archive_site.metrics.access import NO_STORE, plain, refusal
from archive_site.metrics.store_metrics import StoreMetrics

log = logging.getLogger(__name__)
_METHODS = ["GET", "HEAD"]
store_metrics = StoreMetrics()


def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics as text; 503 while a restore replaces the store."""
    if refused := refusal(request):
        return refused
    if request.method not in _METHODS:
        return HttpResponseNotAllowed(_METHODS, headers=NO_STORE)
    if _is_restoring():
        return plain("A restore replaces the store.\n", 503, **{"Retry-After": str(RETRY_AFTER)})
    text = store_metrics.text() + request_times.text()
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4, headers=NO_STORE)


def _is_restoring() -> bool:
    try:
        with write_freeze.writing():
            return False
    except ApiError:
        return True
    except DatabaseError:
        # The locks of several nodes are in the database. The page is needed most when that does not answer.
        log.warning("whether a restore is under way cannot be found out", exc_info=True)
        return False
