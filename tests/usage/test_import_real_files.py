"""Files as people have them: saved again by spreadsheets, written by other programs, of other countries."""

import csv
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from accounts.models import User
from collection.transfer.import_run import preview
from tests.usage.import_files import file_of, is_storable, reasons_in, records_in, rows_in, values_of
from usage.importing.call_row import CallRow, LeftOut
from usage.importing.file_format import Options, calls_of
from usage.importing.file_source import source_at
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.record import IncomingRecord

HEADER = "request_id,credits,time\n"
NOON = "2026-11-20 12:30:00"


def credits_in(tmp_path: Path, *cells: str) -> list[float | str]:
    """The credits of a file with these cells, or the reason why a row is left out."""
    lines = [f"r{number};{cell};{NOON}\n" for number, cell in enumerate(cells)]
    rows = rows_in(file_of(tmp_path, "request_id;credits;time\n" + "".join(lines)))
    return [getattr(row, "amount", 0) / 1e6 if hasattr(row, "amount") else str(row) for _, row in rows]


def times_in(tmp_path: Path, *cells: str) -> list[str]:
    lines = [f'r{number},1,"{cell}"\n' for number, cell in enumerate(cells)]
    return [getattr(row, "ts", "") or str(row) for _, row in rows_in(file_of(tmp_path, HEADER + "".join(lines)))]


def refusal_of(tmp_path: Path, content: str | bytes, **options: str) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as refused:
        rows_in(file_of(tmp_path, content), **options)
    return refused.value


# Numbers


@pytest.mark.parametrize(
    ("cells", "credits"),
    [
        (["1,5", "2", "1.234", "1.234,5", "0,25 €"], [1.5, 2, 1234, 1234.5, 0.25]),
        (["1.5", "2", "1,234", "1,234.5"], [1.5, 2, 1234, 1234.5]),
        (["1.234", "2.500"], [1.234, 2.5]),
        (["1,234", "2,500"], [1234, 2500]),
        (["$1,234.50", "$0.19", "¥1.50", "￥2", "2.5积分"], [1234.5, 0.19, 1.5, 2, 2.5]),
        (["CNY 3", "-$1.5", "$-1.5", "US$ 7", "3 credits"], [3, -1.5, -1.5, 7, 3]),
        (["1 234,5", "1\u202f234,5", "1'234"], [1234.5, 1234.5, 1234]),
        (["１２．５", "−1"], [12.5, -1]),
        (["Free", "included", "免费", "Included in Pro", "1"], [0, 0, 0, 0, 1]),
        (["Included in Pro+", "Included (Pro)", "免费额度", "限时免费", "包含在套餐内"], [0, 0, 0, 0, 0]),
        (["1e-3", "1E2"], [0.001, 100]),
    ],
)
def test_the_numbers_of_a_column_are_read_as_they_are_written(
    tmp_path: Path, cells: list[str], credits: list[float]
) -> None:
    assert credits_in(tmp_path, *cells) == credits


@pytest.mark.parametrize("cells", [["1,5", "1.5"], ["1.234,5", "1,234.5"], ["1,5", "1", "0.123"], ["1.234.567", "1.5"]])
def test_a_column_with_both_decimal_signs_is_refused_whole(tmp_path: Path, cells: list[str]) -> None:
    with pytest.raises(UnreadableFile, match=r"'.*' in row \d \(as in 1,234.5\) and '.*' in row \d \(as in 1.234,5\)"):
        credits_in(tmp_path, *cells)


def test_a_cell_that_is_no_number_costs_its_row_alone(tmp_path: Path) -> None:
    assert credits_in(tmp_path, "1,5", "1.2.3", "1,23,4", "12.34,5", "--1", "5 apples") == [
        1.5,
        "credits '1.2.3': credit is not a finite number",
        "credits '1,23,4': credit is not a finite number",
        "credits '12.34,5': credit is not a finite number",
        "credits '--1': credit is not a finite number",
        "credits '5 apples': credit is not a finite number",
    ]


