"""`tests/thorough.py` names tests that exist."""

from pathlib import Path

import pytest

from tests.thorough import KEPT, LEFT_OUT

ROOT = Path(__file__).parent.parent
NAMED = [(file, name) for table in (KEPT, LEFT_OUT) for file, names in table.items() for name in names]


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_named_test_exists(file: str, name: str) -> None:
    assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text()


def test_no_file_is_in_both_tables() -> None:
    assert not KEPT.keys() & LEFT_OUT.keys()
