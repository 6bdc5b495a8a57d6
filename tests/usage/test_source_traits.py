"""What the traits of a source say."""

from dataclasses import replace

import pytest

from collection.sources.codebuddy.traits import TRAITS


@pytest.mark.parametrize(
    ("total", "received", "capped"),
    [
        (1000, 1000, True),
        (3000, 3000, True),
        (3000, 3001, True),
        (3000, 2999, False),
        (0, 0, False),
        (2999, 2999, False),
    ],
)
def test_a_round_total_that_the_rows_received_reach_is_a_cap(total: int, received: int, capped: bool) -> None:
    assert TRAITS.is_capped(total, received) is capped
    assert not replace(TRAITS, cap_step=None).is_capped(total, received)
