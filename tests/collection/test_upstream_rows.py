"""Parsing of the upstream's rows and answers."""

import json
import time
from datetime import UTC, datetime
from itertools import permutations
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from collection.sources.codebuddy.failures import secrets_of
from collection.sources.codebuddy.rows import read_answer, read_row
from collection.sources.codebuddy.session_cookie import session_expiry
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.rows_of_answer import Rows
from collection.sources.source import SourceFailure
from tests.collection.scripted_upstream import ROW
from usage.incoming.record import IncomingRecord
from usage.incoming.values import UnreadableRow, amount, label, server_time

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")


def record(**changes: Any) -> IncomingRecord:
    return read_row({**ROW, **changes}, SHANGHAI, SHANGHAI)


def read(body: bytes | str, *, status: int = 200, cookie: str = "session=abc") -> Rows:
    content = body.encode() if isinstance(body, str) else body
    return read_answer(Answer(status, "", "", content), 2, SHANGHAI, SHANGHAI, cookie)


def read_rows(*rows: object, total: object = 9) -> Rows:
    return read(json.dumps({"code": 0, "data": {"total": total, "data": list(rows)}}))


def test_a_row_becomes_a_record() -> None:
    assert record() == IncomingRecord(
        request_id="0123456789abcdef0123456789abcdef",
        amount=10_500_000,
        model="glm-5.3-flash",
        client="WorkBuddy",
        ts="2026-09-07 23:42:00",
        prompt="the whole prompt",
        prompt_truncated=False,
        agent_purpose="conversation",
    )


@pytest.mark.parametrize("whole", [None, ""])
def test_without_the_whole_prompt_its_first_part_stands(whole: str | None) -> None:
    assert (record(input=whole).prompt, record(input=whole).prompt_truncated) == ("first part …", True)


def test_a_row_without_any_prompt_is_not_truncated() -> None:
    bare = record(input="", inputTrunc=None)
    assert (bare.prompt, bare.prompt_truncated) == ("", False)


@pytest.mark.parametrize("switch", [True, False])
def test_a_switch_is_no_name_and_no_prompt(switch: bool) -> None:
    found = record(model=switch, client=switch, input=switch, inputTrunc=switch, agentPurpose=switch)
    assert (found.model, found.client, found.prompt, found.agent_purpose) == ("", "", "", "")


@pytest.mark.parametrize("placeholder", ["NaN", "-Infinity", "null", "undefined", "N/A", "-", "无", float("nan"), True])
def test_a_placeholder_is_no_id_and_costs_its_row_only(placeholder: object) -> None:
    found = read_rows(ROW, {**ROW, "requestId": placeholder})
    assert ([row.request_id for row in found.records], found.without_id) == ([ROW["requestId"]], 0)
    assert len(found.skipped) == 1


def test_a_prompt_is_kept_verbatim() -> None:
    assert record(input="  a\r\n\tb \u3000").prompt == "  a\r\n\tb \u3000"


@pytest.mark.parametrize("name", ["input", "model", "client", "agentPurpose"])
def test_nul_and_lone_surrogates_become_replacement_characters(name: str) -> None:
    row = read_row({**ROW, name: "a\x00中\ud83d"}, SHANGHAI, SHANGHAI)
    assert "a\ufffd中\ufffd" in (row.prompt, row.model, row.client, row.agent_purpose)


@pytest.mark.parametrize("request_id", ["a\ud800", "a\x00"])
def test_an_id_with_a_character_that_another_one_may_have_had_is_skipped(request_id: str) -> None:
    with pytest.raises(UnreadableRow, match="the request id has a character that cannot be read"):
        record(requestId=request_id)


@pytest.mark.parametrize("request_id", [{"a": 1}, ["a"], [], True])
def test_an_id_that_is_no_text_costs_its_row_alone(request_id: object) -> None:
    rows = read_rows(ROW, {**ROW, "requestId": request_id})
    assert [len(rows.records), rows.without_id] == [1, 0]
    assert "requestId is not a text" in str(rows.skipped[0])


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert "\\ud83d" in json.dumps("😀")
    assert read_rows({**ROW, "input": "😀"}).records[0].prompt == "😀"


def test_missing_texts_are_empty() -> None:
    row = record(model=None, client=None, agentPurpose=None)
    assert (row.model, row.client, row.agent_purpose) == ("", "", "")


