"""Files in the encodings of several countries: taken as what they are, or refused with a choice."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive_site.lib.http.api_error import ApiError
from tests.usage.import_files import file_of
from usage.importing.call_row import CallRow
from usage.importing.damaged_cells import Damaged
from usage.importing.encodings import NAMES
from usage.importing.file_format import Calls, Options, calls_of
from usage.importing.unreadable_file import UnreadableFile

ASCII_NAMES = "request_id,credits,time,client,prompt\n"
NOON = "2026-11-20 12:30:00"


def read(tmp_path: Path, content: bytes, encoding: str = "") -> tuple[Calls, list[CallRow]]:
    with calls_of(file_of(tmp_path, content), Options({}, encoding=encoding)) as calls:
        rows = [row for _, row in calls.rows if isinstance(row, CallRow)]
    return calls, rows


def refused(tmp_path: Path, content: bytes) -> dict[str, Any]:
    with pytest.raises(UnreadableFile) as refusal:
        read(tmp_path, content)
    return refusal.value.extra


def file_with(client: str, codec: str, names: str = ASCII_NAMES) -> bytes:
    return f"{names}a1,1.5,{NOON},{client},{client}\n".encode(codec)


@pytest.mark.parametrize(
    ("codec", "name", "client"),
    [
        ("utf-8", "utf-8", "Größe 模型 🙂"),
        ("utf-8-sig", "utf-8", "Größe"),
        ("utf-16", "utf-16", "Größe 模型"),
        ("utf-32", "utf-32", "Größe 模型"),
        ("cp1252", "windows-1252", "ÉCOLE Übung l'été"),
        ("big5", "big5", "中文"),
        ("cp1252", "windows-1252", "Größe Müller"),
        ("cp1252", "windows-1252", "été à Besançon – « déjà vu » 5 €"),
        ("latin-1", "windows-1252", "señor ¿qué?"),
        ("cp1252", "windows-1252", "“quoted”"),
        ("gb18030", "gb18030", "小程序"),
        ("gbk", "gb18030", "请解释这个函数，并写出测试。"),
        ("big5", "big5", "請解釋這個函數，並寫出測試。"),
        ("cp932", "shift-jis", "この関数を説明してください。"),
        ("cp932", "shift-jis", "テスト"),
        ("cp1252", "windows-1252", "Šimon"),
        ("cp1252", "windows-1252", "naïve œuvre © ½"),
        ("cp1252", "windows-1252", "Köln–Bonn … and so on…"),
        ("cp1252", "windows-1252", "‘quoted’ Word™"),
        ("cp1252", "windows-1252", "„so“ och ”så” – ›ja‹"),
        ("cp1252", "windows-1252", "café don’t"),
        ("cp1252", "windows-1252", "wait…what is déjà vu"),
        ("cp1252", "windows-1252", "page\xa012 : don’t"),
    ],
)
def test_the_only_encoding_that_fits_is_taken(tmp_path: Path, codec: str, name: str, client: str) -> None:
    calls, [row] = read(tmp_path, file_with(client, codec))
    assert (calls.encoding, row.client, calls.damage.count) == (name, client, 0)


@pytest.mark.parametrize(
    ("codec", "name", "names"),
    [
        ("gb18030", "gb18030", "请求ID,积分,时间,客户端,提示词\n"),
        ("big5", "big5", "請求ID,積分,時間,客戶端,提示詞\n"),
        ("cp932", "shift-jis", "リクエストID,クレジット,日時,クライアント,プロンプト\n"),
        ("cp1252", "windows-1252", "ID requête,Crédits,Heure,Client,Prompt\n"),
    ],
)
def test_names_that_are_recognised_prove_their_encoding(tmp_path: Path, codec: str, name: str, names: str) -> None:
    content = names.replace("ID requête", "ID de requête")
    calls, [row] = read(tmp_path, file_with("x", codec, content))
    assert (calls.encoding, row.request_id) == (name, "a1")


def test_a_seldom_character_does_not_spoil_a_long_text(tmp_path: Path) -> None:
    client = "请解释这个函数" * 20 + "囧"
    calls, [row] = read(tmp_path, file_with(client, "gb18030"))
    assert (calls.encoding, row.prompt) == ("gb18030", client)


def test_a_text_of_seldom_characters_is_refused_with_all_encodings(tmp_path: Path) -> None:
    assert sorted(refused(tmp_path, file_with("囧囧", "gb18030"))["encodings"]) == sorted(NAMES)


def test_a_text_that_several_encodings_fit_is_refused_with_the_likely_ones_first(tmp_path: Path) -> None:
    # These bytes are usual characters in three of them.
    found = refused(tmp_path, file_with("ÄÖ", "cp1252"))["encodings"]
    assert set(found[:3]) == {"windows-1252", "gb18030", "big5"}


@pytest.mark.parametrize(
    ("codec", "client"),
    [
        ("cp949", "이 함수의 버그를 고쳐 주세요"),
        ("gbk", "鑫"),
        ("gbk", "①②"),
        ("mac-roman", "naïve"),
        ("mac-roman", "Größe"),
        ("mac-roman", "café"),
        ("mac-roman", "Müller"),
        ("cp850", "Müller"),
        ("cp850", "São"),
        ("cp437", "Größe"),
        ("cp437", "café"),
        ("mac-roman", "niño"),
        ("mac-roman", "Não"),
        ("mac-roman", "tilføj"),
        ("cp850", "øverste"),
        ("cp850", "større"),
        ("cp850", "ændre"),
        ("cp850", "naïve"),
        ("cp852", "Magyarázd"),
        ("cp437", "öffne"),
        ("cp437", "Öffne"),
        ("euc_jp", "こんにちは"),
        ("euc_jp", "コードを直して"),
        ("cp932", "ﾃｽﾄｹｯｶ"),
    ],
)
def test_a_text_of_no_clear_encoding_is_refused(tmp_path: Path, codec: str, client: str) -> None:
    assert "encodings" in refused(tmp_path, file_with(client, codec))


def test_korean_is_taken_by_its_names_and_by_choice(tmp_path: Path) -> None:
    client = "이 함수의 버그를 고쳐 주세요"
    calls, [row] = read(tmp_path, file_with(client, "cp949", "요청ID,크레딧,시간,클라이언트,프롬프트\n"))
    assert (calls.encoding, row.client) == ("euc-kr", client)
    assert read(tmp_path, file_with(client, "cp949"), "euc-kr")[1][0].client == client


def test_text_that_another_program_damaged_is_listed(tmp_path: Path) -> None:
    calls, [row] = read(tmp_path, file_with("Gr\ufffde", "utf-8"))
    assert (calls.encoding, row.truncated, calls.damage.count) == ("utf-8", True, 2)


@pytest.mark.parametrize("field", ["model", "client", "purpose"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_cell_of_bad_bytes_alone_is_listed(tmp_path: Path, field: str, form: str) -> None:
    if form == "csv":
        start = f"request_id,credits,time,{field}\na1,1,2026-11-20 12:30:17,".encode()
        lines = (start, b"\n", "a2,1,2026-11-20 12:30:18,编辑器\n".encode())
    else:
        start = f'{{"request_id": "a1", "credits": 1, "time": "2026-11-20 12:30:17", "{field}": "'.encode()
        lines = (start, b'"}\n', b'{"request_id": "a2", "credits": 1, "time": "2026-11-20 12:30:18"}\n')
    calls, rows = read(tmp_path, lines[0] + b"\xe5\x99" + lines[1] + lines[2])
    assert (calls.encoding, len(rows), getattr(rows[0], field), calls.damage.count) == ("utf-8", 2, "\ufffd", 1)


def test_utf16_with_half_of_a_character_costs_its_cell(tmp_path: Path) -> None:
    content = file_with("模型", "utf-16") + "a2,1,2026-11-20 12:30:00,x\ud83d,\n".encode("utf-16-le", "surrogatepass")
    calls, rows = read(tmp_path, content)
    assert ([row.client for row in rows], calls.damage.count) == (["模型", "x\ufffd"], 1)


def test_a_file_without_recognised_names_is_refused_with_a_choice(tmp_path: Path) -> None:
    assert "encodings" in refused(tmp_path, "a,b,c\n1,Größe,3\n".encode("cp1252"))


def test_an_encoding_can_be_chosen(tmp_path: Path) -> None:
    calls, [row] = read(tmp_path, file_with("囧囧", "gb18030"), "gb18030")
    assert (calls.encoding, row.client, calls.damage.count) == ("gb18030", "囧囧", 0)


def test_a_mark_is_stronger_than_a_choice(tmp_path: Path) -> None:
    calls, [row] = read(tmp_path, file_with("模型", "utf-8-sig"), "big5")
    assert (calls.encoding, row.client) == ("utf-8", "模型")


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="'encoding' can only be one of: utf-8, gb18030"):
        read(tmp_path, file_with("x", "utf-8"), "latin-7")


@pytest.mark.parametrize(
    ("prompt", "stored"),
    [
        (b"cut \xe4\xbd", "cut \ufffd"),
        (b"one \xff byte", "one \ufffd byte"),
        (b"\xf0\x9f\x99", "\ufffd"),
    ],
)
def test_utf8_with_single_bad_bytes_stays_utf8_and_its_cells_are_listed(
    tmp_path: Path, prompt: bytes, stored: str
) -> None:
    rows = f"a1,1,{NOON},ide,好\n".encode() + f"a2,1,{NOON},ide,".encode() + prompt + b"\n"
    calls, [whole, cut] = read(tmp_path, ASCII_NAMES.encode() + rows)
    assert (calls.encoding, whole.prompt, cut.prompt, cut.truncated) == ("utf-8", "好", stored, True)
    assert (calls.damage.count, calls.damage.examples) == (1, [(3, Damaged("prompt", stored))])


def test_an_id_with_a_bad_byte_is_none(tmp_path: Path) -> None:
    rows = f"a1,1,{NOON},ide,好\n".encode() + b"a\xff,1," + f"{NOON},ide,\n".encode()
    calls, [row] = read(tmp_path, ASCII_NAMES.encode() + rows)
    assert (row.request_id, calls.damage.count) == ("a1", 0)


def test_json_in_another_encoding_is_read(tmp_path: Path) -> None:
    content = f'[{{"id": "a1", "credits": 1, "time": "{NOON}", "client": "小程序"}}]'.encode("gb18030")
    calls, [row] = read(tmp_path, content)
    assert (calls.encoding, row.client) == ("gb18030", "小程序")


def test_japanese_names_are_not_taken_as_those_of_a_chinese_encoding(tmp_path: Path) -> None:
    names = "リクエストID,クレジット,日時,クライアント,プロンプト\n"
    assert "encodings" in refused(tmp_path, file_with("東京の画面", "euc_jp", names))
    assert "encodings" in refused(tmp_path, file_with("設計書", "euc_jp", names.replace("日時", "time")))


@pytest.mark.parametrize("cut", [b"\xe4\xbd", b"\xf0\x9f\x98"])
def test_one_cut_character_in_a_file_of_ascii_is_one_of_utf8(tmp_path: Path, cut: bytes) -> None:
    content = ASCII_NAMES.encode() + f"a1,1,{NOON},ide,cut ".encode() + cut + b"\n"
    calls, [row] = read(tmp_path, content)
    assert (calls.encoding, row.prompt, calls.damage.count) == ("utf-8", "cut \ufffd", 1)


def test_a_choice_does_not_concern_a_file_whose_encoding_is_known(tmp_path: Path) -> None:
    source = replace(file_of(tmp_path, file_with("模型", "utf-8")), encoding="utf-8")
    with calls_of(source, Options({}, encoding="big5")) as calls:
        [(_, row)] = calls.rows
    assert isinstance(row, CallRow)
    assert (calls.encoding, row.client) == ("utf-8", "模型")


CYRILLIC = "Привет тест Исправь ошибку код напиши функцию Да СССР ошибка в коде я и проверь файл почему не работает"
WORDS = {
    "euc_jp": "設計書 東京 日本語 確認 修正 関数 説明 画面設計 実装 料金確認 漢字変換 開発環境 不具合修正 削除",
    "cp932": "設計書 東京 日本語 確認 修正 関数 説明 画面設計 実装 料金確認 ｶﾅ テスト",
    "koi8-r": CYRILLIC,
    "cp1251": CYRILLIC,
    "cp874": "สวัสดี ทดสอบ แก้โค้ด ก ผม ช่วยเขียน ฟังก์ชัน ไม่ทำงาน ไฟล์ ข้อผิดพลาด",
    "cp1256": "مرحبا اختبار كود صحح الخطأ اكتب دالة لماذا لا يعمل الملف و",
    "cp949": "한글 안녕 코드 수정 버그 함수 이 함수를 고쳐 주세요 설명 파일 왜 안 되나요 테스트",
    "gb18030": "设计 中文 测试 修改 代码 请解释这个函数 你好 优化性能 小程序 登录失败",
    "cp950": "設計 中文 測試 修改 程式碼 請解釋這個函數 你好 用戶端",
}


@pytest.mark.thorough_after(4)
@pytest.mark.parametrize("codec", WORDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_short_text_is_never_stored_as_other_characters_without_a_word(
    tmp_path: Path, codec: str, data: st.DataObject
) -> None:
    sign = data.draw(st.sampled_from([" ", "", ", "]))
    prompt = sign.join(data.draw(st.lists(st.sampled_from(WORDS[codec].split()), min_size=1, max_size=4)))
    content = f'{ASCII_NAMES}a1,1,{NOON},ide,"{prompt}"\n'.encode(codec)
    source = file_of(tmp_path, content)
    try:
        with calls_of(source, Options({})) as calls:
            stored = [row.prompt for _, row in calls.rows if isinstance(row, CallRow)]
    except UnreadableFile as refusal:
        stored = [prompt] if "encodings" in refusal.extra else []
    assert stored == [prompt] or calls.damage.count
