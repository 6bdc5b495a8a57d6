"""A short run of `make fuzz`: docs/decisions/tests.md#random-requests."""

from pathlib import Path

import pytest

from tests.fuzz.attack import attack
from tests.fuzz.target import Target, stop

REQUESTS = 3000


@pytest.mark.thorough
def test_random_requests_break_nothing_and_show_nothing_of_others(tmp_path: Path) -> None:
    with Target(tmp_path / "home", users=12, records=60) as target:
        process = target.up("--no-worker")
        # Other tests run beside it: only a request that never ends is too slow here.
        tally = attack(target, REQUESTS, seed=7, limit=60)
        assert tally.wrong == [], tally.lines()
        assert tally.requests == REQUESTS
        assert stop(process) == 0
