"""What is vendored: every file is listed with its package, version, licence and hash."""

import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LISTED = json.loads((ROOT / "static/vendor/vendored.json").read_text())
FOLDERS = (ROOT / "static/vendor", ROOT / "tests/vendor")
BUILD = ROOT / "static/vendor/build"


def vendored_files() -> set[str]:
    found = (path for folder in FOLDERS for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if not path.is_relative_to(BUILD)}


def test_every_vendored_file_is_listed_and_none_is_missing() -> None:
    assert {one["file"] for one in LISTED} == vendored_files() - {"static/vendor/vendored.json"}


@pytest.mark.parametrize("one", LISTED, ids=lambda one: one["file"])
def test_a_vendored_file_is_the_one_that_was_listed(one: dict[str, str]) -> None:
    assert hashlib.sha256((ROOT / one["file"]).read_bytes()).hexdigest() == one["sha256"]
    assert one["licence"]


def test_every_version_is_the_one_that_the_build_pins() -> None:
    locked = json.loads((BUILD / "package-lock.json").read_text())["packages"]
    versions = {one["package"]: one["version"] for one in LISTED}
    assert versions == {name: locked[f"node_modules/{name}"]["version"] for name in versions}


def test_every_package_has_its_licence_beside_it() -> None:
    for folder in {(ROOT / one["file"]).parent for one in LISTED}:
        assert list(folder.glob("LICENSE*")), folder


def test_the_build_names_no_registry() -> None:
    text = (BUILD / "package-lock.json").read_text()
    assert '"resolved"' not in text
    assert "registry" not in text


def test_the_charts_need_neither_eval_nor_inline_styles() -> None:
    script = (ROOT / "static/vendor/uplot/uplot.min.js").read_text()
    assert not re.search(r"\beval\(|\bnew Function\(|\bFunction\(\"", script)
