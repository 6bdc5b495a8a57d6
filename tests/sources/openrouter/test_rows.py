"""Records and bills from answers of OpenRouter (docs/sources/openrouter.md)."""

import json
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from collection.sources.openrouter.rows import Pending, bills, newest, read_generation, read_list, read_row
from collection.sources.over_http.exchange import Answer
from collection.sources.source import SourceFailure, UnusableAnswer
from usage.incoming.values import MissingRequestId, UnreadableRow
from usage.measures import Measures, Provenance, Status, Tokens, What
from usage.proofs.bill import MOST_MODELS, WHOLE, Sum

ZONE = ZoneInfo("Asia/Shanghai")
AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
# The form of the vendor's own example.
GENERATION = (
    '{"data":{"id":"gen-1793500000-Ex1","request_id":"req-ex","session_id":null,"upstream_id":"up-ex",'
    '"created_at":"2026-11-01T02:26:40.123456+00:00","model":"example/model-1","provider_name":"ExampleAI",'
    '"api_type":"completions","total_cost":1.23456e-04,"usage":0.000123456,"is_byok":false,'
    '"upstream_inference_cost":null,"cache_discount":null,"tokens_prompt":980,"tokens_completion":52,'
    '"native_tokens_prompt":1000,"native_tokens_completion":50,"native_tokens_reasoning":0,'
    '"native_tokens_cached":900,"latency":420,"generation_time":1800,"finish_reason":"stop","streamed":true,'
    '"cancelled":false,"http_referer":"","app_id":null}}'
)
LIST = (
    '{"data":{"data":[{"generation_id":"gen-1793500000-Ex1","api_key_id":"laptop","total_usage":0.000123}],'
    '"metadata":{"query_time_ms":12,"row_count":1,"truncated":false}}}'
)
ACTIVITY = {"date": "2026-11-01", "model": "example/model-1", "usage": 0.000123456, "requests": 1}


def answer(body: str | object, status: int = 200) -> Answer:
    return Answer(status, "", "", (body if isinstance(body, str) else json.dumps(body)).encode())


def generation(**other: Any) -> dict[str, Any]:
    return {**read_generation(answer(GENERATION), ()), **other}


def test_a_generation_becomes_a_record() -> None:
    found = read_row(generation(), "laptop", ZONE)
    assert (found.request_id, found.amount, found.model) == ("gen-1793500000-Ex1", 123_456_000, "example/model-1")
    assert (found.client, found.agent_purpose, found.ts) == ("laptop", "completions", "2026-11-01 10:26:40")
    at = datetime(2026, 11, 1, 2, 26, 40, 123456, tzinfo=UTC)
    assert found.measures == Measures(Provenance.BILLED, Tokens(100, 50, 900), at)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"native_tokens_prompt": None}, Tokens(980, 52)),
        ({"native_tokens_prompt": "5", "native_tokens_cached": "9"}, Tokens(5, 50, 9)),
        ({"native_tokens_prompt": None, "tokens_prompt": None}, None),
    ],
)
def test_tokens_are_the_provider_s_or_else_openrouter_s(other: dict[str, Any], expected: Tokens | None) -> None:
    found = read_row(generation(**other), "", ZONE).measures
    assert found is not None
    assert found.tokens == expected


def test_without_a_label_the_program_that_called_is_the_client() -> None:
    assert read_row(generation(http_referer="https://app.example"), "", ZONE).client == "https://app.example"
    assert read_row(generation(app_id="7"), "", ZONE).client == "7"
    assert read_row(generation(), "", ZONE).client == ""


@pytest.mark.parametrize(
    ("other", "status"),
    [({"cancelled": True}, Status.CANCELLED), ({"finish_reason": "error"}, Status.ERROR), ({}, Status.OK)],
)
def test_a_generation_says_how_it_ended(other: dict[str, Any], status: Status) -> None:
    found = read_row(generation(**other), "", ZONE).measures
    assert found is not None
    assert found.status is status


def test_one_without_a_cost_has_no_amount() -> None:
    found = read_row(generation(total_cost=None), "", ZONE)
    assert found.measures is not None
    assert (found.amount, found.measures.provenance) == (0, Provenance.UNKNOWN)


