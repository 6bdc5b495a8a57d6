"""Lets an account have a few reads at once; its others hold no thread (docs/decisions/web.md#turns-of-an-account).

All threads share one interpreter: eight reads of one account that are short, but only compute, would keep every other
request from running, though none of them is slow.
"""

import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from archive_site.lib.http import error_responses
from archive_site.lib.http.api_error import ApiError

# The key in the WSGI environment under which the web server puts a request in its queue once more.
COME_AGAIN = "archive.come_again"
# A third slow read at once is refused (`slow_reads`), so there is one beside two slow ones.
AT_ONCE = 3
MOST_WAITING = 100
RETRY_AFTER = 2
_READING = ("GET", "HEAD")
_TOO_MANY = gettext_lazy("Too many requests of your account wait already. Try again in a moment.")
Again = Callable[[], None]


class ComesAgain(BaseException):
    """The request waits for its turn and will be answered later; nothing of it is answered yet.

    No exception for Django, which would answer it.
    """


class Full(Exception):
    """Too many requests of the account wait."""


class _Turns:
    """The reads that this process answers, and those that wait, by account."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[int] = Counter()
        self._waiting: defaultdict[int, deque[Again]] = defaultdict(deque)

    def take(self, account: int, again: Again) -> None:
        """Raises ComesAgain where the account has no turn left; `again` is called once one is. Raises Full."""
        with self._lock:
            if self._running[account] < AT_ONCE:
                self._running[account] += 1
                return
            if len(self._waiting[account]) >= MOST_WAITING:
                raise Full
            self._waiting[account].append(again)
        raise ComesAgain

    def give_back(self, account: int) -> None:
        with self._lock:
            self._running[account] -= 1
            following = self._waiting[account].popleft() if self._waiting[account] else None
            # Without the accounts that read nothing.
            for counted in (self._running, self._waiting):
                if not counted[account]:
                    del counted[account]
        if following:
            following()


_turns = _Turns()


def take_turns(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer a read of an account in its turn. Other web servers have no queue; with them all are answered at once."""

    def answer(request: HttpRequest) -> HttpResponse:
        again: Again | None = request.META.get(COME_AGAIN)
        account = request.user.pk if again and request.method in _READING else None
        if again is None or account is None:
            return get_response(request)
        try:
            _turns.take(account, again)
        except Full:
            error = ApiError(429, "too_frequent", str(_TOO_MANY), retry_after=RETRY_AFTER)
            return error_responses.not_now(request, error)
        try:
            return get_response(request)
        finally:
            _turns.give_back(account)

    return answer
