"""Bills from the daily sums of a proxy (docs/sources/litellm.md#daily-sums)."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from collection.sources.litellm.daily_sums import DailySums
from collection.sources.over_http.exchange import Answer
from collection.sources.source import SourceFailure, UnusableAnswer
from usage.measures import What
from usage.proofs.bill import MOST_MODELS, WHOLE, Sum

DAY, AT = date(2026, 9, 10), datetime(2026, 9, 11, 9, tzinfo=UTC)
METRICS = {
    "spend": 0.30000000000000004, "prompt_tokens": 1000, "completion_tokens": 50, "cache_read_input_tokens": 900,
    "cache_creation_input_tokens": 40, "total_tokens": 1050, "successful_requests": 3, "failed_requests": 2,
    "api_requests": 5,
}  # fmt: skip


def answer(*days: object, more: bool = False, status: int = 200) -> Answer:
    return Answer(status, "", "", json.dumps({"results": list(days), "metadata": {"has_more": more}}).encode())


def day(metrics: object = METRICS, models: object = None, text: object = str(DAY)) -> dict[str, Any]:
    return {"date": text, "metrics": metrics, "breakdown": {"models": models or {}}}


def sums_of(*answers: Answer) -> dict[tuple[str, What], Sum]:
    found = DailySums()
    for one in answers:
        found.take(one, ())
    return dict(found.bill(DAY, AT).sums)


def test_calls_without_errors_are_counted_and_cached_tokens_taken_out_of_the_prompt() -> None:
    found = sums_of(answer(day(models={"openai/a": {"metrics": METRICS}})))
    assert {what: found["openai/a", what].amount for what in What} == {
        What.CALLS: 3, What.AMOUNT: 300_000_000_000, What.TOKENS_IN: 60, What.TOKENS_OUT: 50, What.CACHE_READ: 900,
        What.CACHE_WRITE: 40,
    }  # fmt: skip
    assert {what: found[WHOLE, what] for what in What} == {what: found["openai/a", what] for what in What}
    assert all(found[WHOLE, what].within == 0 for what in What if what is not What.AMOUNT)
    assert 1_000 <= found[WHOLE, What.AMOUNT].within < 2_000


def test_a_day_on_two_pages_is_added_up_and_another_page_follows_where_the_answer_says_so() -> None:
    found = DailySums()
    assert found.take(answer(day(), more=True), ())
    assert not found.take(answer(day()), ())
    assert found.bill(DAY, AT).sums[WHOLE, What.CALLS] == Sum(6)


def test_a_day_that_did_not_come_had_nothing() -> None:
    assert {each.amount for each in sums_of(answer(day(text="2026-09-09"))).values()} == {0}
    assert {what for _, what in sums_of(answer())} == {*What}


@pytest.mark.parametrize(
    "odd",
    [
        None, "text", [], {}, {"date": "2026-09-10"}, {"date": "yesterday", "metrics": METRICS},
        day(metrics={**METRICS, "spend": "much"}), day(metrics={**METRICS, "spend": None}),
        day(metrics={**METRICS, "spend": 1e30}), day(metrics={**METRICS, "successful_requests": -1}),
        day(metrics={**METRICS, "spend": "9" * 1_100_000}),
        day(metrics={**METRICS, "prompt_tokens": 0.5}), day(metrics={**METRICS, "completion_tokens": 10**40}),
        day(models={"a": {}}), day(models={"a": "text"}), day(text=None),
        day(models={f"model-{number}": {"metrics": METRICS} for number in range(MOST_MODELS + 1)}),
    ],
)  # fmt: skip
def test_a_day_of_another_form_is_no_bill(odd: object) -> None:
    with pytest.raises(UnusableAnswer):
        sums_of(answer(odd))


def test_sums_that_cannot_be_stored_are_no_bill() -> None:
    large = answer(day(metrics={**METRICS, "spend": 999_999}))
    with pytest.raises(UnusableAnswer):
        sums_of(*[large] * 9)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"<html>", b'{"results": {}}', b'{"results": null}'])
def test_an_answer_of_another_form_is_no_bill(body: bytes) -> None:
    with pytest.raises(SourceFailure):
        DailySums().take(Answer(200, "", "", body), ())


@pytest.mark.parametrize("status", [401, 403, 404, 405, 500])
def test_a_refusal_is_a_failure(status: int) -> None:
    with pytest.raises(SourceFailure):
        DailySums().take(answer(day(), status=status), ())
