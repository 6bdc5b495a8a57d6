"""Refuses a download while its client leaves others unread (docs/decisions/web.md#slow-clients)."""

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError

# The key in the WSGI environment under which the web server says whether a slow client would find a place.
PLACE_IS_FREE = "archive.place_is_free"
RETRY_AFTER = 10
NO_PLACE = {"503 unavailable": "Downloads that the client's address has begun are not read."}


def require_place(request: HttpRequest) -> None:
    """Raises ApiError 503 `unavailable` if the client's source has no place left for a connection that it reads slowly.

    Other web servers do not count slow clients; with them every download is allowed.
    """
    is_free: Callable[[], bool] | None = request.META.get(PLACE_IS_FREE)
    if is_free is not None and not is_free():
        message = gettext("Downloads that this address has begun are not read. Try again in a moment.")
        raise ApiError(503, "unavailable", message, retry_after=RETRY_AFTER)
