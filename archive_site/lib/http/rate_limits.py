"""Rate limits, exact across processes: docs/api.md#limits."""

from functools import partial

from django.http import HttpRequest
from django.utils.translation import gettext
from django_ratelimit.core import get_usage

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import bearer_of
from archive_site.lib.http.client_address import client_address, source_of

READS = "240/m"
WRITES = "600/m"
CAPTCHAS = "40/m"


def require_read_rate(request: HttpRequest) -> None:
    """At most 240 reads of `/api/*` in 60 seconds per account or token. Raises ApiError 429."""
    _require(request, "reads", _caller(request), READS, gettext("Too many requests: at most 240 a minute."))


def require_write_rate(request: HttpRequest) -> None:
    """At most 600 writes in 60 seconds per account or token. Raises ApiError 429."""
    _require(request, "writes", _caller(request), WRITES, gettext("Too many changes: at most 600 a minute."))


def require_captcha_rate(request: HttpRequest) -> None:
    """At most 40 pictures in 60 seconds per source. Raises ApiError 429."""
    source = source_of(client_address(request))
    _require(request, "captchas", source, CAPTCHAS, gettext("Too many pictures: at most 40 a minute."))


def _caller(request: HttpRequest) -> str:
    """Who is counted: a token has a count of its own, so that a program does not use up that of its owner's pages."""
    bearer = bearer_of(request)
    return f"token {bearer.token_id}" if bearer and bearer.is_valid else str(request.user.pk)


def _require(request: HttpRequest, group: str, key: str, rate: str, message: str) -> None:
    count = partial(get_usage, request, group=group, key=lambda *_: key, rate=rate, increment=True)
    usage = count()
    # The counter was emptied between its two commands (Redis was restarted): who is not counted is not refused.
    if usage and not usage["limit"]:
        usage = count()
    if usage and usage["should_limit"]:
        raise ApiError(429, "too_frequent", message, retry_after=max(1, usage["time_left"]))
