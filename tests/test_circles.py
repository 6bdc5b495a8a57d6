"""Which circle runs a test: its marks say so (docs/architecture.md#tests)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import circles

ROOT = Path(__file__).parents[1]
COLLECTION = """
from tests import circles

def pytest_collection_modifyitems(items):
    circles.check(items)
"""


@pytest.mark.parametrize(
    "marks", [set(), {"landing"}, {"thorough", "engine"}, {"django_db", "postgres_only"}, {"parametrize"}]
)
def test_these_marks_choose_circles(marks: set[str]) -> None:
    assert circles.fault(marks) is None


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({"nightly"}, "no circle runs the mark nightly"),
        ({"landing", "thorough"}, "the wider circle"),
        ({"postgres_only", "sqlite_only"}, "left out on both"),
        ({"postgres_only", "file_counters"}, "left out on both"),
    ],
)
def test_these_marks_choose_none(marks: set[str], words: str) -> None:
    assert words in str(circles.fault(marks))


def test_each_circle_is_run_by_a_part() -> None:
    parts = (circles.FAST, circles.PAGES, circles.ENGINE)
    words = {word for part in parts for word in part.marks.split()}
    assert words - {"and", "not", "or", "postgres_only"} == circles.CIRCLES


@pytest.mark.parametrize(
    "mark", ["nightly", pytest.param("landing\n@pytest.mark.thorough", marks=pytest.mark.thorough, id="both")]
)
def test_a_mark_that_no_circle_runs_fails_the_collection(tmp_path: Path, mark: str) -> None:
    (tmp_path / "conftest.py").write_text(COLLECTION)
    (tmp_path / "test_marked.py").write_text(f"import pytest\n\n@pytest.mark.{mark}\ndef test_it(): ...\n")
    (tmp_path / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-m", "pytest", "-p", "no:django", "-p", "no:randomly", "-p", "no:xdist"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, "test_marked.py::test_it: " in done.stderr) == (pytest.ExitCode.USAGE_ERROR, True)
