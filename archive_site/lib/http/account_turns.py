"""Lets an account have a few requests at once; its others hold no thread (docs/decisions/web.md#turns-of-an-account).

All threads share one interpreter: eight requests of one account that are short, but only compute, would keep every
other request from running, though none of them is slow.
"""

import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from archive_site.lib.http import error_responses
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.body_limits import is_upload

# The keys in the WSGI environment under which the web server puts a request in its queue once more, and under which it
# finds what to call when the answer is sent or its client gone.
COME_AGAIN = "archive.come_again"
WHEN_SENT = "archive.when_sent"
# A third slow read at once is refused (`slow_reads`), so there is one beside two slow ones. Reads and writes have turns
# of their own: pages can be read beside a collection that a request waits for.
AT_ONCE = 3
# Answers to reads that are made and not sent yet, whatever their size.
MOST_UNSENT = 6
MOST_WAITING = 1_000
RETRY_AFTER = 2
_READING = ("GET", "HEAD")
_TOO_MANY = gettext_lazy("Too many requests of your account wait already. Try again in a moment.")
# Puts a request in the queue once more; False if its client has left. What it is given is called when the request is
# done, since the client may leave before its turn is taken.
Again = Callable[[Callable[[], None]], bool]
# An account, and whether it reads.
Key = tuple[int, bool]


class ComesAgain(BaseException):
    """The request waits for its turn and will be answered later; nothing of it is answered yet.

    No exception for Django, which would answer it.
    """


class Full(Exception):
    """Too many requests of the account wait."""


class _Turns:
    """The requests that this process answers, the answers that are not sent, and the requests that wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[Key] = Counter()
        self._unsent: Counter[Key] = Counter()
        self._waiting: defaultdict[Key, deque[Again]] = defaultdict(deque)

    def take(self, key: Key, again: Again) -> None:
        """Raises ComesAgain where the account has no turn left; `again` is called once one is. Raises Full."""
        with self._lock:
            if self._has_one(key):
                self._running[key] += 1
                return
            if len(self._waiting[key]) >= MOST_WAITING:
                raise Full
            self._waiting[key].append(again)
        raise ComesAgain

    def give_back(self, key: Key, *, is_sent: bool) -> None:
        """Give a turn back; an answer that is not sent counts until `note_sent`."""
        with self._lock:
            self._running[key] -= 1
            self._unsent[key] += not is_sent
        self._call_next(key)

    def note_sent(self, key: Key) -> None:
        with self._lock:
            self._unsent[key] -= 1
        self._call_next(key)

    def _call_next(self, key: Key) -> None:
        """Let the next one come that is still there: nobody computes for those who left."""
        call_next = partial(self._call_next, key)
        while (following := self._next(key)) and not following(call_next):
            pass

    def _has_one(self, key: Key) -> bool:
        return self._running[key] < AT_ONCE and self._unsent[key] < MOST_UNSENT

    def _next(self, key: Key) -> Again | None:
        with self._lock:
            following = self._waiting[key].popleft() if self._waiting[key] and self._has_one(key) else None
            # Without the accounts that ask nothing.
            for counted in (self._running, self._unsent, self._waiting):
                if not counted[key]:
                    del counted[key]
        return following


_turns = _Turns()


def take_turns(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer a request of an account in its turn, but for a file that is imported, which has a place.

    Other web servers have no queue; with them all are answered at once.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        again: Again | None = request.META.get(COME_AGAIN)
        if again is None or request.user.pk is None or is_upload(request.path_info, request.content_type or ""):
            return get_response(request)
        reads = request.method in _READING
        key = request.user.pk, reads
        try:
            _turns.take(key, again)
        except Full:
            error = ApiError(429, "too_frequent", str(_TOO_MANY), retry_after=RETRY_AFTER)
            return error_responses.not_now(request, error)
        when_sent: Callable[[Callable[[], None]], None] | None = (
            request.META.get(WHEN_SENT) if request.method in _READING else None
        )
        try:
            return get_response(request)
        finally:
            _turns.give_back(key, is_sent=when_sent is None)
            if when_sent:
                when_sent(partial(_turns.note_sent, key))

    return answer
