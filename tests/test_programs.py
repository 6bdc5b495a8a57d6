"""The programs of the tests that the Makefile names: measurements, soaks, random requests."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process_stores import environment

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()


def programs() -> list[str]:
    """The modules that `make` starts with the packages of the tests; those of random requests and load first."""
    found = set(re.findall(r"\$\(BIN\)/python -m (tests\.[\w.]*\w)(?!\S)", MAKEFILE))
    of_loops = r"for name in ([\w ]+);(?:[^\n]|\\\n)*?\$\(BIN\)/python -m (tests\.\w+)\.\$\$name"
    for names, package in re.findall(of_loops, MAKEFILE):
        found |= {f"{package}.{name}" for name in names.split()}
    return sorted(found, key=lambda name: (name.count(".") > 1, name))


def test_the_makefile_names_programs() -> None:
    assert {"tests.fuzz", "tests.load", "tests.contract.random_requests", "tests.soaks.killing"} <= {*programs()}


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("program", programs())
def test_a_program_is_imported_in_a_process_of_its_own(program: str, tmp_path: Path) -> None:
    is_package = (ROOT / program.replace(".", "/")).is_dir()
    module = f"{program}.__main__" if is_package else program
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