def test_an_empty_cell_is_said_to_be_empty(tmp_path: Path) -> None:
    assert credits_in(tmp_path, "1", "", " ") == [1, "credits '': credit is empty", "credits ' ': credit is empty"]


def test_a_number_of_any_length_costs_its_row_alone(tmp_path: Path) -> None:
    first, *others = credits_in(tmp_path, "1", "9" * 1_000_000, "1." + "1" * 1_000_000, "1e9999", "1e-9999")
    assert first == 1
    assert [isinstance(each, str) for each in others] == [True, False, True, False]


# Times


@pytest.mark.parametrize(
    ("cell", "ts"),
    [
        ("20.11.2026 12:30:17", "2026-11-20 12:30:17"),
        ("20.11.2026, 12:30", "2026-11-20 12:30:00"),
        ("2026/11/20 下午12:30:17", "2026-11-20 12:30:17"),
        ("2026年11月20日 上午8:05:09", "2026-11-20 08:05:09"),
        ("2026年11月20日上午12时05分", "2026-11-20 00:05:00"),
        ("2026-11-20 01:30:17 PM", "2026-11-20 13:30:17"),
        ("2026-11-20 12:30 a.m.", "2026-11-20 00:30:00"),
        ("2026-11-20 12:30:00 UTC", "2026-11-20 13:30:00"),
        ("2026-11-20 12:30:00Z", "2026-11-20 13:30:00"),
        ("2026-11-20 12:30:00 GMT", "2026-11-20 13:30:00"),
        ("2026-11-20 12:30:00.123456789 +0800 CST", "2026-11-20 05:30:00"),
        ("2026-11-20 12:30:00.5 +0800 CST m=+0.01", "2026-11-20 05:30:00"),
        ("2026-11-20 12:30:00+08", "2026-11-20 05:30:00"),
        ("2026-11-20 12:30:00 UTC+8", "2026-11-20 05:30:00"),
        ("2026-11-20T12:30:00,123+05:30", "2026-11-20 08:00:00"),
    ],
)
def test_times_are_read_in_the_forms_that_programs_write(tmp_path: Path, cell: str, ts: str) -> None:
    assert times_in(tmp_path, cell) == [ts]


@pytest.mark.parametrize(
    "cell",
    ["13:30 2026-11-20", "11/20/2026 12:30", "2026-11-20 13:30 AM", "2026-11-2012:30", "20.11.26 12:30", "2026-11-20"],
)
def test_a_time_with_several_meanings_or_none_is_unreadable(tmp_path: Path, cell: str) -> None:
    assert times_in(tmp_path, cell) == [f"time '{cell}': requestTime cannot be read"]


def test_day_numbers_of_a_spreadsheet_are_read_in_a_column_of_them(tmp_path: Path) -> None:
    assert times_in(tmp_path, "46027.3353009", "46027,5", "46028", "") == [
        "2026-01-05 08:02:50", "2026-01-05 12:00:00", "2026-01-06 00:00:00",
        "time '': requestTime is empty",
    ]  # fmt: skip


def test_a_single_day_number_among_other_times_is_unreadable(tmp_path: Path) -> None:
    assert times_in(tmp_path, NOON, "46027.3353009") == [
        NOON, "time '46027.3353009': it is a day number of a spreadsheet, which is read in a CSV column of them only",
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["1.79516E+12", "1.79523E+09", "1,79516E+12", "2E+12"])
def test_an_epoch_that_a_spreadsheet_has_rounded_is_unreadable(tmp_path: Path, cell: str) -> None:
    assert times_in(tmp_path, cell) == [f"time '{cell}': a spreadsheet has rounded the time"]


# Forms


def test_a_row_with_more_cells_than_names_is_unreadable(tmp_path: Path) -> None:
    rows = f"a1,{NOON},glm,ok,1.5\na2,{NOON},glm,use 5,7,1.5\n"
    source = file_of(tmp_path, f"request_id,time,model,prompt,credits\n{rows}")
    assert reasons_in(source) == [(3, "it has 6 of 5 columns")]


