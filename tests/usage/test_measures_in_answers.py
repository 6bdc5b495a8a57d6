"""What answers have of amounts, provenance and tokens where the request names the archive, and nowhere else."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts import archives
from accounts.models import User
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.parameter_parsing import Days
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, call
from usage.filters import PURPOSE, RecordFilters
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Tokens
from usage.reads.dimensions import dims
from usage.rollups import measured_sums
from usage.rollups.measured_sums import Measured, sums_by

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
ESTIMATED = Measures(Provenance.ESTIMATED, Tokens(1000, 200, 30, 4))
TOKENS = {"in": 1000, "out": 200, "cache_read": 30, "cache_write": 4}
BESIDE = ("unit", "amount", "without_amount", "provenance", "tokens")
READS = (
    "summary", "daily", "dims?dim=purpose", "top", "records?sums=1", "records/a", "bundle", "changes", "manifest",
)  # fmt: skip
accounts = count(5000)


@pytest.fixture
def filled(alice: User) -> User:
    archive(
        alice,
        call("a", prompt="a question", measures=ESTIMATED),
        call("b", credits=0, model="kimi", agent_purpose="chat", measures=Measures(Provenance.UNKNOWN)),
        call("c", credits=0, ts="2026-09-08 01:00:00"),
    )
    return alice


def beside(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name in BESIDE}


def sums(amount: str | None, without_amount: int = 0, tokens: dict[str, int] | None = None) -> dict[str, Any]:
    return {"unit": "credits", "amount": amount, "without_amount": without_amount, "tokens": tokens}


@pytest.fixture
def read(filled: User) -> Callable[[str], Any]:
    api = ApiClient.signed_in(filled)
    return lambda path: api.get(f"/api/{path}{'&' if '?' in path else '?'}archive={filled.pk}").json()


@pytest.mark.parametrize("path", READS)
def test_without_the_name_of_the_archive_nothing_is_there(path: str, filled: User) -> None:
    answer = ApiClient.signed_in(filled).get(f"/api/{path}")
    assert not any(f'"{name}"' in answer.text for name in ("amount", "without_amount", "provenance", "tokens"))


def test_the_answers_of_both_have_other_tags(filled: User) -> None:
    api = ApiClient.signed_in(filled)
    tags = [api.get(f"/api/summary{rest}").headers["ETag"] for rest in ("", f"?archive={filled.pk}")]
    assert tags[0] != tags[1]


def test_a_record_has_its_amount_and_its_tokens(read: Callable[[str], Any]) -> None:
    c, b, a = read("records")["items"]
    assert (a["credits"], b["credits"], c["credits"]) == (1.5, None, 0)
    assert beside(a) == {"unit": "credits", "amount": "1.5", "provenance": "estimated", "tokens": TOKENS}
    assert beside(b) == {"unit": "credits", "amount": None, "provenance": "unknown", "tokens": None}
    assert beside(c) == {"unit": "credits", "amount": "0", "provenance": "billed", "tokens": None}
    assert beside(read("records/a")) == beside(a)
    assert read("records/b")["credits"] is None
    assert [beside(one) for one in read("changes")["added"]] == [*map(beside, (a, b, c))]


@pytest.mark.parametrize("path", ["records?q=question", "records?size=100", "records?order=ts_asc&lean=1"])
def test_each_list_has_the_tokens_of_its_records(path: str, read: Callable[[str], Any]) -> None:
    [found] = [one for one in read(path)["items"] if one["request_id"] == "a"]
    assert found["tokens"] == TOKENS


def test_records_after_a_place_have_their_amounts(read: Callable[[str], Any]) -> None:
    following = read("records?size=1")["next"]
    assert [one["amount"] for one in read(f"records?after={following}")["items"]] == [None, "1.5"]


def test_records_in_short_form_have_their_measures(read: Callable[[str], Any]) -> None:
    for found in (read("top"), read("bundle")["records"]):
        by_id = {one["id"]: one for one in found}
        assert beside(by_id["a"]) == {"unit": "credits", "amount": "1.5", "provenance": "estimated", "tokens": TOKENS}
        assert (by_id["b"]["c"], by_id["b"]["amount"]) == (None, None)


def test_totals_sum_what_is_known_and_count_what_is_not(read: Callable[[str], Any]) -> None:
    for found in (read("summary"), read("bundle")["totals"]):
        assert beside(found) == sums("1.5", 1, TOKENS)
        # An unknown amount is not a free call.
        assert (found["credits"], found["calls"], found["free"], found["paid"]) == (1.5, 3, 1, 1)
    assert read("summary")["avgPerCall"] == 0.75
    assert beside(read("summary?from=2026-09-08&to=2026-09-08")["prev"]) == sums("1.5", 1, TOKENS)
    compared = read("summary?from=2026-09-08&to=2026-09-08&compare=previous")["comparison"]["totals"]
    assert beside(compared) == sums("1.5", 1, TOKENS)
    assert beside(read("summary?model=kimi")) == sums(None, 1)
    assert beside(read("summary?model=other")) == sums("0")


def test_a_day_has_its_sums(read: Callable[[str], Any]) -> None:
    for path in ("daily", "daily?client=ide"):
        first, second = read(path)["days"]
        assert (beside(first), beside(second)) == (sums("1.5", 1, TOKENS), sums("0"))
        assert (first["fc"], first["bc"]) == (0, 1)


def test_each_name_and_hour_of_a_dimension_has_its_sums(read: Callable[[str], Any]) -> None:
    found = read("dims?dim=purpose")
    assert [beside(one) for one in found["model"]] == [sums("1.5", 0, TOKENS), sums(None, 1)]
    assert beside(found["client"][0]) == sums("1.5", 1, TOKENS)
    assert [beside(found["hour"][hour]) for hour in (1, 2, 12)] == [sums("0"), sums("0"), sums("1.5", 1, TOKENS)]
    assert [(one["name"], beside(one)) for one in found["purpose"]] == [
        ("", sums("1.5", 0, TOKENS)), ("chat", sums(None, 1)), (None, sums("0")),
    ]  # fmt: skip
    assert found["model"][1]["free"] == 0


def test_names_beyond_the_most_are_summed_as_others(filled: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("usage.reads.dimensions.MOST_NAMES", 1)
    for filters in (RecordFilters(), RecordFilters(client="ide")):
        found = as_json(dims(filled.pk, filters, "model", measured=True).others["model"])
        assert beside(found) == sums(None, 1)


@pytest.mark.parametrize("path", ["dims?dim=purpose", "dims?dim=client", "bundle"])
def test_others_in_answers_have_the_keys_of_measures(
    path: str, filled: User, read: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("usage.reads.dimensions.MOST_NAMES", 1)
    archive(filled, call("d", credits=0, client="cli", measures=Measures(Provenance.UNKNOWN)))
    found = read(path)
    others = found.get("dims", found)["others"]
    assert others
    assert all(beside(one).keys() == {"unit", "amount", "without_amount", "tokens"} for one in others.values())


@pytest.mark.parametrize("path", ["daily?", "dims?", "summary?"])
def test_an_earlier_span_has_its_sums(path: str, read: Callable[[str], Any]) -> None:
    found = read(f"{path}from=2026-09-08&to=2026-09-08&compare=previous")
    assert beside(found["comparison"]["totals"]) == sums("1.5", 1, TOKENS)


def test_a_manifest_counts_as_other_totals_do(read: Callable[[str], Any]) -> None:
    totals = read("summary")
    for found in (read("manifest")["totals"], read("bundle")["manifest"]["totals"]):
        assert beside(found) == sums("1.5", 1, TOKENS)
        assert found["free"] == totals["free"]


def test_a_call_that_changed_is_listed_with_its_new_amount(filled: User, read: Callable[[str], Any]) -> None:
    place = read("changes")["next"]
    archive(filled, call("c", credits=0, ts="2026-09-08 01:00:00", prompt="now"))
    [changed] = read(f"changes?since={quote(place)}")["changed"]
    assert beside(changed) == {"unit": "credits", "amount": "0", "provenance": "billed", "tokens": None}


@pytest.mark.parametrize("dry_run", ["1", "0"])
def test_the_examples_of_a_file_have_their_measures(dry_run: str, filled: User) -> None:
    api = ApiClient.signed_in(filled)
    content = b"request_id,credits,model,client,ts,prompt\nnew,2.5,glm,ide,2026-09-07 12:30:00,\n"
    for named, expected in ((f"?archive={filled.pk}", {"unit", "amount", "provenance", "tokens"}), ("", set())):
        file = SimpleUploadedFile("calls.csv", content.replace(b"new", f"n{dry_run}{len(expected)}".encode()))
        answer = api.client.post(
            f"/api/import{named}", {"file": file, "dry_run": dry_run}, headers={"X-CSRF-Token": api.token}
        ).json()
        [new] = answer.get("result", answer)["examples"]["new"]
        assert beside(new).keys() == expected


@pytest.mark.parametrize("path", ["manifest", "bundle"])
def test_days_that_can_be_proved_are_counted(path: str, alice: User) -> None:
    gateway = further_archive(alice, "Gateway", "USD", "litellm")
    found = ApiClient.signed_in(alice).get(f"/api/{path}?archive={gateway}").json()
    assert found.get("manifest", found)["coverage"]["proved"] == 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", sums("1.5", 1, TOKENS)), ("&model=kimi", sums(None, 1)), ("&q=question", sums("1.5", 0, TOKENS)),
        ("&with_prompt=0", sums("0", 1)), ("&credits_above=1", sums("1.5", 0, TOKENS)), ("&hour=1", sums("0")),
    ],
)  # fmt: skip
def test_the_sums_of_a_list_follow_its_filters(path: str, expected: dict[str, Any], read: Callable[[str], Any]) -> None:
    found = read(f"records?sums=1{path}")
    assert beside(found["sums"]) == expected


@pytest.mark.parametrize("order", ["ts_desc", "ts_asc", "credits_desc", "credits_asc", "model_asc"])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("tokens_above=1233", "a"), ("tokens_above=1234", ""), ("tokens_above=0", "ad"),
        ("tokens_above=999999999999", ""), ("tokens_above=0&q=question", "a"), ("tokens_above=0&model=kimi", "d"),
        ("tokens_above=0&free=0", "a"), ("tokens_above=0&credits_above=1", "a"), ("tokens_above=0&with_prompt=0", "d"),
        ("tokens_above=&model=kimi", "bd"), ("tokens_above=0&from=2026-09-08", "d"), ("tokens_above=0&hour=1", "d"),
    ],
)  # fmt: skip
def test_lists_are_filtered_by_tokens(asked: str, expected: str, order: str, filled: User) -> None:
    free = Measures(Provenance.INCLUDED, Tokens(0, 0, 0, 1))
    archive(filled, call("d", credits=0, model="kimi", ts="2026-09-08 01:30:00", measures=free))
    api = ApiClient.signed_in(filled)
    found = api.get(f"/api/records?sums=1&{asked}&order={order}").json()
    assert sorted(one["request_id"] for one in found["items"]) == [*expected]
    assert (found["total"], found["sums"]["credits"]) == (len(expected), sum(one["credits"] for one in found["items"]))
    lines = b"".join(api.get(f"/records/export?{asked}&order={order}&format=jsonl")).decode().splitlines()
    assert sorted(line[15] for line in lines) == [*expected]


def test_a_list_that_is_filtered_by_tokens_has_those_of_its_archive_beside(read: Callable[[str], Any]) -> None:
    found = read("records?sums=1&tokens_above=0")
    assert [one["request_id"] for one in found["items"]] == ["a"]
    assert beside(found["sums"]) == sums("1.5", 0, TOKENS)


@pytest.mark.parametrize("value", ["-1", "1.5", "1e3", "many", "9" * 13, "٣"])
def test_a_number_of_tokens_that_is_none_is_refused(value: str, filled: User) -> None:
    answer = ApiClient.signed_in(filled).get("/api/records", tokens_above=value)
    assert (answer.status_code, answer.json()["message"]) == (
        400, "'tokens_above' is not a whole number from 0 on.",
    )  # fmt: skip


@pytest.mark.parametrize("order", ["ts_desc", "credits_asc", "model_asc"])
@pytest.mark.parametrize(("free", "expected"), [("1", "c"), ("0", "ab")])
def test_calls_of_unknown_amount_are_not_free(
    free: str, expected: str, order: str, filled: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a further archive is read.
    monkeypatch.setattr("usage.parameters_of_reads.may_be_in", lambda archive_id: True)
    path = f"/api/records?sums=1&free={free}&order={order}&archive={filled.pk}"
    found = ApiClient.signed_in(filled).get(path).json()
    assert sorted(one["request_id"] for one in found["items"]) == [*expected]
    assert (found["total"], found["sums"]["free"]) == (len(expected), int(free))
    exported = ApiClient.signed_in(filled).get(f"/records/export?free={free}&order={order}&format=jsonl")
    lines = b"".join(exported).decode().splitlines()
    assert sorted(line[15] for line in lines) == [*expected]


def test_an_archive_of_another_unit_beside_the_first(filled: User, monkeypatch: pytest.MonkeyPatch) -> None:
    dollars = further_archive(filled, unit="USD")
    archive(dollars, replace(call("d", measures=ESTIMATED), amount=12_345_678_901_234_567))
    before = ApiClient.signed_in(filled).get("/api/summary").content
    monkeypatch.setattr(archives, "of_request", lambda request: dollars)
    found = ApiClient.signed_in(filled).get(f"/api/summary?archive={dollars}").json()
    assert beside(found) == {"unit": "USD", "amount": "12345.678901234567", "without_amount": 0, "tokens": TOKENS}
    assert ApiClient.signed_in(filled).get(f"/api/records/d?archive={dollars}").json()["amount"] == "12345.678901234567"
    monkeypatch.undo()
    assert ApiClient.signed_in(filled).get("/api/summary").content == before


# Sums of any records, in plain Python.

BOTH = Days(date(2026, 9, 7), date(2026, 9, 8))
UNTIL = "12:30"
FILTERS = [
    RecordFilters(),
    RecordFilters(model="glm"),
    RecordFilters(model=("glm", "kimi"), client="ide"),
    RecordFilters(purpose=""),
    RecordFilters(BOTH),
]
KEYS: dict[str, Callable[[IncomingRecord], Any]] = {
    "user_id": lambda one: 0,
    "day": lambda one: one.ts[:10],
    "model": lambda one: one.model,
    "client": lambda one: one.client,
    "hour": lambda one: int(one.ts[11:13]),
    PURPOSE: lambda one: one.agent_purpose or (None if not one.prompt else ""),
}
records = st.builds(
    IncomingRecord,
    request_id=st.uuids().map(str),
    amount=st.just(0),
    model=st.sampled_from(["glm", "kimi", ""]),
    client=st.sampled_from(["ide", "cli"]),
    ts=st.sampled_from(["2026-09-07 00:00:00", "2026-09-08 12:30:59", "2026-09-08 12:31:00"]),
    prompt=st.sampled_from(["", "x"]),
    prompt_truncated=st.just(False),
    agent_purpose=st.sampled_from(["", "chat"]),
    measures=st.none()
    | st.builds(
        Measures, st.sampled_from(Provenance), st.none() | st.builds(Tokens, *[st.integers(0, 2**40)] * 4), st.none()
    ),
)


def chosen(one: IncomingRecord, filters: RecordFilters, until: str) -> bool:
    of_names = {"model": one.model, "client": one.client, PURPOSE: one.agent_purpose}
    is_late = bool(until) and one.ts[:16] > f"2026-09-08 {until}"
    return not is_late and all(of_names[column] in names for column, names in filters.names.items())


def measured(some: Iterable[IncomingRecord]) -> Measured:
    found = [one.measures for one in some if one.measures]
    tokens = [one.tokens for one in found if one.tokens]
    return Measured(
        sum(one.provenance == "unknown" for one in found),
        sum(one.provenance == "estimated" for one in found),
        len(tokens),
        sum(one.input for one in tokens),
        sum(one.output for one in tokens),
        sum(one.cache_read for one in tokens),
        sum(one.cache_write for one in tokens),
    )


@given(some=st.lists(records, max_size=8))
def test_sums_are_those_of_the_records(some: list[IncomingRecord]) -> None:
    owner = next(accounts)
    archive(owner, *some)
    for filters in FILTERS:
        for until in ("", UNTIL):
            asked = replace(filters, days=BOTH) if until else filters
            kept = [one for one in some if chosen(one, asked, until)]
            for column, key_of in KEYS.items():
                found = {key: one for key, one in sums_by(column, owner, asked, until).items() if any(one)}
                keys = {key_of(one) for one in kept}
                expected = {key: measured(one for one in kept if key_of(one) == key) for key in keys}
                if column == "user_id":
                    found = dict(zip([0], found.values(), strict=False))
                assert found == {key: one for key, one in expected.items() if any(one)}


# What it costs.


def test_an_archive_without_measures_costs_one_look(alice: User) -> None:
    archive(alice, call("a"))
    with CaptureQueriesContext(connection) as captured:
        assert measured_sums.total(alice.pk, RecordFilters(client="ide")) == Measured()
    assert len(captured) == 1


def test_reads_that_name_no_archive_ask_for_no_measures(filled: User) -> None:
    api = ApiClient.signed_in(filled)
    with CaptureQueriesContext(connection) as captured:
        for path in READS:
            api.get(f"/api/{path}")
    assert not [query["sql"] for query in captured.captured_queries if "measures" in query["sql"]]