def test_labels_are_cut_at_200_characters() -> None:
    row = record(model="m" * 201, client="c" * 201, agentPurpose="p" * 201)
    assert {len(row.model), len(row.client), len(row.agent_purpose)} == {200}


def test_a_request_id_is_trimmed() -> None:
    assert record(requestId=" crb-1 ").request_id == "crb-1"


def test_a_request_id_above_128_characters_is_skipped() -> None:
    with pytest.raises(UnreadableRow, match="longer than 128"):
        record(requestId="x" * 129)


@pytest.mark.parametrize(
    ("credit", "micro"),
    [
        (0, 0),
        ("0", 0),
        (10.5, 10_500_000),
        ("10.5", 10_500_000),
        (-1.25, -1_250_000),
        ("1e-7", 0),
        ("0.0000005", 0),
        ("0.0000015", 2),
        ("0.0000025", 2),
        ("0.00000250000000000000000000000000001", 3),
        ("1e6", 10**12),
    ],
)
def test_credits_are_whole_millionths_rounded_half_to_even(credit: object, micro: int) -> None:
    assert amount(credit) == micro


@pytest.mark.parametrize(
    "credit", [None, True, "", "many", "NaN", float("inf"), "1_0", [], "1000000.1", "9999999", "-1e7", "1e9999"]
)
def test_credits_that_are_no_sensible_number_are_skipped(credit: object) -> None:
    with pytest.raises(UnreadableRow, match="credit is"):
        amount(credit)


@pytest.mark.parametrize(
    "credit",
    ["9" * 10**6, "-" + "9" * 10**6, "9" * 10**6 + "e9999", "9" * 10**6 + "x", "1" * 10**6 + "e", 10**5000],
    ids=["large", "negative", "with an exponent", "with a letter", "without its exponent", "a whole number"],
)
def test_a_credit_of_a_million_digits_is_skipped_at_once(credit: object) -> None:
    with pytest.raises(UnreadableRow, match="credit is"):
        amount(credit)


@pytest.mark.parametrize(
    "credit",
    ["0.5" + "0" * 10**6, "0" * 10**6 + "0.5", "5" + "0" * 9000 + "e-9001"],
    ids=["behind", "before", "and an exponent"],
)
def test_digits_that_add_nothing_make_no_credit_unreadable(credit: str) -> None:
    assert amount(credit) == 500_000


@pytest.mark.parametrize(
    "value", [10**5000, "9" * 10**6, "-1e9999", "1" * 10**6 + "e5"], ids=["whole", "digits", "negative", "exponent"]
)
def test_a_number_of_any_size_is_no_time(value: object) -> None:
    with pytest.raises(UnreadableRow, match="requestTime"):
        server_time(value, SHANGHAI, SHANGHAI)


def test_a_number_that_is_too_long_to_be_written_is_an_empty_text() -> None:
    assert label(10**5000) == ""


@pytest.mark.parametrize(
    "given",
    [
        "2026-09-07 23:42:05",
        "2026-09-07T23:42:05",
        "2026-09-07 23:42:05.987",
        " 2026-09-07 23:42:05 ",
        "2026-09-07T15:42:05Z",
        1788795725,
        1788795725.9,
        "1788795725",
        1788795725987,
        "1788795725987",
        "1.788795725e9",
    ],
)
def test_times_are_wall_clock_seconds_or_milliseconds(given: object) -> None:
    assert server_time(given, SHANGHAI, SHANGHAI) == "2026-09-07 23:42:05"


def test_a_time_without_seconds_is_at_the_whole_minute() -> None:
    assert server_time("2026-09-07 23:42", SHANGHAI, SHANGHAI) == "2026-09-07 23:42:00"


@pytest.mark.parametrize(
    "given",
    [None, "", True, "2026-09-07", 20260907, "yesterday", 10**15, -5, 1e300, "9999-12-31 23:59:59", "NaN"]
    + ["0100-01-01 12:00:00", "1969-12-30 12:00:00", "2100-01-01 12:00:00", 4_200_000_000],
)
def test_a_time_that_cannot_be_read_is_skipped(given: object) -> None:
    with pytest.raises(UnreadableRow, match="requestTime cannot be read"):
        server_time(given, ZoneInfo("America/Adak"), SHANGHAI)


