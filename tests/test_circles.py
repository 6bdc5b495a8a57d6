"""Which circle runs a test: its marks say so (docs/architecture.md#tests)."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import circles

ROOT = Path(__file__).parents[1]
COLLECTION = """
import pytest
from tests import circles

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    circles.mark_later_cases(items)
    circles.check(items)
"""


@pytest.mark.parametrize(
    "marks",
    [
        set(), {"landing"}, {"thorough", "engine"}, {"django_db", "postgres_only"}, {"parametrize"},
        {"landing", "thorough"}, {"landing", "thorough_after", "thorough", "later"}, {"engine", "later", "sqlite_only"},
    ],
)  # fmt: skip
def test_these_marks_choose_circles(marks: set[str]) -> None:
    assert circles.fault(marks) is None


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({"nightly"}, "no circle runs the mark nightly"),
        ({"postgres_only", "sqlite_only"}, "left out on both"),
        ({"postgres_only", "file_counters"}, "left out on both"),
        ({"engine", "sqlite_only"}, "run on PostgreSQL, where it is left out"),
    ],
)
def test_these_marks_choose_none(marks: set[str], words: str) -> None:
    assert words in str(circles.fault(marks))


def test_each_circle_is_run_by_a_part() -> None:
    parts = (circles.FAST, circles.SLOW, circles.ENGINE)
    words = {word for part in parts for word in re.findall(r"\w+", part.marks)}
    assert words - {"and", "not", "or", "postgres_only", "later"} == circles.CIRCLES


def test_a_mark_that_no_circle_runs_fails_the_collection(tmp_path: Path) -> None:
    done = collected(tmp_path, "@pytest.mark.nightly\ndef test_it(): ...\n")
    assert (done.returncode, "test_marked.py::test_it: " in done.stderr) == (pytest.ExitCode.USAGE_ERROR, True)


def test_a_mark_that_comes_from_another_file_fails_the_collection(tmp_path: Path) -> None:
    (tmp_path / "marks.py").write_text("import pytest\n\nSLOW = pytest.mark.landing\n")
    done = collected(tmp_path, "from marks import SLOW\n\n@SLOW\ndef test_it(): ...\n")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "landing, which does not stand in it" in done.stderr


def test_the_later_cases_of_a_table_are_thorough(tmp_path: Path) -> None:
    table = "@pytest.mark.thorough_after(2)\n@pytest.mark.parametrize('case', 'abcd')\ndef test_it(case): ...\n"
    done = collected(tmp_path, table, "-m", "not thorough")
    assert done.stdout.split()[:2] == ["test_marked.py::test_it[a]", "test_marked.py::test_it[b]"]
    assert "2/4 tests collected (2 deselected)" in done.stdout


def collected(folder: Path, tests: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """A collection of these tests alone, with the marks of the circles."""
    (folder / "conftest.py").write_text(COLLECTION)
    (folder / "test_marked.py").write_text(f"import pytest\n\n{tests}")
    (folder / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:django", "-p", "no:randomly"]
    return subprocess.run(
        [*command, "-p", "no:xdist", *options], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
