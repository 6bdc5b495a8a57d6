"""Hours of models and clients in past months, after any pages and housekeeping.

The rules: docs/decisions/records.md#hours-of-a-model.
"""

from datetime import UTC, datetime
from itertools import count
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_site.lib import clock
from tests.usage.record_factories import answers, archive, call
from usage.filters import RecordFilters
from usage.models import ROLLUPS_OF_MONTHS
from usage.rollups import month_sums, recompute

pytestmark = pytest.mark.django_db
accounts = count(5000)
calls = st.builds(
    call,
    request_id=st.sampled_from("abcdef"),
    credits=st.sampled_from([0, 0.1, 1 / 3, 10**9]),
    model=st.sampled_from(["glm", "模型", ""]),
    client=st.sampled_from(["ide", "glm"]),
    ts=st.sampled_from(["2026-06-30 23:59:59", "2026-07-01 00:00:00", "2026-07-31 23:00:00", "2026-09-01 12:00:00"]),
    agent_purpose=st.sampled_from(["", "chat"]),
)


@pytest.mark.thorough
@given(pages=st.lists(st.tuples(st.lists(calls, max_size=6), st.booleans()), max_size=6))
def test_after_any_pages_and_any_housekeeping_they_are_those_of_the_records(
    pages: list[tuple[list[Any], bool]],
) -> None:
    owner = next(accounts)
    with patch.object(clock, "now", lambda: datetime(2026, 9, 8, 12, tzinfo=UTC)):
        for page, then_fill in pages:
            archive(owner, *page)
            if then_fill:
                month_sums.fill(owner)
        filters = [RecordFilters(model="glm"), RecordFilters(client=("ide", "glm")), RecordFilters(model=("", "模型"))]
        found = [answers(owner, each) for each in filters]
        assert recompute.recount(owner).repaired == 0
        for table in ROLLUPS_OF_MONTHS:
            table.objects.filter(archive_id=owner).delete()
        assert [answers(owner, each) for each in filters] == found
