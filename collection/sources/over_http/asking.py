"""Sending a request to a service until it is answered, with retries (docs/upstream.md#request)."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from archive_site.lib.stored_message import Message
from collection.sources.over_http.exchange import Answer, Request, Trouble, late
from collection.sources.source import FirstAnswer, ReadingStopped, SourceFailure
from collection.sources.spacing import until_turn
from usage.packages.order import Orders
from usage.packages.package import Packages, WantedPackage
from usage.proofs.bill import Bill, Spent

if TYPE_CHECKING:
    from collection.sources.over_http.wire import Wire

WAITS = (2.0, 4.0, 8.0, 16.0)
TRIES = len(WAITS) + 1
MAX_RETRY_AFTER = 60.0
# A service that is not there at all, or has too much to do, says otherwise.
_TOO_MUCH = {500, 504, 524}
GLANCE = 0.5


class TooMuchAsked(SourceFailure):
    """The service gave no answer in time, or failed at it, each time: it may answer about a shorter span."""


@dataclass
class Asking:
    """Requests to one service, over one connection.

    `timeout` is in seconds, for each request as a whole; `pause` are the seconds between two of them at least, and
    `overload_wait` those after a 429 that says none. `should_stop` is called twice a second, in the caller's thread;
    `note` gets a line for each retry. `now` gives the aware moment of a request, `monotonic` the seconds by which
    deadlines are measured; `tries`, at most `TRIES`, limits how often a request is sent. `until_turn` gives the seconds
    that a request to an address has to wait for others. Without `private_allowed` hosts must be public.
    """

    timeout: float
    ssl_verify: bool
    is_worth_another_try: Callable[[Answer], bool]
    should_stop: Callable[[], bool] = lambda: False
    note: Callable[[Message], None] = lambda line: None
    tries: int | None = None
    pause: float = 0.0
    overload_wait: float = 0.0
    private_allowed: bool = True
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    until_turn: Callable[[str], float] = until_turn
    _wire: "Wire | None" = field(default=None, init=False, repr=False)
    _asked: float | None = field(default=None, init=False, repr=False)

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._wire:
            self._wire.close()
            self._wire = None

    def ask(self, request: Request, tries: int = 0) -> tuple[Answer, datetime]:
        """Send a request until it is answered; gives the answer and when its request was sent.

        It is sent `tries` times at most; 0 stands for as often as this connection does. Raises SourceFailure where no
        answer comes, TooMuchAsked where the service was at it for too long or failed, and ReadingStopped.
        """
        tries = tries or self.tries or TRIES
        for tried in range(1, tries + 1):
            self._glance()
            self._take_turn(request.url)
            asked_at = self.now()
            answer = self._exchange(request)
            if isinstance(answer, Answer) and not self.is_worth_another_try(answer):
                return answer, asked_at
            if isinstance(answer, Trouble) and answer.final:
                raise SourceFailure("api", answer.message, answer.cause)
            why = f"HTTP {answer.status}" if isinstance(answer, Answer) else answer.message
            if tried < tries:
                seconds = self._patience(answer, WAITS[tried - 1])
                self.note(Message("waiting", why=why, seconds=f"{seconds:.3g}", number=tried + 1, tries=tries))
                self._wait(seconds)
        message = Message("no_answer", why=why)
        if tries > 1:
            message = Message("no_answer_in_tries", tries=tries, why=why)
        if isinstance(answer, Trouble):
            raise (TooMuchAsked if answer.is_late else SourceFailure)("api", message, answer.cause)
        raise (TooMuchAsked if answer.status in _TOO_MUCH else SourceFailure)("api", message)

    def _exchange(self, request: Request) -> Answer | Trouble:
        """Run one request in the wire's thread; at its deadline, or on a stop, close the connection."""
        wire = self._wire = self._wire or self._opened()
        deadline = self.monotonic() + self.timeout
        answer = wire.ask(request)
        try:
            while not answer.done() and (left := deadline - self.monotonic()) > 0:
                if not wait([answer], min(GLANCE, left)).done:
                    self._glance()
            return answer.result() if answer.done() else late(self.timeout)
        finally:
            if not answer.done():
                self.close()

    def _opened(self) -> "Wire":
        """A new connection. The first one of a process loads the HTTP client, which an idle process never needs."""
        import urllib3

        from collection.sources.over_http.wire import Wire

        if not self.ssl_verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        return Wire(self.timeout, self.ssl_verify, private_allowed=self.private_allowed)

    def _take_turn(self, address: str) -> None:
        """Wait until a request may be sent, for this connection and for all that ask the same host."""
        if self.pause and self._asked is not None:
            self._wait(self._asked + self.pause - self.monotonic())
        while seconds := self.until_turn(address):
            self._wait(seconds)
        self._asked = self.monotonic()

    def _patience(self, answer: Answer | Trouble, own: float) -> float:
        """Give the seconds to wait: those of `Retry-After`, at least `own`, at most 60."""
        asked = _retry_after(answer.retry_after.strip()) if isinstance(answer, Answer) else 0.0
        if isinstance(answer, Answer) and answer.status == 429 and not asked:
            asked = self.overload_wait
        return min(max(asked, own), MAX_RETRY_AFTER)

    def _wait(self, seconds: float) -> None:
        while seconds > 0:
            self._glance()
            self.sleep(min(GLANCE, seconds))
            seconds -= GLANCE

    def _glance(self) -> None:
        if self.should_stop():
            raise ReadingStopped


class Connected:
    """What asks over one connection: it is used in a `with`, which closes it. What few sources give is nothing here."""

    _asking: Asking

    first_answer: FirstAnswer | None = None

    @property
    def credential(self) -> tuple[str, str]:
        return "", ""

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        return iter(())

    def spent(self) -> Spent | None:
        return None

    def orders(self, *, are_known: bool) -> Orders | None:
        return None

    def packages(self, wanted: Sequence[WantedPackage]) -> Packages | None:
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._asking.close()


def _retry_after(text: str) -> float:
    """The seconds of a `Retry-After`, which is a number or an HTTP date; 0 where it is neither."""
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    with suppress(ValueError):
        until = parsedate_to_datetime(text)
        return (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return 0.0
