"""Reading usage and costs of an organisation (docs/sources/openai-costs.md#request)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.billing import BilledDays, BillingSource, Json, model_in, require_usd, rows_in
from collection.sources.openai_costs.traits import TRAITS
from collection.sources.over_http.answer_json import object_of
from collection.sources.over_http.exchange import Request
from collection.sources.over_http.refusals import refusal_of_keyed
from collection.sources.over_http.unusable import broken
from usage.incoming.values import count, label, text
from usage.measures import What
from usage.proofs.bill import NO_MODEL, ONE_DAY, Bill

USAGE, COSTS = "/v1/organization/usage/completions", "/v1/organization/costs"
# Days of a page.
DAYS_OF_PAGE = 31
# docs/sources/openai-costs.md#failures
REFUSAL = refusal_of_keyed(TRAITS.name, forbidden=Message("admin_key_needed", service=TRAITS.name))


class Organisation(BillingSource):
    """The bills that an admin key shows."""

    traits = TRAITS
    address = "https://api.openai.com"

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        """Tokens and requests by model, and costs of its line items, without batches."""
        days, asked_at = BilledDays(), clock.now()
        span = {"start_time": _second(first), "end_time": _second(last + ONE_DAY), "bucket_width": "1d"}
        usage = {**span, "limit": DAYS_OF_PAGE, "group_by[]": "model", "batch": "false"}
        for bucket, moment in self._buckets(USAGE, usage, REFUSAL):
            asked_at = moment
            for row in rows_in(bucket):
                days.count(_day_of(bucket), model_in(row), _counts(row))
        for bucket, _ in self._buckets(COSTS, {**span, "limit": DAYS_OF_PAGE, "group_by[]": "line_item"}, REFUSAL):
            for row in rows_in(bucket):
                amount = object_of(row.get("amount"))
                require_usd(amount.get("currency"))
                model, kind, _ = text(row.get("line_item")).partition(", ")
                # Credits and storage are of no model.
                days.spend(_day_of(bucket), label(model) if kind and label(model) else NO_MODEL, amount.get("value"))
        yield from days.bills(first, last, asked_at)

    def _request(self, route: str, query: Json) -> Request:
        return self._access.get(route, query, {"Authorization": f"Bearer {self._access.fields['key']}"})


def _second(day: date) -> int:
    return int(datetime.combine(day, time.min, UTC).timestamp())


def _day_of(bucket: Json) -> date:
    """The day in UTC of a bucket, which may begin within it. Raises SourceFailure."""
    begun = count(bucket.get("start_time"))
    try:
        if begun is None:
            raise ValueError("no second")
        return datetime.fromtimestamp(begun, UTC).date()
    except (ValueError, OverflowError, OSError):
        raise broken(Message("daily_sums_unreadable")) from None


def _counts(row: Json) -> dict[What, object]:
    """What is counted of a row: its input has the cached and the written tokens."""
    given, cached = count(row.get("input_tokens")), count(row.get("input_cached_tokens") or 0)
    written = count(row.get("input_cache_write_tokens") or 0)
    if given is None or cached is None or written is None or given < cached + written:
        raise broken(Message("daily_sums_unreadable"))
    # Older answers do not say what was written.
    is_written_said = row.get("input_cache_write_tokens") is not None
    return {
        What.CALLS: row.get("num_model_requests"),
        What.TOKENS_IN: given - cached - written,
        What.TOKENS_OUT: row.get("output_tokens"),
        What.CACHE_READ: cached,
        What.CACHE_WRITE: written if is_written_said else None,
    }