@pytest.mark.parametrize(
    ("given", "ts"),
    [
        ("2026-03-08 14:59:59", "2026-03-08 01:59:59"),
        ("2026-03-08 15:00:00", "2026-03-08 03:00:00"),
        ("2026-11-01 13:30:00", "2026-11-01 01:30:00"),
        ("2026-11-01 14:30:00", "2026-11-01 01:30:00"),
        ("2026-11-01 15:00:00", "2026-11-01 02:00:00"),
    ],
)
def test_times_turn_into_the_servers_zone_around_its_clock_changes(given: str, ts: str) -> None:
    assert server_time(given, SHANGHAI, NEW_YORK) == ts


def test_a_repeated_hour_of_the_upstream_is_its_first() -> None:
    assert server_time("2026-11-01 01:30:00", NEW_YORK, ZoneInfo("UTC")) == "2026-11-01 05:30:00"


def test_an_odd_row_is_skipped_and_named_without_its_content() -> None:
    rows = read_rows(ROW, {**ROW, "credit": "secret text"}, "row", {**ROW, "requestId": ""})
    assert [str(skipped) for skipped in rows.skipped] == [
        "skipped row 2 of page 2: credit is not a finite number",
        "skipped row 3 of page 2: it is not an object",
        "skipped row 4 of page 2: requestId is missing",
    ]
    assert (len(rows.records), rows.received, rows.without_id) == (1, 4, 1)


def test_rows_without_any_request_id_are_a_broken_answer() -> None:
    with pytest.raises(SourceFailure, match="none of its rows has a requestId") as caught:
        read_rows({"credit": 1}, {"credit": 2})
    assert caught.value.outcome == "api"


@pytest.mark.parametrize("code", ["0", '"0"', "200", '"200"', "0.0", "2e2"])
def test_good_codes(code: str) -> None:
    assert read(f'{{"code": {code}, "data": {{"total": 0, "data": []}}}}').total == 0


@pytest.mark.parametrize("data", ['{"total": 0, "data": null}', '{"total": "0", "data": []}'])
def test_a_count_of_0_without_rows_is_an_empty_page(data: str) -> None:
    assert read(f'{{"code": 0, "data": {data}}}') == Rows([], 0, 0, [])


def test_data_that_is_null_has_no_count() -> None:
    assert read('{"code": 0, "data": null}') == Rows([], 0, 0, [], is_counted=False)


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ('{"code": 0}', "code"),
        ('{"total": 1, "data": []}', "total, data"),
        ('{"code": true, "data": null}', "code, data"),
        ('{"code": 0, "data": []}', "code, data"),
        ('{"code": 0, "data": {}}', "code, data"),
        ('{"code": 0, "data": {"data": null}}', "code, data, data.data"),
        ('{"code": 0, "data": {"total": 0}}', "code, data, data.total"),
        ('{"code": 0, "data": {"total": 3, "data": null}}', "code, data, data.total, data.data"),
        (
            '{"code": 0, "msg": "OK", "data": {"list": [{}], "totalCount": 1}}',
            "code, msg, data, data.list, data.totalCount",
        ),
        ('{"code": 0, "data": {"a\\ud800\\u0000\\nsession=abcdefgh": 1}}', "code, data, data.a�� session=…"),
    ],
)
def test_an_answer_of_another_form_is_a_failure_that_names_its_keys(body: str, keys: str) -> None:
    with pytest.raises(SourceFailure) as caught:
        read_answer(Answer(200, "", "", body.encode()), 1, SHANGHAI, SHANGHAI, "session=abcdefgh")
    assert caught.value.outcome == "api"
    assert f"The keys that came: {keys}." in str(caught.value)


def test_of_many_keys_the_first_ones_are_named() -> None:
    with pytest.raises(SourceFailure) as caught:
        read(json.dumps({"code": 0, **{"k" * 100 + str(number): 1 for number in range(1000)}}))
    assert len(str(caught.value)) < 350


def test_of_two_rows_with_one_id_the_larger_value_counts_in_any_order() -> None:
    rows = [{**ROW, "credit": credit, "model": model} for credit, model in ((4, "a"), (3, "z"), (4, "b"))]
    for order in permutations(rows):
        read_in_order = read_rows(*order)
        assert (read_in_order.records[-1].amount, read_in_order.records[-1].model) == (4_000_000, "b")
        assert (read_in_order.received, read_in_order.repeated) == (3, 2)


