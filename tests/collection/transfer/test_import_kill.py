"""Imports whose process is killed: docs/decisions/files.md#imports-go-in-parts."""

import json
from typing import Any

import pytest

from tests.collection.running_instance import Instance

SECONDS = 900


def killed(instance: Instance, first: int, step: int) -> dict[str, Any]:
    process = instance.start_module("tests.collection.transfer.killed_imports", str(first), str(step))
    out, error = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, error
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


@pytest.mark.engine
def test_an_import_that_dies_anywhere_is_finished_as_if_it_had_not(instance: Instance) -> None:
    found = killed(instance, first=7, step=41)
    assert (found["wrong"], found["left"]) == ({}, [])
    assert found["deaths"] > 3


@pytest.mark.thorough
def test_an_import_that_dies_before_any_of_its_statements_is_finished(instance: Instance) -> None:
    found = killed(instance, first=0, step=1)
    assert (found["wrong"], found["left"]) == ({}, [])
    assert found["deaths"] > 100
