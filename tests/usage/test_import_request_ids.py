"""Request ids of files: what programs and spreadsheets put in their place, and what only looks so."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.usage.import_files import file_of, reasons_in, records_in
from usage.importing.request_ids import id_of

HEADER = "request_id,credits,time\n"
NOON = "2026-11-20 12:30:00"


@pytest.mark.parametrize("cell", ["N/A", "null", "None", "-", "undefined", "nan", "TRUE", "false", "(null)", "—"])
def test_what_stands_in_the_place_of_an_id_is_none(tmp_path: Path, cell: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert reason == f"request_id '{cell}': the value is no request id"


@pytest.mark.parametrize("cell", ["", " ", "\u00a0", "\u3000", "\u200b", "\ufeff\u2060 \u200d", "\u3164", "\u00ad"])
def test_a_cell_in_which_nothing_is_seen_has_no_id(tmp_path: Path, cell: str) -> None:
    assert reasons_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n")) == [(2, "requestId is missing")]


def test_a_boolean_in_json_is_no_id(tmp_path: Path) -> None:
    rows = [{"id": each, "credits": 1, "time": NOON} for each in (True, False, None)]
    assert [reason.rpartition(": ")[2] for _, reason in reasons_in(file_of(tmp_path, json.dumps(rows)))] == [
        *["the value is no request id"] * 2,
        "requestId is missing",
    ]


@pytest.mark.parametrize("cell", ["1.23457E+19", "1,23457E+19", "1E+20", "1.2345678901e25", "1,23E+15", "1.23e15"])
def test_an_id_that_a_spreadsheet_has_rounded_is_unreadable(tmp_path: Path, cell: str) -> None:
    source = file_of(tmp_path, f"request_id;credits;time\n{cell};1;{NOON}\n{cell};2;{NOON}\n")
    reason = f"request_id '{cell}': a spreadsheet has rounded the request id"
    assert reasons_in(source) == [(2, reason), (3, reason)]


@pytest.mark.parametrize(
    "cell", ["1e10", "12e4567", "12345e10", "11", "0", "crb-1", "nano", "sum-1", "total7", "1x1024"]
)
def test_an_id_that_only_looks_odd_is_one(tmp_path: Path, cell: str) -> None:
    [record] = records_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert record.request_id == cell


def test_a_cell_that_is_written_as_a_text_formula_is_its_text(tmp_path: Path) -> None:
    source = file_of(tmp_path, f'request_id,credits,time,model\n"=""a1""",="1.5","=""{NOON}""","=""glm"""\n')
    [record] = records_in(source)
    assert (record.request_id, record.amount, record.ts, record.model) == ("a1", 1_500_000, NOON, "glm")


