"""The rows of files that services give their users: docs/sources/files.md."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.usage.import_files import file_of
from usage.amounts.units import UNITS
from usage.importing.call_row import CallRow, LeftOut
from usage.importing.file_format import Calls, Options, calls_of
from usage.importing.service_files import copilot_premium_requests, cursor, openrouter
from usage.importing.service_files.forms import FORMS
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Status, Tokens

OPTIONS = Options({}, forms=FORMS, unit=UNITS["USD"])
CURSOR = (
    "Date,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost"
)
COPILOT = '"Timestamp","User","Model","Requests Used","Exceeds Monthly Quota","Total Monthly Quota"'
OPENROUTER = (
    "generation_id,created_at,cost_total,cost_web_search,cost_cache,cost_file_processing,byok_usage_inference,"
    "tokens_prompt,tokens_completion,tokens_reasoning,tokens_cached,model_permaslug,provider_name,variant,cancelled,"
    "streamed,user,finish_reason_raw,finish_reason_normalized,generation_time_ms,time_to_first_token_ms,"
    "api_key_disabled,api_key_name,app_name"
)
AT = datetime(2026, 11, 1, 2, 26, 40, tzinfo=UTC)


def read(tmp_path: Path, *lines: str, end: str = "\n", codec: str = "utf-8") -> tuple[Calls, list[CallRow | LeftOut]]:
    source = file_of(tmp_path, "".join(line + end for line in lines).encode(codec))
    with calls_of(source, OPTIONS) as calls:
        return calls, [row for _, row in calls.rows]


def records(tmp_path: Path, *lines: str, **more: str) -> list[IncomingRecord]:
    found = read(tmp_path, *lines, **more)[1]
    assert all(isinstance(one, CallRow) for one in found), found
    return [one.record() for one in found if isinstance(one, CallRow)]


def one(tmp_path: Path, *lines: str, **more: str) -> IncomingRecord:
    [found] = records(tmp_path, *lines, **more)
    return found


def row(cost: str, kind: str = "Usage-based", tokens: str = "120,100,900,50") -> str:
    return f'"2026-11-01T02:26:40.000Z","{kind}","example-1","No",{tokens},"1070","{cost}"'


def test_a_usage_event_of_cursor(tmp_path: Path) -> None:
    calls, [found] = read(tmp_path, CURSOR, row("$0.50"))
    assert isinstance(found, CallRow)
    assert (calls.form, calls.format, calls.are_keyed) == (cursor.FORM, "csv", True)
    record = found.record()
    assert (record.amount, record.model, record.client) == (500_000_000_000, "example-1", "cursor")
    assert (record.ts, record.agent_purpose, record.prompt) == ("2026-11-01 03:26:40", "Usage-based", "")
    assert record.measures == Measures(Provenance.BILLED, Tokens(100, 50, 900, 20), AT)
    assert record.request_id.startswith("cu:")


@pytest.mark.parametrize(
    ("kind", "cost", "amount", "provenance", "status"),
    [
        ("Included", "Included", 0, "included", "ok"),
        ("Included in Business", "0.12", 120_000_000_000, "included", "ok"),
        ("Free", "Free", 0, "included", "ok"),
        ("Custom Subscription", "$1.00", 10**12, "included", "ok"),
        ("USAGE_EVENT_KIND_INCLUDED_IN_PRO", "0.12", 120_000_000_000, "included", "ok"),
        ("", "Included", 0, "included", "ok"),
        ("On-Demand", "$1,234.5", 1234_500_000_000_000, "billed", "ok"),
        ("On-Demand", "-", 0, "unknown", "ok"),
        ("", "", 0, "unknown", "ok"),
        ("User API Key", "$0.10", 0, "unknown", "ok"),
        ("Errored, No Charge", "-", 0, "billed", "error"),
        ("Errored, Not Charged", "0.5", 0, "billed", "error"),
        ("USAGE_EVENT_KIND_UNSPECIFIED", "0.5", 0, "unknown", "ok"),
        ("Errored, No Charge", "Errored, No Charge", 0, "billed", "error"),
        ("Aborted, Not Charged", "0", 0, "billed", "cancelled"),
    ],
)
def test_what_a_call_of_cursor_cost_and_who_paid_it(
    kind: str, cost: str, amount: int, provenance: str, status: str, tmp_path: Path
) -> None:
    found = one(tmp_path, CURSOR, row(cost, kind))
    assert found.measures
    assert (found.amount, found.measures.provenance, found.measures.status) == (amount, provenance, status)


def test_what_it_cost_the_person_comes_before_what_it_cost(tmp_path: Path) -> None:
    assert one(tmp_path, f"{CURSOR},Cost to you", row("0.5") + ",0.25").amount == 250_000_000_000
    assert one(tmp_path, f"{CURSOR},Cost to you", row("0.5") + ",").amount == 500_000_000_000


@pytest.mark.parametrize(
    ("head", "line"),
    [
        # As files looked before there were kinds, and with the columns of teams and agents.
        (
            "Date,Model,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost",
            '2026-11-01T02:26:40.000Z,example-1,120,100,900,50,1070,"$0.50"',
        ),
        (
            "Date,User,Cloud Agent ID,Automation ID,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),"
            "Cache Read,Output Tokens,Total Tokens,Cost",
            "2026-11-01T02:26:40Z,me@example.test,,,Usage-based,example-1,Yes,120,100,900,50,1070,0.5",
        ),
        # As a spreadsheet of another country writes it.
        (
            CURSOR.replace(",", ";"),
            "2026-11-01T02:26:40.000Z;Usage-based;example-1;No;120;100;900;50;1.070;0,50",
        ),
        # With the columns that say what it cost the person, and who paid it.
        (f"{CURSOR},Cost to you", row("$0.50") + ",0.4"),
        (CURSOR, row("$0.50", "User API Key")),
        (CURSOR.upper(), row("0.500000")),
    ],
)
def test_the_key_is_that_of_the_same_call_in_any_file(head: str, line: str, tmp_path: Path) -> None:
    expected = one(tmp_path, CURSOR, row("$0.50"))
    found = one(tmp_path, "\ufeff" + head, line, end="\r\n")
    assert found.request_id == expected.request_id
    assert found.measures
    assert expected.measures
    assert (found.ts, found.measures.tokens) == (expected.ts, expected.measures.tokens)


@pytest.mark.parametrize("other", [row("$0.51"), row("$0.50", tokens="120,100,900,51"), row("-"), row("0")])
def test_the_key_of_another_call_is_another(other: str, tmp_path: Path) -> None:
    first, second = records(tmp_path, CURSOR, row("$0.50"), other)
    assert first.request_id != second.request_id


def test_a_call_without_tokens_has_none(tmp_path: Path) -> None:
    found = one(tmp_path, CURSOR, row("-", tokens='"","","",""'))
    assert found.measures == Measures(Provenance.UNKNOWN, None, AT)


@pytest.mark.parametrize("sign", [",", ".", "'", " ", "\u00a0"])
def test_thousands_of_tokens_may_stand_apart(sign: str, tmp_path: Path) -> None:
    tokens = ";".join(f"{each}{sign}000" for each in ("3", "1", "9", "1" + sign + "200"))
    head, cost = CURSOR.replace(",", ";"), "0,5" if sign != "," else "0.5"
    line = f"2026-11-01T02:26:40.000Z;Usage-based;example-1;No;{tokens};0;{cost}"
    found = one(tmp_path, head, line)
    assert found.measures
    assert found.measures.tokens == Tokens(1000, 1_200_000, 9000, 2000)


@pytest.mark.parametrize("time", ["2026-11-01 10:26:40", "01.11.2026 10:26:40", "Nov 1, 2026, 10:26:40 AM"])
def test_times_without_an_offset_are_of_the_zone_that_is_named(time: str, tmp_path: Path) -> None:
    source = file_of(tmp_path, f"{CURSOR}\n" + row("0.5").replace("2026-11-01T02:26:40.000Z", time))
    with calls_of(source, replace(OPTIONS, zone=ZoneInfo("Asia/Shanghai"))) as calls:
        [(_, found)] = calls.rows
    assert isinstance(found, CallRow)
    assert found.record().measures == Measures(Provenance.BILLED, Tokens(100, 50, 900, 20), AT)


def test_a_row_of_a_total_is_left_out(tmp_path: Path) -> None:
    _, [_, total] = read(tmp_path, CURSOR, row("0.5"), row("0.5").replace("example-1", "Total"))
    assert isinstance(total, LeftOut)


def test_names_that_stand_for_none(tmp_path: Path) -> None:
    head = CURSOR.replace("Kind", "Cloud Agent ID")
    found = one(tmp_path, head, row("0.1", "bc-1").replace("example-1", "default"))
    assert (found.model, found.client, found.agent_purpose) == ("auto", "cloud agent", "")


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        (row("much"), "Cost", "much"),
        (row("1e99"), "Cost", "1e99"),
        (row("0.5").replace("2026-11-01T02:26:40.000Z", "yesterday"), "Date", "yesterday"),
        *(
            (row("0.5").replace("2026-11-01T02:26:40.000Z", time), "Date", time)
            for time in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-11-20T10:00:00.000Z")
        ),
        (row("0.5", tokens="120,some,900,50"), "Input (w/o Cache Write)", "some"),
        (row("0.5", tokens="120,100,900,1.5"), "Output Tokens", "1.5"),
        (row("0.5", tokens="120,100,-900,50"), "Cache Read", "-900"),
    ],
)
def test_a_row_that_cannot_be_read_is_left_out_with_its_cell(
    line: str, column: str, value: str, tmp_path: Path
) -> None:
    _, [good, bad] = read(tmp_path, CURSOR, row("0.5"), line)
    assert isinstance(good, CallRow)
    assert isinstance(bad, LeftOut)
    assert (bad.column, bad.value) == (column, value)
    assert str(bad.reason())


@pytest.mark.parametrize(
    ("time", "exceeds", "provenance"),
    [
        ("2025-06-11T05:13:27.8766440Z", "False", "included"),
        ("2025-06-11T05:13:27Z", "TRUE", "billed"),
        ("2025-06-11T05:13:27Z", "false", "included"),
    ],
)
def test_a_use_of_copilot(time: str, exceeds: str, provenance: str, tmp_path: Path) -> None:
    calls, [found] = read(tmp_path, COPILOT, f'"{time}","me-example","gpt-example","2.50","{exceeds}","Unlimited"')
    assert isinstance(found, CallRow)
    assert calls.form is copilot_premium_requests.FORM
    record = found.record()
    assert (record.amount, record.model, record.client) == (2_500_000, "gpt-example", "copilot")
    assert record.ts == "2025-06-11 07:13:27"
    assert record.measures
    assert (record.measures.provenance, record.measures.tokens) == (provenance, None)
    assert record.request_id.startswith("co:")
    assert "me-example" not in str(record)


def generation(**cells: str) -> str:
    known: dict[str, Any] = {
        "generation_id": "gen-1793500000-Ex1", "created_at": "2026-11-01 02:26:40.000", "cost_total": "6.2e-05",
        "tokens_prompt": "1000", "tokens_completion": "50", "tokens_cached": "900", "model_permaslug": "example/one-v1",
        "cancelled": "false", "finish_reason_normalized": "stop", "api_key_name": "laptop", "app_name": "Editor",
    }  # fmt: skip
    return ",".join({**known, **cells}.get(name, "") for name in OPENROUTER.split(","))


def test_a_generation_of_openrouter_has_its_own_id(tmp_path: Path) -> None:
    calls, [found] = read(tmp_path, OPENROUTER, generation())
    assert isinstance(found, CallRow)
    assert (calls.form, calls.are_keyed) == (openrouter.FORM, False)
    record = found.record()
    assert (record.request_id, record.amount, record.model, record.client) == (
        "gen-1793500000-Ex1", 62_000_000, "example/one-v1", "laptop",
    )  # fmt: skip
    assert record.measures == Measures(Provenance.BILLED, Tokens(100, 50, 900), AT)


def test_a_generation_that_did_not_end_well(tmp_path: Path) -> None:
    lines = [
        generation(generation_id="gen-1", cancelled="true", cost_total=""),
        generation(generation_id="gen-2", finish_reason_normalized="error", api_key_name="", tokens_prompt=""),
    ]
    first, second = records(tmp_path, OPENROUTER, *lines)
    assert first.measures == Measures(Provenance.UNKNOWN, Tokens(100, 50, 900), AT, Status.CANCELLED)
    assert second.measures == Measures(Provenance.BILLED, None, AT, Status.ERROR)
    assert second.client == "Editor"


def test_a_generation_without_an_id_is_left_out(tmp_path: Path) -> None:
    _, found = read(tmp_path, OPENROUTER, generation(), generation(generation_id=""), generation(generation_id="null"))
    assert [isinstance(each, LeftOut) for each in found] == [False, True, True]
    assert [(each.column, each.value) for each in found if isinstance(each, LeftOut)] == [
        ("generation_id", ""), ("generation_id", "null"),
    ]  # fmt: skip


def test_a_file_of_another_form_is_read_as_everywhere(tmp_path: Path) -> None:
    calls, [found] = read(tmp_path, "request_id,credits,model,client,ts", "a,0.5,m,c,2026-11-01 10:26:40")
    assert isinstance(found, CallRow)
    assert (calls.form, calls.are_keyed, found.request_id) == (None, False, "a")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="same name"):
        read(tmp_path, f"{CURSOR},Cost", row("0.5") + ",0.7")


def test_names_in_another_order_and_lines_before_them(tmp_path: Path) -> None:
    names = CURSOR.split(",")
    cells = dict(
        zip(
            names,
            ["2026-11-01T02:26:40.000Z", "Usage-based", "example-1", "No", *["120", "100", "900", "50", "1070", "0.5"]],
            strict=True,
        )
    )
    expected = one(tmp_path, CURSOR, row("0.5"))
    found = one(
        tmp_path, "Usage events", "", ",".join(reversed(names)), ",".join(cells[name] for name in reversed(names))
    )
    assert (found.request_id, found.amount) == (expected.request_id, expected.amount)