@pytest.mark.parametrize("end", [",", ",,,", ", ,"])
def test_empty_cells_after_the_last_column_are_ignored(tmp_path: Path, end: str) -> None:
    assert len(records_in(file_of(tmp_path, f"{HEADER}a1,1,{NOON}{end}\n"))) == 1


def test_columns_without_a_name_are_ignored(tmp_path: Path) -> None:
    [record] = records_in(file_of(tmp_path, f",request_id,credits,time,,\n0,a1,1,{NOON},,note\n"))
    assert record.request_id == "a1"


@pytest.mark.parametrize(
    "before",
    [
        *("sep=;\n", '"sep=;"\r\n', "\ufeffsep=;\n", "\n\n", "Usage report\n"),
        "Usage report;;\nfrom;2026-11-01;to 2026-11-30\n\n",
    ],
)
def test_lines_before_the_names_are_passed(tmp_path: Path, before: str) -> None:
    source = file_of(tmp_path, f"{before}request_id;credits;time\na1;1.5;{NOON}\n;2;{NOON}\n")
    (first, record), (second, reason) = rows_in(source)
    assert (first, getattr(record, "request_id", "")) == (before.count("\n") + 2, "a1")
    assert (second, str(reason)) == (first + 1, "requestId is missing")


def test_the_line_of_the_sign_allows_any_sign(tmp_path: Path) -> None:
    assert len(records_in(file_of(tmp_path, f"sep=^\nrequest_id^credits^time\na1^1^{NOON}\n"))) == 1


def test_names_may_stand_on_several_lines(tmp_path: Path) -> None:
    source = file_of(tmp_path, f'"request\nid","credits\n(used)",time,credits\na1,x,{NOON},1\n,1,,\n')
    (number, record), (last, _) = rows_in(source)
    assert (number, last, getattr(record, "request_id", "")) == (4, 5, "a1")


def test_traditional_names_are_recognised(tmp_path: Path) -> None:
    names = "請求ID,積分消耗,模型名稱,客戶端,時間,提示詞"
    [record] = records_in(file_of(tmp_path, f"{names}\na1,1.5,glm,ide,{NOON},why?\n"))
    assert (record.request_id, record.model, record.client, record.prompt) == ("a1", "glm", "ide", "why?")


@pytest.mark.parametrize(
    "names",
    [
        "呼叫ID,使用積分,使用者輸入,模型名稱,用戶端,請求時間",
        "請求編號,花費積分,使用者問題,使用模型,應用程式,呼叫時間",
        "請求識別碼,點數消耗,輸入內容,調用模型,客戶端類型,發生時間",
        "调用标识,积分使用量,用户输入,模型名,用户端名称,请求日期",
        "ＲｅｑｕｅｓｔＩＤ,扣減積分,提問內容,模型名字,來源,建立時間",
        "リクエストＩＤ,消費ｸﾚｼﾞｯﾄ,プロンプト,モデル名,クライアント,日時",
        "呼叫編號,消費積分,用戶輸入,模型,終端,時間戳記",
    ],
)
def test_names_in_any_script_and_width_are_recognised(tmp_path: Path, names: str) -> None:
    [record] = records_in(file_of(tmp_path, f"{names}\na1,1.5,why?,glm,ide,{NOON}\n"))
    assert values_of(record) == ("a1", 1_500_000, "glm", "ide", NOON, "why?")


ROWS = [{"requestId": f"a{number}", "credit": number, "requestTime": NOON} for number in range(3)]
ANSWERS = [{"code": 0, "msg": "OK", "data": {"total": 1, "data": [row]}} for row in ROWS]


@pytest.mark.parametrize(
    "document",
    [
        json.dumps(ANSWERS),
        json.dumps([*ANSWERS, {"code": 0, "data": {"total": 0, "data": []}}]),
        "".join(f"{json.dumps(answer)}\n" for answer in ANSWERS),
        json.dumps({"items": [], "data": ROWS}),
        json.dumps({"data": {"total": 3}, "records": ROWS}),
        json.dumps({"data": {"items": [], "list": ROWS}, "x": 1}),
        json.dumps({"rows": ANSWERS}, indent=1),
        json.dumps([{**row, "data": []} for row in ROWS]),
    ],
)
def test_calls_are_found_wherever_answers_have_them(tmp_path: Path, document: str) -> None:
    records = records_in(file_of(tmp_path, document, "calls.json"))
    assert [record.request_id for record in records] == ["a0", "a1", "a2"]


