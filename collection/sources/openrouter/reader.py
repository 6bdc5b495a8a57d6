"""Listing the generations of a span, and asking for each (docs/sources/openrouter.md#request)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from django.conf import settings

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.keyed import Access
from collection.sources.openrouter.failures import NOT_READY, TOO_SLOW
from collection.sources.openrouter.rows import (
    Json,
    Listed,
    Pending,
    bills,
    made_at,
    newest,
    nothing_billed,
    read_generation,
    read_list,
    read_row,
)
from collection.sources.openrouter.traits import TRAITS
from collection.sources.over_http.answer_json import payload_of
from collection.sources.over_http.asking import Connected
from collection.sources.over_http.exchange import Answer, Request
from collection.sources.over_http.rows_of_answer import read_rows
from collection.sources.over_http.unusable import broken
from collection.sources.source import Page, UnusableAnswer, Work
from collection.wall_clocks import walls
from collection.windows import SHORTEST
from usage.incoming.record import IncomingRecord
from usage.incoming.values import UnreadableRow, text, wall_clock
from usage.proofs.bill import ONE_DAY, Bill

# A list has at most LIMIT generations. A window with more than MOST_ROWS is read in halves, as far as there are any:
# each generation takes a request.
LIMIT, MOST_ROWS = 10_000, 500
ROWS_OF_PAGE = 50
PAUSE, OVERLOAD_WAIT = 0.5, 60.0
SECOND = timedelta(seconds=1)
# A shorter span that takes too long to list is a failure, since halves of it would, too.
LEAST_SLOW = timedelta(hours=1)
# Nothing is listed from before it.
REACH = timedelta(days=31)
# A generation is given at most so long after its call.
READY_AFTER = timedelta(hours=1)
LOOKED_BACK = (timedelta(days=1), timedelta(days=30))
_CLOCK = "%Y-%m-%dT%H:%M:%SZ"


class Generations(Connected):
    """The calls of one account."""

    traits = TRAITS
    address = "https://openrouter.ai/api/v1"

    def __init__(self, access: Access, work: Work) -> None:
        self._access = access
        self._asking = access.asking(work, pause=PAUSE, overload_wait=OVERLOAD_WAIT)

    def check(self) -> Page:
        """The newest call of the last month."""
        now = clock.now()
        for back in LOOKED_BACK:
            listed, asked_at = self._listed(now - back, now)
            if listed and listed.labels:
                request_id = newest(listed)
                row = self._generation(request_id)
                labels = dict(listed.labels)
                return self._page([row], labels, 1, now - back, now, asked_at, 1)
        return Page([], 0, 0, [], ended=False, asked_at=now)

    def count(self, start: datetime, end: datetime) -> Page:
        """Nothing: only the generations themselves say exactly when they began."""
        return Page([], 0, 0, [], ended=False, asked_at=clock.now(), is_counted=False)

    def scope(self) -> Message:
        """Whose calls the key shows."""
        answer, _ = self._asking.ask(self._get("/credits", {}))
        payload = payload_of(answer.body) if answer.status == 200 else None
        data = payload.get("data") if payload else None
        used = text(data.get("total_usage")) if isinstance(data, dict) else ""
        return Message("openrouter_account") if used else Message("openrouter_account_unknown")

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """The calls of a span. The list says which there are; which of them began within it, each says itself."""
        now = clock.now()
        if start < now - REACH:
            message = Message("calls_out_of_reach", service=TRAITS.name, days=TRAITS.reach_days or 0)
            raise UnusableAnswer("api", message)
        listed, asked_at = self._listed(start, end)
        if listed is None or (len(listed.labels) > MOST_ROWS and end - start >= SHORTEST):
            total = listed.total if listed else LIMIT
            yield Page([], total, 0, [], ended=False, asked_at=asked_at, is_counted=False, is_capped=True)
            return
        rows, failure = self._within(listed, start, end, now)
        if failure and not rows:
            raise failure
        # After a refusal more are to come than came.
        total = max(0, listed.total - (0 if failure else len(listed.labels) - len(rows)))
        labels = dict(listed.labels)
        for number, begin in enumerate(range(0, max(1, len(rows)), ROWS_OF_PAGE), 1):
            yield self._page(rows[begin : begin + ROWS_OF_PAGE], labels, total, start, end, asked_at, number)
        if failure:
            raise failure
        yield Page([], 0, 0, [], ended=True, asked_at=asked_at)

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        """The daily activity, which one answer has of all days."""
        answer, asked_at = self._asking.ask(self._get("/activity", {}))
        if answer.over_cap:
            raise broken(Message("daily_sums_unreadable"))
        found = bills(answer, self._access.secrets, asked_at)
        for number in range((last - first).days + 1):
            day = first + number * ONE_DAY
            if (bill := found.get(day, nothing_billed(day, asked_at))) is not None:
                yield bill

    def _within(
        self, listed: Listed, start: datetime, end: datetime, now: datetime
    ) -> tuple[list[object], UnusableAnswer | None]:
        """What is given of the listed generations that began within a span; of two of one id both. With the refusal
        that ended it, such as that of an account without credits: what came before it is kept.

        The list has whole seconds, so it may show some from beside the span. One that is not given yet is left to a
        later run, unless it should have been by now.
        """
        known: dict[str, Json | Pending] = {}
        rows: list[object] = []
        for request_id, _ in listed.labels:
            try:
                if request_id not in known:
                    known[request_id] = self._generation(request_id)
            except UnusableAnswer as refusal:
                return rows, refusal
            row = known[request_id]
            is_early = isinstance(row, Pending) and request_id and now - end < READY_AFTER
            if not is_early and _is_within(row, start, end + SECOND):
                rows.append(row)
        return rows, None

    def _page(
        self,
        rows: list[object],
        labels: dict[str, str],
        total: int,
        start: datetime,
        end: datetime,
        asked_at: datetime,
        number: int,
    ) -> Page:
        zone = settings.SERVER_ZONE
        first, last = walls(start, end, zone)

        def read(row: object) -> IncomingRecord:
            return read_row(row, labels.get(_id_of(row), ""), zone)

        found = read_rows(total, rows, number, read, lambda row: _day_of(row, first, last))
        return found.page(asked_at, first, last, is_full=len(rows) == ROWS_OF_PAGE)

    def _listed(self, start: datetime, end: datetime) -> tuple[Listed | None, datetime]:
        """The generations of a span, None of one with more than a list has, or that takes too long to list."""
        body = {
            "metrics": ["total_usage"],
            "dimensions": ["generation_id", "api_key_id"],
            "time_range": {"start": _words(start), "end": _words(end + SECOND)},
            "limit": LIMIT,
        }
        answer, asked_at = self._asking.ask(self._access.post("/analytics/query", body, self._headers))
        if answer.status == TOO_SLOW and end - start > LEAST_SLOW:
            return None, asked_at
        listed = read_list(answer, LIMIT, self._access.secrets)
        return (None if listed.is_cut else listed), asked_at

    def _generation(self, request_id: str) -> Json | Pending:
        if not request_id:
            return Pending("")
        answer, _ = self._asking.ask(self._get("/generation", {"id": request_id}))
        if answer.status == NOT_READY and _says_so(answer):
            return Pending(request_id)
        return read_generation(answer, self._access.secrets)

    def _get(self, route: str, query: dict[str, object]) -> Request:
        return self._access.get(route, query, self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._access.fields['key']}"}


def _says_so(answer: Answer) -> bool:
    """Whether a 404 is the service's own."""
    payload = payload_of(answer.body)
    return payload is not None and isinstance(payload.get("error"), dict)


def _is_within(row: object, start: datetime, end: datetime) -> bool:
    """Whether a generation began within a span; so one counts that does not say when."""
    try:
        return start <= made_at(row) < end
    except UnreadableRow:
        return True


def _id_of(row: object) -> str:
    return text(row.get("id")) if isinstance(row, dict) else ""


def _day_of(row: object, first: str, last: str) -> str:
    """The day of a generation that cannot be read: that of its window, if it is one day. Raises UnreadableRow."""
    if first[:10] == last[:10]:
        return first[:10]
    return wall_clock(made_at(row), settings.SERVER_ZONE)[:10]


def _words(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(_CLOCK)
