"""Reading the spend log of a proxy (docs/sources/litellm.md#request)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count

from django.conf import settings

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.keyed import Access
from collection.sources.litellm.daily_sums import DailySums
from collection.sources.litellm.failures import ABSENT, TOO_MANY_ROWS
from collection.sources.litellm.rows import read_answer, read_row, started_at
from collection.sources.litellm.traits import TRAITS
from collection.sources.over_http.answer_json import payload_of
from collection.sources.over_http.asking import Connected, TooMuchAsked
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer, Request
from collection.sources.over_http.numbered_pages import NumberedPages, TooLarge
from collection.sources.over_http.rows_of_answer import read_rows
from collection.sources.over_http.unusable import broken
from collection.sources.source import Page, Work
from collection.wall_clocks import walls
from collection.windows import SHORTEST
from usage.incoming.values import UnreadableRow, text, wall_clock
from usage.proofs.bill import ONE_DAY, Bill

# The newer route, and that of older builds, with the same answers.
ROUTES = ("/spend/logs/v2", "/spend/logs/ui")
# A page of 500 rows has about 3 MB; older builds give 100 at most.
MOST_ROWS, MOST_ROWS_BEFORE = 500, 100
# A span of more calls is read in halves, also where the proxy says no such limit itself.
MOST_OF_SPAN = 10_000
# Seconds between two requests at least.
PAUSE = 1.0
SECOND = timedelta(seconds=1)
LOOKED_BACK = timedelta(days=31)
# A shorter span that takes too long, or at which the proxy fails, is a failure, since halves of it would be, too.
LEAST_SLOW = timedelta(hours=1)
TRIES_OF_HALVES = 2
_CLOCK = "%Y-%m-%d %H:%M:%S"
DAILY_SUMS = "/user/daily/activity"
# Rows of a page of daily sums, and pages of a request for a month at most.
SUMS_OF_PAGE, MOST_PAGES_OF_SUMS = 1000, 50
# So a proxy refuses the sums of all users to a key that has one.
_OF_ONE_USER = {400, 401, 403}


class SpendLog(Connected, NumberedPages):
    """The calls that a key may see."""

    traits = TRAITS

    def __init__(self, access: Access, work: Work) -> None:
        super().__init__(min(access.page_size, MOST_ROWS), work.note)
        self._access = access
        self._asking = access.asking(work, pause=PAUSE, overload_wait=0.0)
        self._route = ROUTES[0]
        # Calls that a span counts, and that begin just behind it.
        self._behind = 0
        # Whether the proxy said of the last count that it stopped there.
        self._is_capped = False
        # Spans as long as this are too much for the proxy.
        self._too_long = timedelta.max

    def check(self) -> Page:
        """The newest call of the last month. The proxy counts all of a span: a day of many calls takes it less time."""
        page = self._newest(timedelta(days=1))
        return page if page.received else self._newest(LOOKED_BACK)

    def _newest(self, back: timedelta) -> Page:
        now = clock.now()
        page = self._page(now - back, now, 1, 1, newest_first=True)
        if isinstance(page, TooLarge):
            raise broken(Message("row_too_large"))
        return page

    def count(self, start: datetime, end: datetime) -> Page:
        """The first call of a span, with its count, unless that is too much for the proxy."""
        try:
            if end - start >= self._too_long:
                return _too_much()
            page = self.page(start, end, 1, 1)
            # A count that is only more than is read at once is one all the same.
            return replace(page, is_capped=self._is_capped)
        except TooMuchAsked as failure:
            return self._too_much_of(end - start, failure)

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """The pages of a span. Where it is too much for the proxy, which counts its rows, halves are asked for."""
        if end - start < self._too_long:
            try:
                yield from super().pages(start, end)
                return
            except TooMuchAsked as failure:
                yield self._too_much_of(end - start, failure)
                return
        yield _too_much()

    def _too_much_of(self, span: timedelta, failure: TooMuchAsked) -> Page:
        """Note that a span as long as this is not answered. Raises the failure of a short one."""
        if span <= LEAST_SLOW:
            raise failure
        self._too_long = span
        return _too_much()

    def scope(self) -> Message:
        """Whose calls the key shows."""
        user = self._user()
        if user is None:
            return Message("litellm_key_unknown")
        shown = concealed(user, self._access.secrets)
        return Message("litellm_key_of_user", user=shown) if user else Message("litellm_key_alone")

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        """The daily sums of all that the key may see."""
        query = {"start_date": str(first), "end_date": str(last), "page_size": SUMS_OF_PAGE, "timezone": 0}
        sums = DailySums()
        for page in count(1):
            answer, asked_at = self._sums_at(query, page)
            if not sums.take(answer, self._access.secrets):
                break
            if page == MOST_PAGES_OF_SUMS:
                raise broken(Message("daily_sums_without_end"))
        for number in range((last - first).days + 1):
            yield sums.bill(first + number * ONE_DAY, asked_at)

    def _sums_at(self, query: dict[str, object], page: int) -> tuple[Answer, datetime]:
        """A page of daily sums. Where the key may not see those of all users, `query` gets its own."""
        answer, asked_at = self._asking.ask(self._request(DAILY_SUMS, {**query, "page": page}))
        if answer.status in _OF_ONE_USER and "user_id" not in query and (user := self._user()):
            query["user_id"] = user
            return self._sums_at(query, page)
        if answer.over_cap:
            raise broken(Message("daily_sums_unreadable"))
        return answer, asked_at

    def _user(self) -> str | None:
        """The user of the key, empty where it has none; None where the proxy does not say."""
        answer, _ = self._asking.ask(self._request("/key/info", {}))
        payload = payload_of(answer.body) if answer.status == 200 else None
        info = payload.get("info") if payload else None
        return text(info.get("user_id")) if isinstance(info, dict) else None

    def _asked(self, start: datetime, end: datetime, number: int, size: int) -> Page | TooLarge:
        return self._page(start, end, number, size)

    def _page(
        self, start: datetime, end: datetime, number: int, size: int, *, newest_first: bool = False
    ) -> Page | TooLarge:
        """Ask for a page, of a span that is a second longer: the log has fractions of seconds, and takes whole ones."""
        answer, asked_at = self._answer(start, end + SECOND, number, size, newest_first=newest_first)
        if answer.status == TOO_MANY_ROWS and size > MOST_ROWS_BEFORE and number == 1:
            self._page_size = size = MOST_ROWS_BEFORE
            answer, asked_at = self._answer(start, end + SECOND, number, size, newest_first=newest_first)
        if answer.over_cap:
            return TooLarge(asked_at)
        found = read_answer(answer, self._access.secrets)
        within = [row for row in found.rows if not _is_behind(row, end + SECOND)]
        if number == 1:
            self._behind = self._calls_at(end + SECOND, asked_at) if found.total else 0
        total = max(0, found.total - self._behind)
        rows = read_rows(total, within, number, lambda row: read_row(row, settings.SERVER_ZONE), _day_of)
        is_full = len(found.rows) >= min(size, found.size or size)
        self._is_capped = found.is_capped and is_full
        is_capped = found.is_capped or (total > MOST_OF_SPAN and end - start >= SHORTEST)
        first, last = walls(start, end, settings.SERVER_ZONE)
        return rows.page(asked_at, first, last, is_full=is_full, is_capped=is_capped and is_full)

    def _calls_at(self, moment: datetime, asked_at: datetime) -> int:
        """How many calls began exactly at a moment."""
        if moment > asked_at:
            return 0
        answer, _ = self._answer(moment, moment, 1, 1)
        return read_answer(answer, self._access.secrets).total

    def _answer(
        self, start: datetime, end: datetime, number: int, size: int, *, newest_first: bool = False
    ) -> tuple[Answer, datetime]:
        query = {
            "start_date": start.astimezone(UTC).strftime(_CLOCK),
            "end_date": end.astimezone(UTC).strftime(_CLOCK),
            "page": number,
            "page_size": size,
            "sort_by": "startTime",
            "sort_order": "desc" if newest_first else "asc",
        }
        # A proxy that is too slow for a span may be so for its halves.
        tries = TRIES_OF_HALVES if self._too_long < timedelta.max else 0
        answer, asked_at = self._asking.ask(self._request(self._route, query), tries)
        if answer.status in ABSENT and self._route == ROUTES[0]:
            self._route = ROUTES[1]
            answer, asked_at = self._asking.ask(self._request(self._route, query), tries)
        return answer, asked_at

    def _request(self, route: str, query: dict[str, object]) -> Request:
        return self._access.get(route, query, {"Authorization": f"Bearer {self._access.fields['key']}"})


def _too_much() -> Page:
    return Page([], 0, 0, [], ended=False, asked_at=clock.now(), is_counted=False, is_capped=True)


def _is_behind(row: object, moment: datetime) -> bool:
    """Whether a call began at a moment or later."""
    try:
        return started_at(row) >= moment
    except UnreadableRow:
        return False


def _day_of(row: object) -> str:
    return wall_clock(started_at(row), settings.SERVER_ZONE)[:10]