@pytest.mark.parametrize(
    "value",
    [
        "[" * 100_000 + "]" * 100_000,
        pytest.param(json.dumps('x\\"]' * 1_500_000), marks=pytest.mark.thorough, id="long"),
    ],
)
def test_a_value_of_json_that_is_too_deep_or_too_long_costs_its_row_alone(tmp_path: Path, value: str) -> None:
    row = json.dumps(ROWS[0])
    source = file_of(tmp_path, f'[{row}, {{"x": {value}}}, {value}, {row}]')
    assert [number for number, _ in reasons_in(source)] == [2, 3]
    assert len(rows_in(source)) == 4


@pytest.mark.django_db
def test_a_workbook_gets_words_that_say_how_to_save_it(alice: User, tmp_path: Path) -> None:
    path = tmp_path / "calls.xlsx"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("xl/workbook.xml", "<workbook/>")
    for content in (path.read_bytes(), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512):
        with pytest.raises(UnreadableFile, match="save it as CSV"):
            preview(alice, file_of(tmp_path, content), Options({}))


# What a second look found.


@pytest.mark.parametrize("cell", [f"2026-11-20{' ' * 10**6}x", "1" * 10**6 + "x", "9" * 10**6, " " * 10**6 + "x"])
def test_a_time_of_any_length_is_unreadable_at_once(tmp_path: Path, cell: str) -> None:
    [reason] = times_in(tmp_path, cell)
    assert reason.endswith("requestTime cannot be read")


@pytest.mark.parametrize(
    ("cell", "ts"),
    [
        ("Fri, 20 Nov 2026 11:30:17 GMT", "2026-11-20 12:30:17"),
        ("2026-11-20 12:30:17 GMT+0100 (CET)", "2026-11-20 12:30:17"),
        ("2026-11-20T12:30:17+01:00[Europe/Berlin]", "2026-11-20 12:30:17"),
        ("20. 11. 2026 12:30 Uhr", "2026-11-20 12:30:00"),
        ("2026. 11. 20. 오후 12:30", "2026-11-20 12:30:00"),
        ("2026-11-20 1:30:17 p. m.", "2026-11-20 13:30:17"),
        ("1795174217000000", "2026-11-20 12:30:17"),
    ],
)
def test_times_of_more_programs_are_read(tmp_path: Path, cell: str, ts: str) -> None:
    assert times_in(tmp_path, cell) == [ts]


def test_day_numbers_that_were_stored_as_they_were_shown_are_unreadable(tmp_path: Path) -> None:
    assert times_in(tmp_path, "46346.52", "46346.5") == [
        f"time '{cell}': a spreadsheet has rounded the time" for cell in ("46346.52", "46346.5")
    ]


@pytest.mark.parametrize("cell", ["10³", "①", "1.5²"])
def test_exponents_are_no_digits(tmp_path: Path, cell: str) -> None:
    assert credits_in(tmp_path, cell) == [f"credits '{cell}': credit is not a finite number"]


def test_a_quote_that_never_ends_costs_its_row_alone(tmp_path: Path) -> None:
    rows = "".join(f"r{number},1,{NOON},ok\n" for number in range(1000))
    source = file_of(tmp_path, f'request_id,credits,time,prompt\na,1,{NOON},"open\n{rows}')
    assert reasons_in(source) == [(2, "its quotes are wrong, or a field is too long")]
    assert len(rows_in(source)) == 1001


def test_rows_after_a_bad_one_keep_their_numbers_and_are_not_blamed(tmp_path: Path) -> None:
    long = "x" * (5 * 1024 * 1024)
    source = file_of(tmp_path, f'{HEADER}a0,1,"x\0"y\na1,1,{NOON}\n{long}\n,1,{NOON}\n')
    assert [number for number, _ in reasons_in(source)] == [2, 4, 5]


