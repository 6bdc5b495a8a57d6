"""How far the ledger proves a span, counted without a look at each day."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import archive, on
from usage.coverage.ledger import ledger
from usage.coverage.span_proof import known_days, proof_of, proof_of_span
from usage.models import CoverageDay, DayTotal, Horizon, Prompt, Reach, Record

pytestmark = pytest.mark.django_db
FIRST, TODAY = date(2026, 8, 20), date(2026, 9, 10)
NOW = datetime(2026, 9, 10, 10, tzinfo=UTC)
numbers = st.integers(0, (TODAY - FIRST).days)
bounds = st.none() | numbers.map(lambda number: FIRST + timedelta(days=number))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(numbers, st.none() | st.integers(0, 2), max_size=8),
    st.sets(numbers, max_size=5),
    bounds,
    bounds,
    st.tuples(bounds, bounds),
)
def test_a_span_has_the_counts_of_its_days(
    alice: User,
    at: Callable[[datetime], None],
    asked: dict[int, int | None],
    called: set[int],
    reach: date | None,
    kept_from: date | None,
    span: tuple[date | None, date | None],
) -> None:
    at(NOW)
    for model in (CoverageDay, Reach, Horizon):
        model.objects.filter(archive_id=alice.pk).delete()
    for number, upstream in asked.items():
        day = (FIRST + timedelta(days=number)).isoformat()
        checked_at = None if upstream is None else NOW
        CoverageDay.objects.create(archive_id=alice.pk, day=day, upstream=upstream, checked_at=checked_at, empty=0)
    if reach:
        Reach.objects.create(archive_id=alice.pk, first_day=reach.isoformat())
    Prompt.objects.all().delete()
    Record.objects.all().delete()
    DayTotal.objects.all().delete()
    archive(alice, *[on((FIRST + timedelta(days=number)).isoformat(), f"r{number}") for number in called])
    if kept_from:
        Horizon.objects.create(archive_id=alice.pk, calls_from=kept_from.isoformat())
    first, last = span
    days = Days(last, first) if first and last and first > last else Days(first, last)
    found = ledger(alice.pk, Days(), wants_prompts=False)
    of_span = set(found.within(days))
    assert proof_of_span(found, days) == proof_of(day for day in known_days(found) if day.day in of_span)
    assert found.counts() == found.named(Counter(found.states().values()))
    assert found.length_of(days) == len(of_span)
    assert sum(map(found.is_archived, found.noted(days))) == sum(map(found.is_archived, of_span))