@pytest.mark.parametrize(
    "other", [{"created_at": None}, {"created_at": "yesterday"}, {"total_cost": "much"}, {"total_cost": "1e9"}]
)
def test_a_generation_that_cannot_be_read_says_so(other: dict[str, Any]) -> None:
    with pytest.raises(UnreadableRow):
        read_row(generation(**other), "", ZONE)


def test_one_that_is_not_given_cannot_be_read_and_one_without_id_has_none() -> None:
    with pytest.raises(UnreadableRow):
        read_row(Pending("gen-1"), "", ZONE)
    with pytest.raises(MissingRequestId):
        read_row(Pending(""), "", ZONE)


def test_a_list_has_its_generations_and_says_whether_it_is_cut() -> None:
    found = read_list(answer(LIST), 10_000, ())
    assert (found.labels, found.total, found.is_cut) == ([("gen-1793500000-Ex1", "laptop")], 1, False)
    assert read_list(answer(LIST), 1, ()).is_cut
    assert read_list(answer(LIST.replace("false", "true")), 10_000, ()).is_cut
    assert read_list(answer(LIST.replace('"row_count":1', '"row_count":"1"')), 10_000, ()).total == 1


def test_the_newest_generation_is_found_by_the_second_in_its_id() -> None:
    ids = ["gen-1793500000-a", "gen-1793500009-b", "gen-1793500003-c", "odd", ""]
    rows = [{"generation_id": one, "api_key_id": None} for one in ids]
    listed = {"data": {"data": rows, "metadata": {"row_count": 5, "truncated": False}}}
    assert newest(read_list(answer(listed), 100, ())) == "gen-1793500009-b"


def test_the_activity_of_a_day_is_summed_up_by_model() -> None:
    other = {**ACTIVITY, "model": "other/model-2", "usage": 1, "requests": "2"}
    found = bills(answer({"data": [ACTIVITY, other, {**ACTIVITY, "usage": 6.2e-05}]}), (), AT)
    assert found.keys() == {date(2026, 11, 1)}
    bill = found[date(2026, 11, 1)]
    assert bill
    assert bill.sums == {
        ("example/model-1", What.AMOUNT): Sum(185_456_000, 2_000_000), ("example/model-1", What.CALLS): Sum(2),
        ("other/model-2", What.AMOUNT): Sum(10**12, 2_000_000), ("other/model-2", What.CALLS): Sum(2),
        (WHOLE, What.AMOUNT): Sum(10**12 + 185_456_000, 4_000_000), (WHOLE, What.CALLS): Sum(4),
    }  # fmt: skip


@pytest.mark.parametrize(
    "row",
    [
        {"usage": None}, {"usage": "much"}, {"usage": 1e12}, {"usage": "9" * 1_100_000}, {"requests": -1},
        {"requests": 0.5}, {"requests": None},
    ],
)  # fmt: skip
def test_an_activity_of_another_form_costs_its_day_alone(row: dict[str, object]) -> None:
    found = bills(answer({"data": [ACTIVITY, {**ACTIVITY, **row}, {**ACTIVITY, "date": "2026-11-02"}]}), (), AT)
    assert (found[date(2026, 11, 1)], found[date(2026, 11, 2)] is None) == (None, False)


@pytest.mark.parametrize("row", [None, "text", {**ACTIVITY, "date": None}, {**ACTIVITY, "date": "yesterday"}])
def test_an_activity_of_no_day_is_no_bill(row: object) -> None:
    with pytest.raises(UnusableAnswer):
        bills(answer({"data": [ACTIVITY, row]}), (), AT)


def test_more_models_of_a_day_than_are_kept_are_no_bill() -> None:
    rows = [{**ACTIVITY, "model": f"model-{number}"} for number in range(MOST_MODELS + 1)]
    with pytest.raises(UnusableAnswer):
        bills(answer({"data": rows}), (), AT)


@pytest.mark.parametrize("body", ["", "[]", "{}", "<html>", '{"data": 1}', '{"data": {"data": []}}'])
def test_an_answer_of_another_form_is_a_failure(body: str) -> None:
    with pytest.raises(SourceFailure):
        read_list(answer(body), 100, ())
    with pytest.raises(SourceFailure):
        bills(answer(body), (), AT)