def test_columns_without_a_name_may_hold_anything_at_the_end(tmp_path: Path) -> None:
    rows = f"a1,{NOON},glm,ok,1.5,,\na2,{NOON},glm,ok,1.5,note,\na3,{NOON},glm,ok,1.5,,,more\n"
    source = file_of(tmp_path, f"request_id,time,model,prompt,credits,,\n{rows}")
    assert reasons_in(source) == [(4, "it has 8 of 7 columns")]


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ({"id": "a", "time": NOON}, "it lacks the request id, the credits or the time"),
        ({"code": 1, "msg": "err"}, "it lacks the request id, the credits or the time"),
        ({}, "it lacks the request id, the credits or the time"),
    ],
)
def test_a_first_element_that_is_no_call_costs_itself_alone(tmp_path: Path, first: object, reason: str) -> None:
    rows = [first, *ROWS]
    for document in (json.dumps(rows), "".join(f"{json.dumps(row)}\n" for row in rows)):
        assert reasons_in(file_of(tmp_path, document)) == [(1, reason)]


def test_a_first_line_that_is_cut_costs_itself_alone(tmp_path: Path) -> None:
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    assert reasons_in(file_of(tmp_path, f'{{"id":"a","cre\n{lines}')) == [(1, "it is not valid JSON")]


@pytest.mark.parametrize("request_id", [" ", True, 1.5e19, "a" * 129, "a\ud800"])
def test_an_id_that_this_service_does_not_write_is_none_in_its_own_form(tmp_path: Path, request_id: object) -> None:
    row = {"request_id": request_id, "credits": 1, "model": "", "client": "", "ts": NOON, "prompt": ""}
    assert len(reasons_in(file_of(tmp_path, json.dumps([row])))) == (0 if request_id == "a\ud800" else 1)


def test_lines_that_end_with_a_carriage_return_are_lines(tmp_path: Path) -> None:
    assert len(records_in(file_of(tmp_path, f"{HEADER}a1,1,{NOON}\na2,1,{NOON}\n".replace("\n", "\r")))) == 2


def test_two_columns_of_one_name_that_nobody_needs_are_no_fault(tmp_path: Path) -> None:
    assert len(records_in(file_of(tmp_path, f"request_id,note,note,credits,time\na1,,,1,{NOON}\n"))) == 1


def test_columns_that_count_tokens_are_no_prompt(tmp_path: Path) -> None:
    [record] = records_in(file_of(tmp_path, f"id,model,input,output,cost,date\na1,glm,1234,5,1,{NOON}\n"))
    assert record.prompt == ""


def test_a_name_of_any_length_is_cut_in_reasons(tmp_path: Path) -> None:
    name = "request_id" + "_" * 10_000
    source = file_of(tmp_path, f"{name},credits,time\nnull,1,{NOON}\n")
    with calls_of(source, Options({"request_id": name})) as calls:
        [(_, row)] = calls.rows
    assert isinstance(row, LeftOut)
    assert len(str(row.reason())) < 150


# What a third look found.


@pytest.mark.parametrize(
    ("cell", "ts"),
    [
        ("Nov 20, 2026, 1:30:17 PM", "2026-11-20 13:30:17"),
        ("Friday, November 20, 2026 at 12:30 AM", "2026-11-20 00:30:00"),
        ("Fri, 20 Nov 2026 01:30:00 PM", "2026-11-20 13:30:00"),
        ("20 Nov 2026 12:30:00", "2026-11-20 12:30:00"),
        ("Fri Nov 20 12:30:00 UTC 2026", "2026-11-20 13:30:00"),
        ("Fri Nov 20 2026 12:30:00 GMT+0100 (Central European Standard Time)", "2026-11-20 12:30:00"),
        ("20.11.2026 12.30", "2026-11-20 12:30:00"),
        ("2026年11月20日 星期五 12:30", "2026-11-20 12:30:00"),
        ("2026-11-20 晚上8:30", "2026-11-20 20:30:00"),
        ("2026-11-20 凌晨1:30", "2026-11-20 01:30:00"),
        ("2026-11-20 中午12:30", "2026-11-20 12:30:00"),
        ("2026-11-20 中午1:30", "2026-11-20 13:30:00"),
        ("2026-11-20T12:30:00Z[UTC]", "2026-11-20 13:30:00"),
        ("2026-11-20 12:30:17 (UTC)", "2026-11-20 13:30:17"),
        ("20261120T1230", "2026-11-20 12:30:00"),
        ("20261120T1230Z", "2026-11-20 13:30:00"),
    ],
)
def test_times_with_one_meaning_are_read(tmp_path: Path, cell: str, ts: str) -> None:
    assert times_in(tmp_path, cell) == [ts]


