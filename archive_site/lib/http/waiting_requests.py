"""Whether requests wait for a thread of the web server."""

from collections.abc import Callable

from django.http import HttpRequest

# The key in the WSGI environment under which the web server says it.
REQUESTS_WAIT = "archive.requests_wait"


def waiting_at(request: HttpRequest) -> Callable[[], bool]:
    """Says at any time whether requests wait. Other web servers do not say it: none does then."""
    says: Callable[[], bool] = request.META.get(REQUESTS_WAIT, bool)
    return says
