"""Reading the call log of a gateway, which is a growing list by offset (docs/sources/new-api.md#windows)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import partial
from itertools import count

from accounts.credentials.credential import fingerprint
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.keyed import Access
from collection.sources.new_api.failures import is_worth_another_try
from collection.sources.new_api.rows import (
    Json,
    ended_at,
    held_by,
    quota_of,
    read_answer,
    read_row,
    second_of,
    sum_in,
    type_of,
    unit_in,
    whole,
)
from collection.sources.new_api.traits import TRAITS
from collection.sources.over_http.answer_json import object_of, payload_of
from collection.sources.over_http.asking import Connected
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Request
from collection.sources.over_http.held_windows import Form, Held, Listed, page_of, pages_of, settled, until_still
from collection.sources.over_http.unusable import broken
from collection.sources.source import Page, SourceFailure, Work
from usage.incoming.values import text
from usage.measures import What
from usage.proofs.bill import ONE_DAY, WHOLE, Bill, Spent, Sum, end_of

# Calls, failures, and refunds; the log also has top-ups and sign-ins.
TYPES = (2, 5, 6)
# A larger page is cut, and the one-api dialect gives pages of ten whatever is asked for.
MOST_ROWS, ROWS_OF_DIALECT = 100, 10
# Above it counts are not to be trusted.
MOST_COUNTED = 10_000
# A window of a dialect without counts ends with a short page; one of more pages is read in halves.
MOST_PAGES = 1_000
# Of the answers of a window, of each type: what is read of their rows is held in memory.
MOST_BYTES = 16 * 1024 * 1024
SECOND = timedelta(seconds=1)
PAUSE = 1.0
OVERLOAD_WAIT = 60.0
LOOKED_BACK = timedelta(days=31)
FORM = Form(read_row, ended_at, "na", held_by)


class CallLog(Connected):
    """The calls of one account on a gateway."""

    traits = TRAITS

    def __init__(self, access: Access, work: Work) -> None:
        self._access = access
        self._asking = access.asking(work, is_worth_another_try, pause=PAUSE, overload_wait=OVERLOAD_WAIT)
        self._size = min(access.page_size, MOST_ROWS)
        self._is_dialect = False
        self._note = work.note
        self._has_noted_unit = False

    def check(self) -> Page:
        """The newest call of the last month."""
        now = clock.now()
        found, asked_at = self._page(now - LOOKED_BACK, now, TYPES[0], 1, 1)
        rows = found.rows[:1]
        total = len(rows) if found.total is None else found.total
        return page_of(rows, total, (now - LOOKED_BACK, now), asked_at, FORM)

    def count(self, start: datetime, end: datetime) -> Page:
        """How many calls a span has; a dialect without counts says nothing."""
        total, asked_at = 0, clock.now()
        for kind in TYPES:
            found, asked_at = self._page(start, end, kind, 1, 1)
            if found.total is None:
                return Page([], 0, 0, [], ended=False, asked_at=asked_at, is_counted=False)
            total += found.total
        return Page([], total, 0, [], ended=False, asked_at=asked_at, is_capped=total >= MOST_COUNTED)

    def scope(self) -> Message:
        """Whose calls the token shows."""
        account, _ = self._account()
        name = text(account.get("username"))
        if not name:
            return Message("newapi_user_unknown")
        return Message("newapi_user", user=concealed(name, self._access.secrets))

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """The calls of a span, which is read whole before any is given: keys count the equal rows of a second."""
        end = settled(start, end)
        held = self._held(start, end)
        if not held.is_capped:
            held = held._replace(rows=sorted(held.rows, key=second_of), is_counted=self._is_confirmed(held, start, end))
            self._note_unit()
        yield from pages_of(held, (start, end), FORM)

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        """The sum of each day's quota, as the server adds it up."""
        for number in range((last - first).days + 1):
            day = first + number * ONE_DAY
            quota, asked_at = self._sum(end_of(day - ONE_DAY), end_of(day) - SECOND)
            if quota is None:
                raise broken(Message("daily_sums_unreadable"))
            yield Bill(day, {(WHOLE, What.AMOUNT): Sum(quota)}, asked_at)

    def spent(self) -> Spent | None:
        """The quota that the account has used, which grows also where the log is off; None where it is not said."""
        account, asked_at = self._account(tries=1)
        used = whole(account.get("used_quota"))
        whose = fingerprint(self._access.address, text(account.get("id")))
        return None if used is None else Spent(used, whose, asked_at)

    def _account(self, tries: int = 0) -> tuple[Json, datetime]:
        """What the server says of the account; nothing where it does not."""
        answer, asked_at = self._asking.ask(self._request("/api/user/self", {}), tries)
        payload = payload_of(answer.body) if answer.status == 200 else None
        return object_of(payload.get("data") if payload else None), asked_at

    def _note_unit(self) -> None:
        """Note once how much quota is one unit of money: operators change it, and no call says it. Without an answer
        nothing else is lost."""
        if self._has_noted_unit:
            return
        self._has_noted_unit = True
        with suppress(SourceFailure):
            answer, _ = self._asking.ask(self._request("/api/status", {}), tries=1)
            if unit := unit_in(answer):
                self._note(Message("newapi_quota_per_unit", count=f"{unit:,}"))

    def _sum(self, start: datetime, end: datetime, tries: int = 0) -> tuple[int | None, datetime]:
        """The server's sum of the quota of a span; None where it gives none."""
        query = {"type": TYPES[0], "start_timestamp": int(start.timestamp()), "end_timestamp": int(end.timestamp())}
        answer, asked_at = self._asking.ask(self._request("/api/log/self/stat", query), tries)
        return sum_in(answer), asked_at

    def _is_confirmed(self, held: Held, start: datetime, end: datetime) -> bool:
        """Whether the server's sum of the window is that of the rows; where it gives none, whether it counts them. A
        sum that fails costs no call."""
        quota = None
        with suppress(SourceFailure):
            quota, _ = self._sum(start, end, tries=1)
        if quota is None:
            return held.total is not None
        return quota == sum(quota_of(row) for row in held.rows if type_of(row) == TYPES[0])

    def _held(self, start: datetime, end: datetime) -> Held:
        """Read a window until no row moves meanwhile."""
        helds = until_still(partial(self._of_types, start, end))
        totals = [held.total for held in helds]
        known = None if None in totals else sum(total or 0 for total in totals)
        is_capped = any(held.is_capped for held in helds)
        return Held([row for held in helds for row in held.rows], known, helds[0].asked_at, is_capped)

    def _of_types(self, start: datetime, end: datetime) -> tuple[list[Held], bool]:
        kinds = [self._of_type(start, end, kind) for kind in TYPES]
        return [held for held, _ in kinds], all(is_still for _, is_still in kinds)

    def _of_type(self, start: datetime, end: datetime, kind: int) -> tuple[Held, bool]:
        """All rows of a type, and whether the list stood still."""
        first, asked_at = self._page(start, end, kind, 1, self._size)
        # With a first page that is not full, the count is wrong, and a shorter window has no better one.
        if first.total is not None and first.total >= MOST_COUNTED and len(first.rows) >= self._size:
            return Held([], first.total, asked_at, is_capped=True), True
        size = ROWS_OF_DIALECT if first.total is None else self._size
        pages, newest, room = [first.rows], first, MOST_BYTES - first.size
        for number in count(2):
            if len(pages[-1]) < size:
                break
            newest, _ = self._page(start, end, kind, number, self._size)
            pages.append(newest.rows)
            room -= newest.size
            if room < 0 or number > MOST_PAGES:
                return Held([], first.total, asked_at, is_capped=True), True
        is_still = newest.total == first.total
        if first.total is None and len(pages) > 1:
            again, _ = self._page(start, end, kind, 1, self._size)
            is_still = again.total is None and again.rows == first.rows
        return Held(self._mended(start, end, kind, pages), first.total, asked_at), is_still

    def _mended(self, start: datetime, end: datetime, kind: int, pages: list[list[object]]) -> list[object]:
        """The rows of the pages. Rows of a second that two pages share are read again, without any others."""
        rows = [row for page in pages for row in page]
        edges = {
            second_of(before[-1])
            for before, after in zip(pages, pages[1:], strict=False)
            if before and after and second_of(before[-1]) == second_of(after[0]) and second_of(after[0]).isdigit()
        }
        if start == end or not edges:
            return rows
        kept = [row for row in rows if second_of(row) not in edges]
        for second in sorted(edges):
            moment = datetime.fromtimestamp(int(second), start.tzinfo)
            held, _ = self._of_type(moment, moment, kind)
            if held.is_capped:
                raise broken(Message("rows_too_many", count=f"{MOST_COUNTED:,}"))
            kept += held.rows
        return kept

    def _page(self, start: datetime, end: datetime, kind: int, number: int, size: int) -> tuple[Listed, datetime]:
        """Ask for page `number` (from 1) of a type of rows."""
        found, asked_at = self._ask(start, end, kind, number - self._is_dialect, size)
        if found.total is None and not self._is_dialect:
            # Its pages begin at 0.
            self._is_dialect = True
            return self._page(start, end, kind, number, size)
        return found, asked_at

    def _ask(self, start: datetime, end: datetime, kind: int, place: int, size: int) -> tuple[Listed, datetime]:
        query = {
            "p": place,
            "page_size": size,
            "type": kind,
            "start_timestamp": int(start.timestamp()),
            "end_timestamp": int(end.timestamp()),
        }
        answer, asked_at = self._asking.ask(self._request("/api/log/self", query))
        return read_answer(answer, self._access.secrets), asked_at

    def _request(self, route: str, query: dict[str, int]) -> Request:
        fields = self._access.fields
        return self._access.get(route, query, {"Authorization": fields["token"], "New-Api-User": fields["user_id"]})
