"""Requesting pages of an account's usage (docs/upstream.md#request)."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Self

from accounts.credentials.credential import fingerprint
from archive_site.lib.stored_message import Message
from collection.sources.codebuddy import daily_sums, orders, package_requests
from collection.sources.codebuddy.failures import is_past_the_end, is_worth_another_try
from collection.sources.codebuddy.rows import read_answer
from collection.sources.codebuddy.traits import TRAITS
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.over_http.asking import Asking, Connected
from collection.sources.over_http.numbered_pages import NumberedPages, TooLarge
from collection.sources.source import FirstAnswer, Page, SourceFailure
from collection.sources.spacing import until_turn
from collection.wall_clocks import first_wall, last_wall, walls_of_rows
from usage.packages.order import Orders
from usage.packages.package import Packages, WantedPackage
from usage.proofs.bill import ONE_DAY, Bill, end_of
from usage.proofs.stored_bills import MOST_DAYS

# Rows of a request for a count.
CHECK_SIZE = 10
# The longest window that a collection requests.
LOOKED_BACK = timedelta(days=31)
SECOND = timedelta(seconds=1)


class Upstream(Connected, NumberedPages):
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
        other: UpstreamSettings | None = None,
    ) -> None:
        """What follows the settings is described at `Asking`; `other` has a second credential, a token."""
        super().__init__(settings.page_size, note)
        self._settings = settings
        self._other = other
        self._now = now
        self._asking = Asking(
            settings.timeout,
            settings.ssl_verify,
            is_worth_another_try,
            should_stop=should_stop,
            note=note,
            tries=tries,
            sleep=sleep,
            now=now,
            monotonic=monotonic,
            until_turn=until_turn,
        )

    def __enter__(self) -> Self:
        """With two credentials, find out which one works: the second one is used where it does, since some requests are
        answered with it alone; where neither does, the first one says why."""
        if self._other is not None:
            first, of_first = self._settings, self._failure()
            if of_first is None or of_first.outcome == "refused":
                asked_with = fingerprint(first.cookie, first.user_agent)
                self.first_answer = FirstAnswer(asked_with, is_refused=of_first is not None)
            self._settings, self._other = self._other, None
            # Where the first one works, a second host that is silent costs one request of each run.
            of_second = self._failure(tries=0 if of_first else 1)
            if of_second and (of_first is None or of_second.outcome == "refused"):
                self._asking.note(of_second.message)
                self._settings = first
        return self

    def _failure(self, tries: int = 0) -> SourceFailure | None:
        """Why the credential cannot be asked with; None where it can."""
        now = self._now()
        try:
            self._asked(now - LOOKED_BACK, now, 1, 1, tries)
        except SourceFailure as failure:
            return failure
        return None

    @property
    def credential(self) -> tuple[str, str]:
        return self._settings.secrets, self._settings.account

    def check(self) -> Page:
        """The newest call of the last month, by one request for one row."""
        now = self._now()
        return self.page(now - LOOKED_BACK, now, 1, 1)

    def count(self, start: datetime, end: datetime) -> Page:
        """The first rows of a window, with its count."""
        return self.page(start, end, 1, CHECK_SIZE)

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        settings, zone = self._settings, self._settings.upstream_zone
        body = {
            "startTime": first_wall(end_of(first - ONE_DAY, zone), zone),
            "endTime": last_wall(end_of(last, zone) - SECOND, zone),
            "pageNum": 1,
            "pageSize": MOST_DAYS,
        }
        answer, asked_at = self._asking.ask(settings.request(json.dumps(body).encode(), daily_sums.ROUTE), tries=1)
        yield from daily_sums.read_bills(answer, first, last, asked_at, settings.secrets)

    def orders(self, *, are_known: bool) -> Orders:
        return orders.read(self._asking, self._settings, self._now(), are_known=are_known)

    def packages(self, wanted: Sequence[WantedPackage]) -> Packages:
        return package_requests.read(self._asking, self._settings, wanted)

    def _asked(self, start: datetime, end: datetime, number: int, size: int, tries: int = 0) -> Page | TooLarge:
        settings, zone = self._settings, self._settings.upstream_zone
        body = {
            "startTime": first_wall(start, zone),
            "endTime": last_wall(end, zone),
            "pageNum": number,
            "pageSize": size,
        }
        answer, asked_at = self._asking.ask(settings.request(json.dumps(body).encode()), tries)
        if answer.over_cap:
            return TooLarge(asked_at)
        if is_past_the_end(answer, number):
            return Page([], 0, 0, [], True, asked_at)
        first, last = walls_of_rows(start, end, zone, settings.server_zone)
        try:
            rows = read_answer(answer, number, zone, settings.server_zone, settings.secrets)
        except SourceFailure as failure:
            if failure.outcome == "refused" and settings.token:
                raise SourceFailure("refused", Message("token_refused"), failure.cause) from None
            raise
        return rows.page(asked_at, first, last, is_full=rows.received == size)