@pytest.mark.parametrize("total", [363, "363", 363.0, " 363 "])
def test_the_total_may_be_a_numeric_text(total: object) -> None:
    assert read_rows(ROW, total=total).total == 363


@pytest.mark.parametrize("total", [None, "many", -1, 1.5, True, 10**30, "1e9999", "9" * 10**5, "1" * 10**5 + "x"])
def test_a_total_that_is_no_count_is_an_unknown_form(total: object) -> None:
    with pytest.raises(SourceFailure, match="total is not a count"):
        read_rows(ROW, total=total)


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "1e99999999999999999999", "9" * 10**6], ids=lambda text: text[:9]
)
def test_a_number_out_of_all_measure_only_costs_its_row(number: str) -> None:
    page = json.dumps({"code": 0, "data": {"total": 2, "data": [{**ROW, "credit": -99}, ROW]}})
    rows = read(page.replace("-99", number))
    assert (len(rows.records), len(rows.skipped)) == (1, 1)


def test_bytes_that_are_no_utf_8_only_cost_their_characters() -> None:
    body = json.dumps({"code": 0, "data": {"total": 1, "data": [{**ROW, "input": "a?b"}]}}).encode()
    assert read(body.replace(b"a?b", b"a\xffb")).records[0].prompt == "a\ufffdb"


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read(b'\xef\xbb\xbf{"code": 0, "data": null}').received == 0


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "null", '"text"', "[" * 200_000, '{"code": 0, "data": ' + "[" * 200_000]
)
def test_json_of_another_shape_is_a_broken_answer(body: str) -> None:
    with pytest.raises(SourceFailure, match="broken") as caught:
        read(body)
    assert caught.value.outcome == "api"


def test_a_failure_conceals_every_value_of_the_cookie() -> None:
    cookie = "session=abcdef|1788795725|0123456789; session_2=xyz%7Cuvwxyz"
    text = concealed("no abcdef, 1788795725|0123456789,\nuvwxyz; bad session", secrets_of(cookie))
    assert text == "no …, …|…, …; bad session"


@pytest.mark.parametrize("before", ["x" * 1000, "x " * 1000, "\0" * 1000, " " * 100_000, "other-value " * 100])
def test_no_value_is_shown_in_part_where_a_text_is_cut(before: str) -> None:
    secret = "".join(map(str, range(1000)))
    cookie = f"session={secret}; other=other-value"
    for length in range(0, 1000, 7):
        shown = concealed(f"{before[:length]}{secret}{before}{secret[:50]}", secrets_of(cookie))
        assert secret[:6] not in shown
        assert len(shown) <= 200
    assert "other" not in concealed(before + secret, secrets_of(cookie))


def test_a_value_within_another_does_not_keep_that_from_being_concealed() -> None:
    assert concealed("it was abcdefghi", secrets_of("a=abcdef; b=abcdefghi")) == "it was …"


def test_a_long_text_costs_no_more_than_its_beginning() -> None:
    cookie = "; ".join(f"c{number}=value{number}" for number in range(600))
    begun = time.process_time()
    assert concealed("value7 " + "a word or two " * 300_000, secrets_of(cookie)).startswith("… a word")
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("code", ["abcdefgh" * 10, "x" * 36 + "abcdefgh" * 10])
def test_a_value_is_shown_in_part_by_no_code_that_is_cut(code: str) -> None:
    for status in (200, 418):
        with pytest.raises(SourceFailure) as caught:
            read(json.dumps({"code": code, "msg": "-"}), status=status, cookie=f"a={'abcdefgh' * 10}")
        assert "abc" not in str(caught.value)


@pytest.mark.parametrize("cookie", ["a=b; session=id|1788795725|hash; session_2=x", "session=id%7C1788795725%7Chash"])
def test_the_end_of_a_session_is_read_from_its_cookie(cookie: str) -> None:
    assert session_expiry(cookie) == datetime(2026, 9, 7, 15, 42, 5, tzinfo=UTC)


@pytest.mark.parametrize("cookie", ["", "session=abc", "session_2=id|1788795725|h", "session=id|5|h", "session=a|b|c"])
def test_a_cookie_that_names_no_sensible_end_has_none(cookie: str) -> None:
    assert session_expiry(cookie) is None
