"""A short run of `make contract`: docs/decisions/tests.md#requests-of-the-description."""

from pathlib import Path

import pytest

from tests.contract.random_requests import run

# Each operation as each role once.
REQUESTS = 378


@pytest.mark.thorough
def test_random_requests_are_answered_as_described(tmp_path: Path) -> None:
    tally = run(tmp_path / "home", REQUESTS, 7, "--no-worker")
    assert not tally.wrong, tally.lines()
    assert tally.requests == REQUESTS
