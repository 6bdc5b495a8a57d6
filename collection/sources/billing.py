"""What sources share that give bills of days and no calls (docs/sources.md#bills-of-others)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.keyed import Access
from collection.sources.over_http.asking import Connected
from collection.sources.over_http.exchange import Request
from collection.sources.over_http.refusals import Refusal, usable_payload
from collection.sources.over_http.unusable import broken, unknown_form
from collection.sources.source import Page, Work
from usage.amounts.units import UNITS
from usage.incoming.values import count, is_within, label, number, text
from usage.measures import What
from usage.proofs.bill import MOST_NAMES, MOST_OF_SUM, NO_MODEL, ONE_DAY, Bill, Sum
from usage.source_traits import Traits

USD = UNITS["USD"]
PAUSE, OVERLOAD_WAIT = 1.0, 60.0
# Pages of one question.
MOST_PAGES = 200

Json = Mapping[str, object]


class BilledDays:
    """The sums of days that came so far, by model."""

    def __init__(self) -> None:
        self._sums: dict[date, Counter[tuple[str, What]]] = defaultdict(Counter)
        # What some row of a model and day did not say.
        self._unsaid: set[tuple[date, str, What]] = set()

    def count(self, day: date, model: str, counts: Mapping[What, object]) -> None:
        """Add the counts of a row; None where it does not say one. Raises SourceFailure for one that is no count."""
        for what, given in counts.items():
            found = count(given)
            if given is None:
                self._unsaid.add((day, model, what))
            elif found is None:
                raise broken(Message("daily_sums_unreadable"))
            self._sums[day][model, what] += found or 0
        self._require_few(day)

    def spend(self, day: date, model: str, given: object, *, cents: bool = False) -> None:
        """Add an amount in USD, or in cents. Raises SourceFailure for one that is no number."""
        found = number(given)
        if found is None or not is_within(found, USD.most * 100):
            raise broken(Message("daily_sums_unreadable"))
        self._sums[day][model, What.AMOUNT] += USD.parts(found / 100 if cents else found)
        self._require_few(day)

    def _require_few(self, day: date) -> None:
        if len({name for name, _ in self._sums[day]}) > MOST_NAMES:
            raise broken(Message("daily_sums_unreadable"))

    def bills(self, first: date, last: date, asked_at: datetime) -> Iterator[Bill]:
        """The bills of a span; those of days that did not come are empty. Raises SourceFailure."""
        for place in range((last - first).days + 1):
            yield self._bill(first + place * ONE_DAY, asked_at)

    def _bill(self, day: date, asked_at: datetime) -> Bill:
        sums = self._sums.get(day, Counter())
        said = {key: amount for key, amount in sums.items() if (day, *key) not in self._unsaid}
        if any(abs(amount) > MOST_OF_SUM for amount in said.values()):
            raise broken(Message("daily_sums_unreadable"))
        return Bill(day, {key: Sum(amount) for key, amount in said.items()}, asked_at)


class BillingSource(Connected):
    """Bills that are asked for with a key, page by page behind a cursor."""

    traits: Traits

    def __init__(self, access: Access, work: Work) -> None:
        self._access = access
        self._asking = access.asking(work, pause=PAUSE, overload_wait=OVERLOAD_WAIT)

    def check(self) -> Page:
        """The bill of yesterday, which shows that the key is accepted."""
        now = clock.now()
        yesterday = now.astimezone(UTC).date() - ONE_DAY
        for _ in self.bills(yesterday, yesterday):
            pass
        return Page([], 0, 0, [], ended=False, asked_at=now, is_counted=False)

    def count(self, start: datetime, end: datetime) -> Page:
        """Nothing: it has no calls."""
        return Page([], 0, 0, [], ended=True, asked_at=clock.now(), is_counted=False)

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """Nothing either."""
        yield self.count(start, end)

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        raise NotImplementedError

    def scope(self) -> Message:
        return Message("bills_of_organisation", service=self.traits.name)

    def _buckets(self, route: str, query: Json, refusal: Refusal) -> Iterator[tuple[Json, datetime]]:
        """What a route has under `data`, on all of its pages, with the moment of the request. Raises SourceFailure."""
        page: Json = {}
        for _ in range(MOST_PAGES):
            answer, asked_at = self._asking.ask(self._request(route, {**query, **page}))
            if answer.over_cap:
                raise broken(Message("daily_sums_unreadable"))
            payload = usable_payload(answer, refusal, self._access.secrets)
            data = payload.get("data")
            if not isinstance(data, list):
                raise unknown_form(Message("rows_not_list"), payload, self._access.secrets)
            yield from ((each if isinstance(each, dict) else {}, asked_at) for each in data)
            if payload.get("has_more") is not True:
                return
            page = {"page": text(payload.get("next_page"))}
        raise broken(Message("daily_sums_without_end"))

    def _request(self, route: str, query: Json) -> Request:
        raise NotImplementedError


def model_in(row: Json) -> str:
    """The name of a model, which no bill leaves empty."""
    return label(text(row.get("model"))) or NO_MODEL


def require_usd(currency: object) -> None:
    """Raises SourceFailure for an amount in another currency; where none is named, it is the usual one."""
    if text(currency).strip().upper() not in (USD.code, ""):
        raise broken(Message("daily_sums_unreadable"))


def rows_in(bucket: Json) -> Iterator[Json]:
    """The rows of a bucket of a day. Raises SourceFailure."""
    rows = bucket.get("results")
    if not isinstance(rows, list):
        raise broken(Message("rows_not_list"))
    yield from (row if isinstance(row, dict) else {} for row in rows)