@pytest.mark.parametrize(
    "cell",
    [
        *("Fri Nov 20 12:30:00 CST 2026", "Fri, 20 Nov 2026 12:30:00 JST", "Nov 20, 2026 12:30 EST"),
        *("Fri, 20 Nov 2026 12:30:00 +9999999999999", "Fri, 99 Nov 2026 12:30:00", "Fri, 20 Nov 26 12:30:00 GMT"),
        *("2026-11-20 晚上12:30", "2026-11-20 中午8:30", "Fri,", "Nov 20 2026 12:30 +99"),
    ],
)
def test_an_english_time_that_is_not_known_whole_is_unreadable(tmp_path: Path, cell: str) -> None:
    [reason] = times_in(tmp_path, cell)
    assert reason.endswith("requestTime cannot be read")


def test_an_epoch_with_another_exponent_is_rounded_too(tmp_path: Path) -> None:
    assert times_in(tmp_path, "17.9516E+11") == ["time '17.9516E+11': a spreadsheet has rounded the time"]


def test_an_english_time_without_seconds_says_none(tmp_path: Path) -> None:
    [record] = records_in(file_of(tmp_path, f'{HEADER}r1,1,"Fri, 20 Nov 2026 12:30 +0100"\n'))
    assert "ts" in record.missing


FORMS = ("csv", "json", "lines")
ODD = st.sampled_from(
    [
        *(
            "9" * 400,
            "1e999999",
            "-1e-999999",
            "Fri, 20 Nov 2026 12:30:00 +9999999999999",
            "46027.33",
            "NaN",
            "=1+1",
        ),
        *(
            '"',
            "'",
            "\ud800",
            "\udfff x",
            "\0",
            "\ufeff",
            "1,5",
            "1.234,5",
            "#NAME?",
            "10³",
            "0001-01-01 00:00:00+23:59",
        ),
        *("9999-12-31 23:59:59-23:59", "1970-01-01 00:00 +2359", "99999999999999", "\ufdfa" * 70, "\r\n", "Total", "["),
    ]
)
VALUES = ODD | st.text(max_size=30) | st.integers() | st.floats() | st.none() | st.booleans()


