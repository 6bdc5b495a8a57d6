"""What holds a package back: CONTRIBUTING.md#dependencies."""

import pytest
from packaging.requirements import Requirement

from tests import outdated

REQUIREMENTS = [
    ("schemas", Requirement("json-rows<0.61,>=0.60")),
    ("pages", Requirement("Json_Rows>=0.5")),
    ("schemas", Requirement("other==1.0")),
]


@pytest.mark.parametrize(
    ("latest", "found"),
    [("0.60.9", []), ("0.61.0", ["schemas (json-rows<0.61,>=0.60)"]), ("1.0rc1", ["schemas (json-rows<0.61,>=0.60)"])],
)
def test_a_package_is_held_back_by_what_does_not_allow_its_release(latest: str, found: list[str]) -> None:
    assert outdated.holders("json-rows", latest, REQUIREMENTS) == found


def test_the_direct_dependencies_are_those_of_the_project() -> None:
    assert {"django", "pytest", "datasette"} <= set(outdated._direct())
    assert outdated._direct()["waitress"] == "3.0.2"


def test_what_nothing_holds_back_says_how_it_is_raised() -> None:
    assert outdated._line("a", "2", [], is_direct=True) == "a 2: raise it in pyproject.toml, then make lock"
    assert outdated._line("a", "2", [], is_direct=False) == "a 2: make lock LOCK_FLAGS=--upgrade"
    assert outdated._line("a", "2", ["b (a<2)"], is_direct=True) == "a 2: held back by b (a<2)"
