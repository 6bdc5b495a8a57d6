"""Reading usage and cost of an organisation (docs/sources/anthropic-usage.md#request)."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.anthropic_usage.failures import needs_older_routes, refusal
from collection.sources.anthropic_usage.traits import TRAITS
from collection.sources.billing import BilledDays, BillingSource, Json, model_in, require_usd, rows_in
from collection.sources.keyed import Access
from collection.sources.over_http.exchange import Answer, Request
from collection.sources.over_http.unusable import broken
from collection.sources.source import SourceFailure, Work
from usage.incoming.values import count, text
from usage.measures import What
from usage.proofs.bill import ONE_DAY, Bill

# The newer routes, and those of before.
USAGE, COST = "/v1/organizations/analytics/usage", "/v1/organizations/analytics/cost"
USAGE_BEFORE, COST_BEFORE = "/v1/organizations/usage_report/messages", "/v1/organizations/cost_report"
VERSION, BETA = "2023-06-01", "analytics-usage-cost-2026-08-24"
ROWS_OF_PAGE, DAYS_OF_PAGE = 1000, 31


class _Older(Exception):
    """The service has the older routes only."""


class Organisation(BillingSource):
    """The bills that an admin key shows."""

    traits = TRAITS
    address = "https://api.anthropic.com"

    def __init__(self, access: Access, work: Work) -> None:
        super().__init__(access, work)
        self._is_older = False

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        """Tokens by model, its cost, and its requests where the newer routes say them; never both of one span."""
        days, asked_at = BilledDays(), clock.now()
        span = {"starting_at": _begin(first), "ending_at": _begin(last + ONE_DAY)}
        if not self._is_older:
            try:
                asked_at = self._newer(days, span)
            except _Older:
                self._is_older, days = True, BilledDays()
        if self._is_older:
            asked_at = self._older(days, span)
        yield from days.bills(first, last, asked_at)

    def _newer(self, days: BilledDays, span: Json) -> datetime:
        asked_at = clock.now()
        query = {**span, "time_bucket_width": "1d", "group_by[]": "model", "limit": ROWS_OF_PAGE}
        ordered = {**query, "order_by": "time", "order": "asc"}
        for row, moment in self._buckets(USAGE, ordered, _refusal_of_newer):
            asked_at = moment
            usage, group = _object(row.get("usage")), _object(row.get("group"))
            days.count(_day_of(row), model_in(group), {What.CALLS: usage.get("requests"), **_tokens(usage)})
        for row, _ in self._buckets(COST, ordered, _refusal_of_newer):
            cost, group = _object(row.get("cost")), _object(row.get("group"))
            require_usd(cost.get("currency"))
            days.spend(_day_of(row), model_in(group), cost.get("amount"), cents=True)
        return asked_at

    def _older(self, days: BilledDays, span: Json) -> datetime:
        asked_at = clock.now()
        usage = {**span, "bucket_width": "1d", "limit": DAYS_OF_PAGE, "group_by[]": "model"}
        for bucket, moment in self._buckets(USAGE_BEFORE, usage, refusal):
            asked_at = moment
            for row in rows_in(bucket):
                days.count(_day_of(bucket), model_in(row), _tokens(row))
        for bucket, _ in self._buckets(
            COST_BEFORE, {**span, "limit": DAYS_OF_PAGE, "group_by[]": "description"}, refusal
        ):
            for row in rows_in(bucket):
                require_usd(row.get("currency"))
                days.spend(_day_of(bucket), model_in(row), row.get("amount"), cents=True)
        return asked_at

    def _request(self, route: str, query: Json) -> Request:
        headers = {"x-api-key": self._access.fields["key"], "anthropic-version": VERSION}
        return self._access.get(route, query, headers if self._is_older else {**headers, "anthropic-beta": BETA})


def _refusal_of_newer(
    answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str]
) -> SourceFailure | None:
    if needs_older_routes(answer, payload):
        raise _Older
    return refusal(answer, payload, secrets)


def _begin(day: date) -> str:
    return f"{day}T00:00:00Z"


def _day_of(bucket: Json) -> date:
    """The day of a bucket. Raises SourceFailure."""
    try:
        return date.fromisoformat(text(bucket.get("starting_at"))[:10])
    except ValueError:
        raise broken(Message("daily_sums_unreadable")) from None


def _tokens(usage: Json) -> dict[What, object]:
    """The tokens of a row, whose input has no cached ones."""
    written = list(map(count, _object(usage.get("cache_creation")).values()))
    if None in written:
        raise broken(Message("daily_sums_unreadable"))
    return {
        What.TOKENS_IN: usage.get("uncached_input_tokens"),
        What.TOKENS_OUT: usage.get("output_tokens"),
        What.CACHE_READ: usage.get("cache_read_input_tokens"),
        What.CACHE_WRITE: sum(each or 0 for each in written),
    }


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}
