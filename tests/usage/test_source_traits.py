"""What the traits of a source say."""

from dataclasses import replace

import pytest
from django.conf import settings

from collection.sources.codebuddy.traits import TRAITS
from usage.source_traits import has_form_of_request_id, zone_of_column


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


def test_only_the_column_of_a_sources_own_rows_has_its_zone() -> None:
    assert zone_of_column(TRAITS.time_column) == settings.UPSTREAM_ZONE
    assert [zone_of_column(name) for name in ("time", "")] == [None, None]


def test_the_request_ids_of_a_source_are_recognised_by_their_form() -> None:
    assert all(map(has_form_of_request_id, ("0f3a9c7b21d4e8f60f3a9c7b21d4e8f6", "crb-1")))
    assert not any(map(has_form_of_request_id, ("0f3a9c7b21d4e8f6", "crb-", "r1", "")))