@pytest.mark.parametrize(
    "row",
    ["小计,3,{}", "合计,3,", "總計:,3,{}", "Total,3,", "Grand Total,3,{}", "subtotal,3,x", ",3,Summe", "glm 小计,3,"],
)
def test_a_row_of_totals_is_unreadable(tmp_path: Path, row: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{row.format(NOON)}\n"))
    assert reason.endswith("it is a total, not a call")


@pytest.mark.parametrize("cell", ["\\N", "NaT", "#NV", "########", "FALSCH", "未知", "''", "[object Object]", "…"])
def test_more_words_stand_in_the_place_of_an_id(tmp_path: Path, cell: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert reason.endswith("the value is no request id")


@pytest.mark.parametrize(
    "cell", ["1E19", "1.E+19", "12.3E+18", "１.23457E+19", "12345678901234500000", "12345678901234567890.0"]
)
def test_more_rounded_ids_are_unreadable(tmp_path: Path, cell: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert reason.endswith("a spreadsheet has rounded the request id")


@pytest.mark.parametrize(
    "row", ["glm 汇总,3,", "小 计,3,", "Total (12 rows),3,", "Gesamtergebnis,3,", "Sous-total,3,", "=SUM(A1:A3),3,"]
)
def test_more_rows_of_totals_are_unreadable(tmp_path: Path, row: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{row}\n"))
    assert reason.endswith("it is a total, not a call")


def test_a_prompt_about_totals_makes_no_row_a_total(tmp_path: Path) -> None:
    source = file_of(tmp_path, f"request_id,credits,time,prompt\n,3,{NOON},帮我写一个合计函数\n")
    assert reasons_in(source) == [(2, "requestId is missing")]


@pytest.mark.parametrize("cell", ["1234567890123450", "1795160000123000", "12E456", "12E45", "9007199254740990"])
def test_a_single_id_that_may_be_rounded_is_one(tmp_path: Path, cell: str) -> None:
    [record] = records_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert record.request_id == cell


def test_a_column_whose_ids_all_end_in_zeros_was_rounded(tmp_path: Path) -> None:
    ids = ["1234567890123450", "1234567890123460", "12345678901234700", "合计"]
    rows = "".join(f"{each},1,{NOON}\n" for each in ids)
    reason = "a spreadsheet has rounded the request id"
    assert [why.endswith(reason) for _, why in reasons_in(file_of(tmp_path, HEADER + rows))] == [True] * 3 + [False]
    others = f"1234567890123456,1,{NOON}\n"
    assert len(reasons_in(file_of(tmp_path, HEADER + rows + others))) == 1


@pytest.mark.parametrize(
    "cell",
    [
        *("Ｎ／Ａ", "ｎｕｌｌ", "ＮＵＬＬ", "n\u200bull", "\u00adnull\ufeff", "NULL ", "Não"),
        *("―", "－", "⸺", "〜", "·", "。", "===", "+++", "***", "．．．"),
        *("00000000-0000-0000-0000-000000000000", "{00000000-0000-0000-0000-000000000000}", "0" * 32),
        *("ffffffff-ffff-ffff-ffff-ffffffffffff", "0000", "xxx", "XXXX", "99999999", "-1"),
        *("#NOM?", "#VALEUR!", "#¿NOMBRE?", "#VALOR!", "#ZAHL!", "#ÜBERLAUF!", "#N/D", "#NV", "#ДЕЛ/0!", "Err:502"),
        *(
            "#BUSY!",
            "#GETTING_DATA",
            "#FIELD!",
            "#이름?",
            "%!s(<nil>)",
            "%!d(string=x)",
            "DBNull",
            "無資料",
            "没有",
            "沒有",
        ),
        *("unset", "(not set)"),
    ],
)
def test_placeholders_in_any_writing_are_no_ids(tmp_path: Path, cell: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert reason.endswith("the value is no request id")


@pytest.mark.parametrize(
    "cell",
    [
        *("1.23456789012346E+17", "１．２３Ｅ＋１５", "1·23E+15", "1٫23E+15", "123.45E+12", "1.23 E+15", "1.23E+015"),
        *("1,23×10^15", "1.23 × 10¹⁵", "1.23E-05"),
    ],
)
def test_rounded_ids_in_the_writing_of_any_locale_are_unreadable(tmp_path: Path, cell: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f'{HEADER}"{cell}",1,{NOON}\n'))
    assert reason.endswith("a spreadsheet has rounded the request id")


@pytest.mark.parametrize(
    "cell",
    [
        *("合\u3000计", "合 計", "總計", "小計", "合計", "【合計】", "累計", "共計：", "総計", "計", "本頁小計"),
        *(
            "GRAND_TOTAL",
            "Grand total:",
            "Sub-total",
            "ＴＯＴＡＬ",
            "T O T A L",
            "Summe",
            "Gesamt",
            "Endsumme",
            "Всего",
            "소계",
            *(
                "加总",
                "加總",
                "加總 - 積分",
                "求和项:积分",
                "计数项:模型",
                "計數 - 模型",
                "glm Ergebnis",
                "Summe von Credits",
            ),
            *(
                "Anzahl von Modell",
                "glm 集計",
                "合計 / クレジット",
                "個数 / モデル",
                "glm 요약",
                "합계 : 크레딧",
                "개수 : 모델",
            ),
        ),
    ],
)
def test_totals_in_any_writing_are_no_calls(tmp_path: Path, cell: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{HEADER}{cell},1,{NOON}\n"))
    assert reason.endswith("it is a total, not a call")


REAL_IDS = st.one_of(
    st.uuids(version=4).map(str),
    st.uuids(version=4).map(lambda found: str(found).upper()),
    st.uuids(version=4).map(lambda found: f"{{{found}}}"),
    st.uuids(version=4).map(lambda found: found.hex),
    st.binary(min_size=6, max_size=32).filter(lambda found: len(set(found.hex())) > 1).map(bytes.hex),
    st.binary(min_size=6, max_size=32)
    .filter(lambda found: len(set(found.hex())) > 1)
    .map(lambda found: found.hex().upper()),
    st.from_regex(r"[1-9]\d{3}e\d{2,8}", fullmatch=True),
    st.from_regex(r"(req|call|crb|total|sum|null)-[0-9a-zA-Z]{8,24}", fullmatch=True),
    st.integers(1, 10**7).map(str),
)


@given(real=REAL_IDS)
def test_a_real_id_is_never_taken_for_something_else(real: str) -> None:
    assert id_of(real) == real
