"""Days whose calls were erased, in the ledger of days (docs/decisions/collection.md#the-ledger-of-days)."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from tests.factories import ApiClient
from tests.usage.record_factories import archive, on
from tests.usage.retention.kept_archives import keep
from usage.coverage import left_windows, unasked
from usage.coverage.ledger import ledger
from usage.coverage.missing_days import lacking_days
from usage.coverage.span_proof import proof_of_span
from usage.models import CoverageDay, DayTotal
from usage.statements.statement import statement

pytestmark = pytest.mark.django_db
ApiOf = Callable[[User], ApiClient]
DAYS = [f"2026-09-{day:02}" for day in range(1, 16)]


@pytest.fixture
def archived(alice: User) -> User:
    """Two weeks that were read whole, one call short on the 3rd and the 13th; the 5th and the 12th were not read."""
    for day in DAYS:
        if day in ("2026-09-05", "2026-09-12"):
            continue
        archive(alice, on(day, day))
        upstream = 1 + (day in ("2026-09-03", "2026-09-13"))
        at = datetime(2026, 9, 15, tzinfo=UTC)
        CoverageDay.objects.create(
            archive_id=alice.pk, day=day, upstream=upstream, checked_at=at, empty=1, settled_at=at, next_read_at=at
        )
    return alice


@pytest.mark.engine
def test_the_state_of_an_erased_day_is_final(archived: User, api_of: ApiOf) -> None:
    before = api_of(archived).get("/api/coverage").json()
    assert "erased" not in before["counts"]
    keep(archived, calls_days=6)
    answer = api_of(archived).get("/api/coverage").json()
    assert [(day["d"], day["here"], day["final"]) for day in answer["days"] if day["state"] == "erased"] == [
        (day, int(day != "2026-09-05"), True) for day in DAYS if day < "2026-09-10"
    ]
    assert answer["days"][9:] == before["days"][9:]
    assert answer["counts"] == {**before["counts"], "erased": 9, "unasked": 1, "short": 1, "settled": 4}
    assert api_of(archived).get("/api/manifest").json()["coverage"] == answer["counts"]


def test_earlier_days_are_counted_without_a_look_at_each(archived: User) -> None:
    keep(archived, calls_days=6)
    found = ledger(archived.pk, Days(date(2026, 1, 1), date(2026, 9, 16)), wants_prompts=False)
    counts = found.counts()
    assert counts["erased"] == (date(2026, 9, 10) - date(2026, 1, 1)).days
    assert sum(counts.values()) == found.window.length
    proof = proof_of_span(found, Days(date(2026, 1, 1), date(2026, 9, 16)))
    assert (proof.erased, proof.gone, proof.lacking) == (counts["erased"], 0, 2)


def test_no_erased_day_counts_as_missing(archived: User) -> None:
    days = [date(2026, 9, day) for day in (3, 5, 12, 13)]
    assert lacking_days(archived.pk, date(2026, 9, 15)) == days
    keep(archived, calls_days=6)
    assert lacking_days(archived.pk, date(2026, 9, 15)) == days[2:]


def test_a_span_of_erased_days_is_neither_whole_nor_lacking(archived: User) -> None:
    keep(archived, calls_days=6)
    found = ledger(archived.pk, Days(), wants_prompts=False)
    erased = proof_of_span(found, Days(date(2026, 9, 1), date(2026, 9, 9)))
    assert (erased.over, erased.erased, erased.lacking, erased.is_whole) == (9, 9, 0, False)
    both = proof_of_span(found, Days(date(2026, 9, 8), date(2026, 9, 11)))
    assert (both.over, both.erased, both.lacking, both.is_whole) == (4, 2, 0, False)
    kept = proof_of_span(found, Days(date(2026, 9, 10), date(2026, 9, 11)))
    assert (kept.over, kept.erased, kept.lacking, kept.is_whole) == (2, 0, 0, True)
    of_month = statement(archived.pk, date(2026, 9, 1), wants_prompts=False)
    assert (of_month.total.calls, of_month.proof.erased, of_month.proof.lacking) == (13, 9, 2)


def test_no_erased_day_is_read_again(archived: User) -> None:
    keep(archived, calls_days=6)
    again = CoverageDay.objects.filter(next_read_at__isnull=False).order_by("day").values_list("day", flat=True)
    assert list(again) == [day for day in DAYS if day >= "2026-09-10" and day != "2026-09-12"]


def test_what_was_read_stays_known(archived: User) -> None:
    keep(archived, calls_days=6)
    assert unasked.first_asked(archived.pk) == date(2026, 9, 1)
    assert DayTotal.objects.filter(archive_id=archived.pk).count() == 13
    found = ledger(archived.pk, Days(), wants_prompts=False)
    assert [day for day in DAYS if not found.is_archived(day)] == ["2026-09-05", "2026-09-12"]


def test_an_unconfirmed_window_before_the_horizon_is_erased_too(archived: User) -> None:
    start = clock.day_start(date(2026, 9, 2))
    left_windows.note(archived.pk, (start, start + timedelta(days=2) - left_windows.SECOND), is_failed=False)
    keep(archived, calls_days=6)
    found = ledger(archived.pk, Days(), wants_prompts=False)
    assert {str(found.state(day)) for day in DAYS[:9]} == {"erased"}
