"""Ends reads that take too long, and keeps an account from many slow ones at once (docs/api.md#slow-reads)."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from archive_site.lib import seldom_log
from archive_site.lib.http import error_responses
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import description_of
from archive_site.lib.http.json_views import endpoint_of
from archive_site.lib.http.waiting_requests import waiting_at
from archive_site.lib.i18n import filled
from archive_site.lib.storage import time_limit

log = logging.getLogger(__name__)
SLOW_AT_ONCE = 2
RETRY_AFTER = 2
_READING = ("GET", "HEAD")
_OF_STORE = (time_limit.OutOfTime, DatabaseError)
_ATTRIBUTE = "timed_read"
_TOO_MANY = gettext_lazy("%(most)s slow reads of your account are running already. Wait until they are done.")
_TOO_SLOW = gettext_lazy(
    "This took longer than %(seconds)s seconds and was ended. "
    "Ask for fewer days, choose a model or client, or search for a longer text."
)


class _Reads:
    """The slow reads that this process answers, counted by account."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slow: Counter[int] = Counter()

    def become_slow(self, account: int) -> bool:
        """Whether a read that is running may go on as a slow one."""
        with self._lock:
            if self._slow[account] >= SLOW_AT_ONCE:
                return False
            self._slow[account] += 1
            return True

    def end_slow(self, account: int) -> None:
        with self._lock:
            self._slow[account] -= 1
            # Without the accounts that read nothing.
            if not self._slow[account]:
                del self._slow[account]


_reads = _Reads()


class ReadTime:
    """The deadline of one read, which is slow from `SLOW_READ_SECONDS` on and over after `READ_SECONDS`.

    A read that gets slow beside `SLOW_AT_ONCE` others of its account is over as soon as requests wait for a thread, and
    after `THIRD_SLOW_READ_SECONDS` if none does.
    """

    def __init__(self, account: int, requests_wait: Callable[[], bool]):
        self._account = account
        self._requests_wait = requests_wait
        self._begun = monotonic()
        self.is_slow = False
        self._refusal: ApiError | None = None

    def is_over(self) -> bool:
        return self.refusal() is not None

    def refusal(self) -> ApiError | None:
        """What answers the read if it is over."""
        self._refusal = self._refusal or self._found_over()
        return self._refusal

    def _found_over(self) -> ApiError | None:
        passed = monotonic() - self._begun
        if passed >= settings.READ_SECONDS:
            return ApiError(503, "too_slow", filled(_TOO_SLOW, seconds=f"{settings.READ_SECONDS:g}"))
        if passed < settings.SLOW_READ_SECONDS or self.is_slow:
            return None
        self.is_slow = _reads.become_slow(self._account)
        is_over = not self.is_slow and (passed >= settings.THIRD_SLOW_READ_SECONDS or self._requests_wait())
        return _too_many() if is_over else None

    def seconds_left(self) -> float:
        passed = monotonic() - self._begun
        limits = (settings.SLOW_READ_SECONDS, settings.THIRD_SLOW_READ_SECONDS, settings.READ_SECONDS)
        next_limit = next((limit for limit in limits if limit > passed), passed)
        return float((settings.READ_SECONDS if self.is_slow else next_limit) - passed)


@contextmanager
def _timed(account: int, requests_wait: Callable[[], bool]) -> Iterator[ReadTime]:
    """Limit a read of an account, and count it where it gets slow."""
    time = ReadTime(account, requests_wait)
    try:
        with time_limit.limited(time):
            yield time
    finally:
        if time.is_slow:
            _reads.end_slow(account)


def _too_many() -> ApiError:
    return ApiError(429, "too_frequent", filled(_TOO_MANY, most=SLOW_AT_ONCE), retry_after=RETRY_AFTER)


@dataclass
class _Read:
    """What a request is given when its view is found."""

    block: ExitStack
    time: ReadTime | None = None


class TimedReads:
    """Middleware, the innermost: limits the view alone, and only reads of accounts that are no files."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with ExitStack() as block:
            setattr(request, _ATTRIBUTE, _Read(block))
            return self._get_response(request)

    def process_view(self, request: HttpRequest, route: Callable[..., Any], *view: object) -> HttpResponse | None:
        if request.method not in _READING or not request.user.is_authenticated or _gives_file(route):
            return None
        read: _Read = getattr(request, _ATTRIBUTE)
        read.time = read.block.enter_context(_timed(request.user.pk, waiting_at(request)))
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        read: _Read = getattr(request, _ATTRIBUTE)
        refusal = read.time.refusal() if read.time and isinstance(error, _OF_STORE) else None
        if refusal is None:
            return None
        # The answer may ask the store for the account.
        read.block.close()
        route = request.resolver_match.route if request.resolver_match else ""
        seldom_log.warn(log, "slow_read", "a read of account %s was ended: %s", request.user.pk, route)
        return error_responses.too_slow(request, refusal)


def _gives_file(route: Callable[..., Any]) -> bool:
    """Whether a route answers with a file: its reading takes a place of its own."""
    found = endpoint_of(route)
    description = description_of(found.views.get("GET") if found else route)
    return description is not None and description.gives_file
