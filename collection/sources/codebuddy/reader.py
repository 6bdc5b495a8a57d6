"""Requesting pages of an account's usage over HTTPS, with retries (docs/upstream.md#request)."""

import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import count
from typing import TYPE_CHECKING, Self

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.exchange import Trouble, UpstreamSettings, late
from collection.sources.codebuddy.failures import Answer, is_past_the_end, is_worth_another_try
from collection.sources.codebuddy.rows import read_answer
from collection.sources.codebuddy.traits import TRAITS
from collection.sources.codebuddy.wall_clocks import first_wall, last_wall, walls_of_rows
from collection.sources.source import Page, ReadingStopped, SourceFailure, UnusableAnswer
from collection.sources.spacing import until_turn

if TYPE_CHECKING:
    from collection.sources.codebuddy.wire import Wire

WAITS = (2.0, 4.0, 8.0, 16.0)
TRIES = len(WAITS) + 1
MAX_RETRY_AFTER = 60.0
GLANCE = 0.5
# Rows of a request for a count.
CHECK_SIZE = 10
# The longest window that a collection requests.
LOOKED_BACK = timedelta(days=31)
# Each is found by about ten requests, and a window is read three times where rows cannot be read.
MOST_ROWS_TOO_LARGE = 20


class Upstream:
    """Pages of one account's usage, over one connection."""

    traits = TRAITS

    def __init__(
        self,
        settings: UpstreamSettings,
        *,
        should_stop: Callable[[], bool] = lambda: False,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
        note: Callable[[Message], None] = lambda line: None,
        tries: int | None = None,
        until_turn: Callable[[str], float] = until_turn,
    ) -> None:
        """`should_stop` is called twice a second, in the caller's thread; `note` gets a line for each retry.

        `until_turn` gives the seconds that a request to an address has to wait for others.

        `now` gives the aware moments of `Page.asked_at`, `monotonic` the seconds by which deadlines are measured;
        `tries`, at most `TRIES`, limits how often a request is sent.
        """
        self._settings = settings
        self._should_stop = should_stop
        self._sleep = sleep
        self._now = now
        self._monotonic = monotonic
        self._note = note
        self._tries = tries or TRIES
        self._until_turn = until_turn
        self._rows_too_large = 0
        self._wire: Wire | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next page opens another."""
        if self._wire:
            self._wire.close()
            self._wire = None

    def check(self) -> Page:
        """The newest call of the last month, by one request for one row."""
        now = self._now()
        return self.page(now - LOOKED_BACK, now, 1, 1)

    def count(self, start: datetime, end: datetime) -> Page:
        """The first rows of a window, with its count."""
        return self.page(start, end, 1, CHECK_SIZE)

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """The pages of the aware instants `start` to `end`, both included; none follows one that has `ended`."""
        for number in count(1):
            page = self.page(start, end, number)
            yield page
            if page.ended:
                return

    def page(self, start: datetime, end: datetime, number: int, size: int | None = None) -> Page:
        """Give page `number` (from 1) of the aware instants `start` to `end`, both included.

        Raises SourceFailure (an outcome and its message, docs/upstream.md#failures) and ReadingStopped.
        """
        page = self._page(start, end, number, size or self._settings.page_size)
        if page.skipped and not page.is_counted:
            # Nothing but rows that are too large: this may be no usage API at all.
            raise _row_too_large()
        return page

    def _page(self, start: datetime, end: datetime, number: int, size: int) -> Page:
        zone = self._settings.upstream_zone
        body = {
            "startTime": first_wall(start, zone),
            "endTime": last_wall(end, zone),
            "pageNum": number,
            "pageSize": size,
        }
        answer, asked_at = self._ask(json.dumps(body).encode())
        if answer.over_cap:
            return self._in_parts(start, end, number, size) if size > 1 else self._too_large(number, asked_at)
        if is_past_the_end(answer, number):
            return Page([], 0, 0, [], True, asked_at)
        settings = self._settings
        first, last = walls_of_rows(start, end, settings.upstream_zone, settings.server_zone)
        rows = read_answer(answer, number, settings.upstream_zone, settings.server_zone, settings.cookie)
        return Page(
            rows.records,
            rows.total,
            rows.received,
            rows.skipped,
            ended=False,
            asked_at=asked_at,
            without_id=rows.without_id,
            repeated=rows.repeated,
            is_counted=rows.is_counted,
            outside=sum(not first <= record.ts <= last for record in rows.records),
            is_full=rows.received == size,
            unread_days=rows.unread_days,
        )

    def _in_parts(self, start: datetime, end: datetime, number: int, size: int) -> Page:
        """Request the same rows in the fewest equal parts, so that they begin and end where the page does."""
        parts = next(divisor for divisor in range(2, size + 1) if size % divisor == 0)
        self._note(Message("page_in_parts", number=number, count=parts, total=size // parts))
        pages: list[Page] = []
        for part in range((number - 1) * parts + 1, number * parts + 1):
            page = self._page(start, end, part, size // parts)
            if page.ended and pages:
                break
            pages.append(page)
            if page.ended or (page.is_counted and page.is_last(part * (size // parts))):
                break
        # Rows that are too large come without a count, but those beside them have it.
        counted = [page for page in pages if page.is_counted]
        return Page(
            records=[record for page in pages for record in page.records],
            total=(counted or pages)[-1].total,
            received=sum(page.received for page in pages),
            skipped=[why for page in pages for why in page.skipped],
            ended=pages[0].ended,
            asked_at=pages[0].asked_at,
            without_id=sum(page.without_id for page in pages),
            repeated=sum(page.repeated for page in pages),
            outside=sum(page.outside for page in pages),
            is_full=sum(page.received for page in pages) >= size,
            unread_days=tuple(day for page in pages for day in page.unread_days),
            is_counted=bool(counted) and all(page.is_counted or page.skipped for page in pages),
        )

    def _too_large(self, number: int, asked_at: datetime) -> Page:
        """The page of a single row that cannot be read; raises SourceFailure where there are many."""
        self._rows_too_large += 1
        if self._rows_too_large > MOST_ROWS_TOO_LARGE:
            raise _row_too_large()
        skipped = Message("row_skipped", row=1, number=number, why=Message("row_too_large"))
        return Page(
            [], number, 1, [skipped], ended=False, asked_at=asked_at, is_counted=False, is_full=True, unread_days=("",)
        )

    def _ask(self, body: bytes) -> tuple[Answer, datetime]:
        """Send one request until it is answered; gives the answer and when its request was sent."""
        for tried in range(1, self._tries + 1):
            self._glance()
            while seconds := self._until_turn(self._settings.api_base):
                self._wait(seconds)
            asked_at = self._now()
            answer = self._exchange(body)
            if isinstance(answer, Answer) and not is_worth_another_try(answer):
                return answer, asked_at
            if isinstance(answer, Trouble) and answer.final:
                raise SourceFailure("api", answer.message, answer.cause)
            why = f"HTTP {answer.status}" if isinstance(answer, Answer) else answer.message
            if tried < self._tries:
                seconds = _patience(answer, WAITS[tried - 1])
                tries = {"number": tried + 1, "tries": self._tries}
                self._note(Message("waiting", why=why, seconds=f"{seconds:.3g}", **tries))
                self._wait(seconds)
        message = Message("no_answer", why=why)
        if self._tries > 1:
            message = Message("no_answer_in_tries", tries=self._tries, why=why)
        cause = answer.cause if isinstance(answer, Trouble) else "api"
        raise SourceFailure("api", message, cause)

    def _exchange(self, body: bytes) -> Answer | Trouble:
        """Run one request in the wire's thread; at its deadline, or on a stop, close the connection."""
        wire = self._wire = self._wire or self._opened()
        timeout = self._settings.timeout
        deadline = self._monotonic() + timeout
        answer = wire.ask(self._settings, body)
        try:
            while not answer.done() and (left := deadline - self._monotonic()) > 0:
                if not wait([answer], min(GLANCE, left)).done:
                    self._glance()
            return answer.result() if answer.done() else late(timeout)
        finally:
            if not answer.done():
                self.close()

    def _opened(self) -> "Wire":
        """A new connection. The first one of a process loads the HTTP client, which an idle process never needs."""
        import urllib3

        from collection.sources.codebuddy.wire import Wire

        if not self._settings.ssl_verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        return Wire()

    def _wait(self, seconds: float) -> None:
        while seconds > 0:
            self._glance()
            self._sleep(min(GLANCE, seconds))
            seconds -= GLANCE

    def _glance(self) -> None:
        if self._should_stop():
            raise ReadingStopped


def _row_too_large() -> SourceFailure:
    return UnusableAnswer("api", Message("answer_broken", why=Message("row_too_large")))


def _patience(answer: Answer | Trouble, own: float) -> float:
    """Give the seconds to wait: those of `Retry-After` (a number or an HTTP date), at least `own`, at most 60."""
    retry_after = answer.retry_after.strip() if isinstance(answer, Answer) else ""
    seconds = 0.0
    if re.fullmatch(r"[0-9]{1,9}", retry_after):
        seconds = float(retry_after)
    else:
        with suppress(ValueError):
            until = parsedate_to_datetime(retry_after)
            seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, own), MAX_RETRY_AFTER)
