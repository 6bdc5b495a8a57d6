"""The documents about security name tests that exist, and list each requirement of ASVS 4.0.3 level 2 once."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECURITY, THREATS, ASVS = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("SECURITY.md", "docs/security/threats.md", "docs/security/asvs.md")
)
# Without a file: a test of the file that was named before.
NAMED_TEST = re.compile(r"`(tests/[\w/]+\.py)?::(\w+)`")
NAMED_PLACE = re.compile(r"`([\w.-]+(?:/[\w.-]+)*)(?:::\w+)?`")
VARIABLE = re.compile(r"\bARCHIVE_[A-Z_]+\b")
ROW = re.compile(r"(?m)^\| (\d+\.\d+\.\d+) \|(.*)\|$")
STATUSES = {"met", "not applicable", "open"}
# The requirements of levels 1 and 2, by section; the other numbers are of level 3, or were removed from the standard.
REQUIREMENTS = {
    "2.1": range(1, 13), "2.2": range(1, 4), "2.3": range(1, 4), "2.4": range(1, 6), "2.5": range(1, 8),
    "2.6": range(1, 4), "2.7": range(1, 7), "2.8": range(1, 8), "2.9": range(1, 4), "2.10": range(1, 5),
    "3.1": [1], "3.2": range(1, 5), "3.3": range(1, 5), "3.4": range(1, 6), "3.5": range(1, 4), "3.7": [1],
    "4.1": [1, 2, 3, 5], "4.2": [1, 2], "4.3": range(1, 4),
    "5.1": range(1, 6), "5.2": range(1, 9), "5.3": range(1, 11), "5.4": range(1, 4), "5.5": range(1, 5),
    "7.1": range(1, 5), "7.2": [1, 2], "7.3": [1, 3, 4], "7.4": range(1, 4),
    "8.1": range(1, 5), "8.2": range(1, 4), "8.3": range(1, 9),
    "12.1": range(1, 4), "12.2": [1], "12.3": range(1, 7), "12.4": [1, 2], "12.5": [1, 2], "12.6": [1],
    "13.1": [1, 3, 4, 5], "13.2": [1, 2, 3, 5, 6], "13.3": [1, 2], "13.4": [1, 2],
    "14.1": range(1, 5), "14.2": range(1, 7), "14.3": [2, 3], "14.4": range(1, 8), "14.5": range(1, 5),
}  # fmt: skip


@cache
def names_in(path: str) -> frozenset[str]:
    """The names of the tests in a file; none if there is no such file."""
    file = ROOT / path
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(name for name in names if name.startswith("test_"))


def named_tests(text: str) -> Iterator[tuple[str, str]]:
    """File and name of each test that a document names."""
    path = ""
    for found in NAMED_TEST.finditer(text):
        path = found[1] or path
        yield path, found[2]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")]


def rows() -> dict[str, list[str]]:
    """The cells of each requirement by its number: what it is about, its status, and where or why."""
    return {number: cells(row) for number, row in ROW.findall(ASVS)}


def threats() -> dict[str, str]:
    """The sections of the threats by their heading."""
    sections = [section.partition("\n") for section in THREATS.split("\n## ")[1:]]
    return {heading: text for heading, _, text in sections}


def exists(place: str) -> bool:
    return (ROOT / place).exists()


@pytest.mark.parametrize("text", [THREATS, ASVS], ids=["threats", "asvs"])
def test_every_test_that_is_named_exists(text: str) -> None:
    named = list(named_tests(text))
    assert named
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []


def test_every_variable_that_is_named_is_read() -> None:
    read = (ROOT / "archive_site" / "lib" / "environment.py").read_text(encoding="utf-8")
    assert set(VARIABLE.findall(SECURITY + THREATS + ASVS)) - set(VARIABLE.findall(read)) == set()


@pytest.mark.parametrize("threat", threats())
def test_a_threat_has_what_is_promised_what_is_not_and_its_tests(threat: str) -> None:
    text = threats()[threat]
    assert re.findall(r"(?m)^\*\*(Promised|Not promised|Tests)\.\*\*", text) == ["Promised", "Not promised", "Tests"]
    assert NAMED_TEST.search(text.split("**Tests.**")[1])


def test_every_requirement_is_listed_once() -> None:
    wanted = [f"{section}.{number}" for section, numbers in REQUIREMENTS.items() for number in numbers]
    assert Counter(number for number, _ in ROW.findall(ASVS)) == Counter(wanted)


def test_every_requirement_has_a_subject_a_status_and_a_reason() -> None:
    wrong = [number for number, row in rows().items() if len(row) != 3 or row[1] not in STATUSES or not all(row)]
    assert wrong == []


def test_what_is_met_names_the_place_or_the_test() -> None:
    met = {number: row[2] for number, row in rows().items() if row[1] == "met"}
    assert [number for number, why in met.items() if not any(map(exists, NAMED_PLACE.findall(why)))] == []


def test_a_test_that_does_not_exist_is_found() -> None:
    assert "test_a_test_that_does_not_exist_is_found" in names_in("tests/test_security_document.py")
    assert "test_nothing" not in names_in("tests/test_security_document.py")
    assert names_in("tests/test_nothing.py") == frozenset()


def test_a_test_without_a_file_is_one_of_the_file_before() -> None:
    text = "`tests/a.py::test_one`, `::test_two`, `tests/b.py::test_three`"
    assert list(named_tests(text)) == [
        ("tests/a.py", "test_one"),
        ("tests/a.py", "test_two"),
        ("tests/b.py", "test_three"),
    ]
    assert list(named_tests("`::test_one`")) == [("", "test_one")]
    assert names_in("") == frozenset()
