"""Query parameters: dates (docs/api.md#dates), clamped numbers, paging (docs/api.md#paging)."""

from datetime import date

import pytest

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import Days, Paging, as_text, clamped, day, truth
from archive_site.lib.http.request_types import Page, Query, Size, read
from archive_site.lib.http.span_of_days import OfDays

DAY = date(2026, 3, 9)


class OfPage(Query, frozen=True):
    page: Page
    size: Size


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-09",
        "2026/03/09",
        "2026-3-9",
        "2026/3/9",
        " 2026-03-09 ",
        "2026-03-09 23:59",
        "2026-03-09 23:59:59",
        "2026-03-09T23:59:59",
        "2026-03-09T23:59:59Z",
        "2026-03-09T23:59:59.123+08:00",
        "2026-03-09T23:59:59 08:00",
        "2026/03/09 00:00:00",
    ],
)
def test_every_form_of_a_date_is_that_day(text: str) -> None:
    assert day({"from": text}, "from") == DAY


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "2026",
        "2026-03",
        "2026-13-01",
        "2026-02-29",
        "2026-03-32",
        "0000-01-01",
        "09.03.2026",
        "03/09/2026",
        "2026-03/09",
        "20260309",
        "2026-03-0912",
        "2026-03-09x",
        "-2026-03-09",
        "12026-03-09",
        "1772000000",
        "\u0662\u0660\u0662\u0666-\u0660\u0663-\u0660\u0669",  # digits of another script
        "\uff12026-03-09",
        "2026-03-09' OR 1=1",
        "\x00",
    ],
)
@pytest.mark.parametrize("name", ["from", "to"])
def test_any_other_text_is_400_and_names_the_parameter(name: str, text: str) -> None:
    with pytest.raises(ApiError) as raised:
        read(OfDays, {name: text})
    assert (raised.value.status, raised.value.error) == (400, "bad_request")
    assert f"'{name}'" in raised.value.message


def test_an_unknown_text_is_not_repeated() -> None:
    with pytest.raises(ApiError) as raised:
        read(OfDays, {"from": "<script>"})
    assert "script" not in raised.value.message


@pytest.mark.parametrize("values", [{}, {"from": "", "to": " "}, {"from": None, "to": None}])
def test_a_missing_date_is_no_bound(values: dict[str, object]) -> None:
    assert read(OfDays, values).days == Days(None, None)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"from": "2026-03-09", "to": "2026-03-11"}, Days(DAY, date(2026, 3, 11))),
        ({"from": "2026-03-11", "to": "2026-03-09"}, Days(DAY, date(2026, 3, 11))),
        ({"from": "2026-03-09", "to": "2026-03-09"}, Days(DAY, DAY)),
        ({"from": "2026-03-09"}, Days(DAY, None)),
        ({"to": "2026-03-09"}, Days(None, DAY)),
    ],
)
def test_a_span_the_wrong_way_round_is_swapped(values: dict[str, object], expected: Days) -> None:
    assert read(OfDays, values).days == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7), (" 7 ", 7), ("+7", 7), ("1", 1), ("500", 500), ("501", 500), ("0", 1), ("-3", 1), ("9" * 18, 500)],
)
def test_a_number_is_kept_within_its_range(text: str, expected: int) -> None:
    assert clamped({"n": text}, "n", 50, 500) == expected


@pytest.mark.parametrize("text", ["", "x", "7.5", "1e3", "0x10", "٧", "7\n8", "--7", None, [], True])
def test_what_is_no_number_falls_back_to_the_default(text: object) -> None:
    assert clamped({"n": text}, "n", 50, 500) == 50


def test_a_missing_number_is_the_default() -> None:
    assert clamped({}, "n", 50, 500) == 50


def test_a_number_of_any_length_is_clamped_too() -> None:
    assert clamped({"n": "9" * 40}, "n", 50, 500) == 500
    assert clamped({"n": "-" + "9" * 40}, "n", 50, 500) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9" * 5000, 500),
        ("+" + "9" * 5000, 500),
        ("-" + "9" * 5000, 1),
        ("0" * 5000 + "7", 7),
        ("-" + "0" * 5000, 1),
        ("0" * 5000, 1),
        ("9" * 5000 + "x", 50),
    ],
)
def test_a_number_longer_than_python_converts_is_clamped_too(text: str, expected: int) -> None:
    assert clamped({"n": text}, "n", 50, 500) == expected


def test_a_page_of_5000_digits_is_the_last_possible_one() -> None:
    assert read(OfPage, {"page": "9" * 5000, "size": "9" * 5000}) == OfPage(10**9, 500)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, OfPage(1, 50)),
        ({"page": "3", "size": "20"}, OfPage(3, 20)),
        ({"page": "0", "size": "0"}, OfPage(1, 1)),
        ({"page": "-1", "size": "501"}, OfPage(1, 500)),
        ({"page": "x", "size": "y"}, OfPage(1, 50)),
    ],
)
def test_paging_is_clamped(values: dict[str, object], expected: OfPage) -> None:
    assert read(OfPage, values) == expected


@pytest.mark.parametrize(("total", "pages"), [(0, 1), (1, 1), (50, 1), (51, 2), (1000, 20)])
def test_paging_gives_the_number_of_pages(total: int, pages: int) -> None:
    assert Paging(2, 50).payload(total) == {"total": total, "page": 2, "size": 50, "pages": pages}


def test_the_offset_is_what_lies_before_the_page() -> None:
    assert [Paging(page, 20).offset for page in (1, 2, 10)] == [0, 20, 180]


@pytest.mark.parametrize("value", ["1", "true", "on", "TRUE", " On ", 1, True])
def test_the_words_for_yes(value: object) -> None:
    assert truth(value)


@pytest.mark.parametrize("value", ["0", "false", "off", "", "yes", "active", None, 0, False, 2, []])
def test_anything_else_is_no(value: object) -> None:
    assert not truth(value)


@pytest.mark.parametrize(("value", "text"), [(None, ""), (True, "true"), (False, "false"), (1.5, "1.5"), ("a", "a")])
def test_a_json_value_counts_as_its_text(value: object, text: str) -> None:
    assert as_text(value) == text