def written(rows: list[dict[str, Any]], form: str) -> str:
    if form == "json":
        return json.dumps(rows)
    if form == "lines":
        return "".join(f"{json.dumps(row)}\n" for row in rows)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("form", FORMS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(field=st.sampled_from(["id", "credits", "time", "model", "client", "prompt"]), value=VALUES)
@example(field="credits", value="9" * 10**6)
@example(field="prompt", value="\0 \ud800")
@example(field="id", value="\0 \ud800")
def test_any_value_costs_its_own_row_at_most(tmp_path: Path, form: str, field: str, value: object) -> None:
    good = [{"id": f"r{n}", "credits": "1", "time": NOON, "model": "m", "client": "c", "prompt": "p"} for n in range(3)]
    content = written([good[0], {**good[1], field: value}, good[2]], form)
    rows = rows_in(file_of(tmp_path, content.encode("utf-8", "replace")))
    found = [getattr(row, "request_id", "") for _, row in rows]
    assert (found[0], found[-1]) == ("r0", "r2")
    assert len(rows) == 3
    for record in (row for _, row in rows if isinstance(row, IncomingRecord)):
        assert is_storable(record)


def test_a_lone_surrogate_in_the_name_of_a_key_is_replaced_where_it_is_shown(tmp_path: Path) -> None:
    rows = [{"id": "a", "credit\ud800": "x", "time": NOON}, {"id": "b", "credit\ud800": 1, "time": NOON}]
    source = file_of(tmp_path, json.dumps(rows))
    assert reasons_in(source) == [(1, "credit\ufffd 'x': credit is not a finite number")]
    with calls_of(source, Options({})) as calls:
        assert calls.columns["credits"] == "credit\ufffd"
    assert refusal_of(tmp_path, '[{"\\ud800id": 1}]').extra["headers"] == ["\ufffdid"]


def test_a_file_whose_name_is_no_text_has_a_name_to_show(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(b"x")
    assert source_at(Path(os.fsdecode(path))).name == "caf\ufffd.csv"


@pytest.mark.parametrize("form", ["csv", "lines"])
def test_the_own_form_with_bad_bytes_is_read_as_a_damaged_file(tmp_path: Path, form: str) -> None:
    cells = ['"k1"', "1.5", '"好的好的"', '"glm"', '"你"', f'"{NOON}"']
    keys = ("request_id", "credits", "prompt", "model", "client", "ts")
    ordered = ("request_id", "credits", "model", "client", "ts", "prompt")
    row = dict(zip(keys, cells, strict=True))
    content = "\ufeffRequestID,Credits,User Prompt,Model,Client,Time\r\n" + ",".join(cells) + "\r\n"
    if form == "lines":
        content = "{" + ",".join(f'"{key}":{row[key]}' for key in ordered) + "}\n"
    whole = content.encode()
    with calls_of(file_of(tmp_path, whole.replace("你".encode(), b"\xe4\xbd")), Options({})) as calls:
        [(_, call)] = calls.rows
    assert isinstance(call, CallRow)
    assert (calls.damage.count, "client" in call.record().missing) == (1, True)
    assert reasons_in(file_of(tmp_path, whole.replace(b"k1", b"k\xff")))[0][1].endswith(
        "the request id has a character that cannot be read"
    )


def credits_in_json(tmp_path: Path, form: str, *credits: object) -> list[float | str]:
    rows = [{"id": f"r{number}", "credits": each, "time": NOON} for number, each in enumerate(credits)]
    found = rows_in(file_of(tmp_path, written(rows, form)))
    return [row.amount / 1e6 if isinstance(row, IncomingRecord) else str(row) for _, row in found]


@pytest.mark.parametrize("form", ["json", "lines"])
def test_numbers_in_texts_of_json_have_the_writing_of_all_of_them(tmp_path: Path, form: str) -> None:
    assert credits_in_json(tmp_path, form, "1.234", 1.5, "1,5", "1.234,5") == [1234, 1.5, 1.5, 1234.5]
    assert credits_in_json(tmp_path, form, "1.234", 1.5, "2.5", "1,234") == [1.234, 1.5, 2.5, 1234]
    with pytest.raises(UnreadableFile, match="Its column credits has numbers in two writings"):
        credits_in_json(tmp_path, form, "1,5", "1.5")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("credits", '{"$number": "1.5"}', """credits '{"$number": "1.5"}': credit is not a finite number"""),
        ("credits", "{}", "credits '{}': credit is not a finite number"),
        ("credits", '["x"]', """credits '["x"]': credit is not a finite number"""),
        ("credits", "true", "credits 'true': credit is not a finite number"),
        ("credits", '["\\ud800"]', """credits '["\ufffd"]': credit is not a finite number"""),
        ("time", "{}", "time '{}': requestTime cannot be read"),
        ("id", "true", "id 'true': the value is no request id"),
        ("id", "{}", "requestId is missing"),
    ],
)
def test_a_value_that_is_no_text_is_shown_as_it_is_written(tmp_path: Path, field: str, value: str, reason: str) -> None:
    row = {"id": '"b"', "credits": "1", "time": f'"{NOON}"', field: value}
    written_row = ", ".join(f'"{name}": {value}' for name, value in row.items())
    good = f'{{"id": "a", "credits": 1, "time": "{NOON}"}}'
    assert reasons_in(file_of(tmp_path, f"[{good}, {{{written_row}}}]")) == [(2, reason)]
