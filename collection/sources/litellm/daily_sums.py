"""Turning the daily sums of a proxy into bills (docs/sources/litellm.md#daily-sums). Pure functions."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.litellm.failures import refusal
from collection.sources.litellm.rows import USD
from collection.sources.over_http.answer_json import object_of, payload_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.unusable import broken, unknown_form
from usage.incoming.values import count, is_within, label, number, text
from usage.measures import What
from usage.proofs.bill import MOST_MODELS, WHOLE, Bill, Sum

# What the proxy counts of calls without errors; a prompt's tokens include the cached ones.
_COUNTED = {
    What.CALLS: "successful_requests",
    What.TOKENS_IN: "prompt_tokens",
    What.TOKENS_OUT: "completion_tokens",
    What.CACHE_READ: "cache_read_input_tokens",
    What.CACHE_WRITE: "cache_creation_input_tokens",
}
# Sums are binary floats: each call may be a part of 1e-12 USD off, and adding them up takes their last digits.
_PARTS_OF_FLOAT, _STEPS_OF_FLOAT = 1_000, 10**15
# What the store holds.
_MOST = 2**62


class DailySums:
    """The sums of days that came so far: a day may be spread over pages."""

    def __init__(self) -> None:
        self._sums: dict[str, Counter[tuple[str, What]]] = {}

    def take(self, answer: Answer, secrets: tuple[str, ...]) -> bool:
        """Add a page; gives whether another one follows. Raises SourceFailure."""
        payload = payload_of(answer.body)
        refused = refusal(answer, payload, secrets)
        if refused:
            raise refused
        days = payload.get("results") if payload else None
        if payload is None or not isinstance(days, list):
            raise unknown_form(Message("rows_not_list"), payload or {}, secrets)
        for day in days:
            self._add(day)
        about = payload.get("metadata")
        return isinstance(about, dict) and about.get("has_more") is True

    def bill(self, day: date, asked_at: datetime) -> Bill:
        """The bill of a day; one that did not come had no calls."""
        sums = self._sums.get(day.isoformat()) or Counter({(WHOLE, what): 0 for what in What})
        if any(abs(amount) > _MOST for amount in sums.values()):
            raise broken(Message("daily_sums_unreadable"))
        return Bill(day, {key: _sum(key, amount, sums) for key, amount in sums.items()}, asked_at)

    def _add(self, day: object) -> None:
        if not isinstance(day, dict) or clock.parse_day(text(day.get("date"))) is None:
            raise broken(Message("daily_sums_unreadable"))
        sums = self._sums.setdefault(text(day.get("date")), Counter())
        models = object_of(object_of(day.get("breakdown")).get("models"))
        named = {label(name): object_of(each) for name, each in models.items()}
        for model, each in {**named, WHOLE: day}.items():
            sums.update({(model, what): amount for what, amount in _measured(each.get("metrics"))})
        if len({model for model, _ in sums}) > MOST_MODELS:
            raise broken(Message("daily_sums_unreadable"))


def _measured(metrics: object) -> Iterator[tuple[What, int]]:
    """What is counted of a model or a day. Raises SourceFailure where a value is no number."""
    if not isinstance(metrics, Mapping):
        raise broken(Message("daily_sums_unreadable"))
    spend = number(metrics.get("spend"))
    counts = {what: count(metrics.get(name)) for what, name in _COUNTED.items()}
    if spend is None or not is_within(spend, USD.most * 1_000) or None in counts.values():
        raise broken(Message("daily_sums_unreadable"))
    yield What.AMOUNT, USD.parts(spend)
    cached = (counts[What.CACHE_READ] or 0) + (counts[What.CACHE_WRITE] or 0)
    for what, amount in counts.items():
        yield what, (amount or 0) - (cached if what is What.TOKENS_IN else 0)


def _sum(key: tuple[str, What], amount: int, sums: Mapping[tuple[str, What], int]) -> Sum:
    model, what = key
    if what is not What.AMOUNT:
        return Sum(amount)
    calls = sums[model, What.CALLS]
    return Sum(amount, _PARTS_OF_FLOAT + calls + abs(amount) * calls // _STEPS_OF_FLOAT)
