"""Imports whose process is killed: docs/decisions/files.md#imports-go-in-parts."""

import json
from typing import Any

import pytest

from tests.collection.running_instance import Instance

SECONDS = 900


def killed(instance: Instance, first: int, step: int, what: str = "account") -> dict[str, Any]:
    process = instance.start_module("tests.collection.transfer.killed_imports", str(first), str(step), what)
    out, error = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, error
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


@pytest.mark.engine
def test_an_import_that_dies_anywhere_is_finished_as_if_it_had_not(instance: Instance) -> None:
    found = killed(instance, first=7, step=41)
    assert (found["wrong"], found["left"]) == ({}, [])
    assert found["deaths"] > 3


@pytest.mark.engine
@pytest.mark.thorough
def test_an_import_of_bills_that_dies_anywhere_is_finished_as_if_it_had_not(instance: Instance) -> None:
    found = killed(instance, first=5, step=61, what="bills")
    assert (found["wrong"], found["left"]) == ({}, [])
    assert found["deaths"] > 3


@pytest.mark.thorough
@pytest.mark.parametrize(("what", "least"), [("account", 100), ("bills", 40)])
def test_an_import_that_dies_before_any_of_its_statements_is_finished(
    what: str, least: int, instance: Instance
) -> None:
    found = killed(instance, first=0, step=1, what=what)
    assert (found["wrong"], found["left"]) == ({}, [])
    assert found["deaths"] > least
