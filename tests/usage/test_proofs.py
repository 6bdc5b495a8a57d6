"""What bills prove of days, and how long (docs/decisions/collection.md#proofs)."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction

from accounts.models import User
from archive_site.lib import clock
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage import data_version
from usage.coverage import ledger_writes
from usage.coverage.ledger_writes import DayReading
from usage.erasure import delete_records
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Status, Tokens, What
from usage.models import BillRead, DayProof, Record
from usage.proofs import day_proofs, stored_bills
from usage.proofs.bill import WHOLE, Bill, Sum, end_of
from usage.proofs.comparison import Difference
from usage.proofs.stored_bills import AGREED
from usage.rollups.recompute import compute_again
from usage.source_traits import named_traits

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.engine]
NOW = datetime(2026, 9, 15, 9, 59, 30, tzinfo=UTC)
DAY = date(2026, 9, 10)
TRAITS = named_traits("litellm")
SETTLES = TRAITS.bill_settles
numbers = count()


@pytest.fixture(autouse=True)
def time(time: SetClock) -> SetClock:
    time.now = NOW
    return time


@pytest.fixture
def proxy(alice: User) -> int:
    return further_archive(alice, "Proxy", "USD", "litellm")


def at(moment: datetime, request_id: str = "", **measured: Any) -> IncomingRecord:
    """A call of 0.000001 USD at an instant."""
    ts = moment.astimezone(settings.SERVER_ZONE).replace(tzinfo=None).isoformat(" ", "seconds")
    measures = Measures(Provenance.ESTIMATED, Tokens(1, 2), moment)
    return call(request_id or f"c{next(numbers)}", ts=ts, credits=1, measures=replace(measures, **measured))


def noon(day: date = DAY) -> datetime:
    return end_of(day) - timedelta(hours=12)


def bill(archive_id: int, calls: int, day: date = DAY, *, times: int = 2, asked_at: datetime = NOW) -> None:
    """Store the bill of a day with this number of calls, each as `at` makes them."""
    sums = {(WHOLE, What.CALLS): Sum(calls), ("glm", What.AMOUNT): Sum(calls * 10**6)}
    for _ in range(times):
        with transaction.atomic():
            stored_bills.store(archive_id, [Bill(day, sums, asked_at)], TRAITS)


def compare(archive_id: int, bill_id: int | None = None) -> None:
    version = data_version.state(archive_id)
    for days in stored_bills.spans(day_proofs.uncompared(archive_id, bill_id or archive_id), 7):
        counted = stored_bills.counted_by(bill_id) if bill_id else None
        rows = day_proofs.compared(archive_id, bill_id or archive_id, days, counted)
        with transaction.atomic():
            day_proofs.store(archive_id, rows, version)
        version = data_version.state(archive_id)


def proof(archive_id: int, day: date = DAY) -> str:
    """What is kept of the comparison of a day."""
    found = DayProof.objects.filter(archive_id=archive_id, day=str(day)).values_list("differences", flat=True)
    return found.first() or ""


def test_a_bill_is_complete_once_its_day_is_over_for_long_enough_and_two_readings_agree(proxy: int) -> None:
    early = end_of(DAY) + SETTLES - timedelta(seconds=1)
    bill(proxy, 1, asked_at=early, times=3)
    assert not BillRead.objects.get().is_complete
    bill(proxy, 2, times=1)
    assert not BillRead.objects.get().is_complete
    bill(proxy, 2, times=1)
    assert BillRead.objects.get().is_complete
    bill(proxy, 3, times=1)
    assert not BillRead.objects.get().is_complete


def test_a_bill_that_counts_nothing_is_refused(proxy: int) -> None:
    with pytest.raises(ValueError, match="counts something"):
        stored_bills.store(proxy, [Bill(DAY, {}, NOW)], TRAITS)


def test_calls_that_agree_are_proved_and_others_are_named(proxy: int) -> None:
    archive(proxy, at(noon()), at(noon()))
    bill(proxy, 2)
    compare(proxy)
    assert proof(proxy) == AGREED
    bill(proxy, 3)
    assert proof(proxy) == ""
    compare(proxy)
    assert proof(proxy) == '[["glm", "amount", 2000000, 3000000], ["", "calls", 2, 3]]'


def test_each_model_that_differs_is_named(proxy: int) -> None:
    whats = (What.CALLS, What.TOKENS_IN, What.TOKENS_OUT, What.CACHE_READ)
    models = [f"model-{number:03}" for number in range(100)]
    sums = {(model, what): Sum(1) for model in models for what in whats} | {(WHOLE, What.AMOUNT): Sum(1)}
    assert len(sums) > day_proofs.MOST_DIFFERENCES
    for _ in range(2):
        with transaction.atomic():
            stored_bills.store(proxy, [Bill(DAY, sums, NOW)], TRAITS)
    compare(proxy)
    found = [Difference(*each) for each in json.loads(proof(proxy))]
    assert len(found) == day_proofs.MOST_DIFFERENCES
    assert sorted({one.model for one in found}) == [WHOLE, *models]


def test_a_day_without_calls_is_proved_by_a_bill_that_says_so(proxy: int) -> None:
    bill(proxy, 0)
    compare(proxy)
    assert proof(proxy) == AGREED


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.OK])
def test_only_answered_calls_count(proxy: int, status: Status) -> None:
    archive(proxy, at(noon()), at(noon(), status=status))
    bill(proxy, 1)
    compare(proxy)
    assert proof(proxy) == AGREED


def test_a_call_counts_on_its_day_in_utc_to_the_microsecond(proxy: int) -> None:
    begin, end = end_of(DAY) - timedelta(days=1), end_of(DAY)
    inside = [begin, end - timedelta(microseconds=1)]
    outside = [begin - timedelta(microseconds=1), end]
    archive(proxy, *map(at, [*inside, *outside]))
    bill(proxy, 2)
    compare(proxy)
    assert proof(proxy) == AGREED


def test_a_call_of_unknown_amount_agrees_with_no_amount(proxy: int) -> None:
    archive(proxy, at(noon(), provenance=Provenance.UNKNOWN))
    bill(proxy, 1)
    compare(proxy)
    assert proof(proxy) == '[["glm", "amount", null, 1000000]]'


def test_a_call_without_an_instant_proves_nothing_of_the_days_around_it(proxy: int) -> None:
    archive(proxy, at(noon()), at(noon() + timedelta(days=1), at=None))
    for day in (DAY - timedelta(days=2), DAY, DAY + timedelta(days=3)):
        bill(proxy, 1 if day == DAY else 0, day)
    compare(proxy)
    assert proof(proxy) == '[["", "calls", null, 1]]'
    assert proof(proxy, DAY - timedelta(days=2)) == AGREED
    assert proof(proxy, DAY + timedelta(days=3)) == AGREED


def prove(archive_id: int) -> None:
    archive(archive_id, at(noon(), "known"), at(noon()))
    bill(archive_id, 2)
    compare(archive_id)
    assert proof(archive_id) == AGREED


def test_each_change_of_a_call_takes_the_proof(proxy: int) -> None:
    changes: list[IncomingRecord] = [
        at(noon(), "new"),
        replace(at(noon(), "known"), amount=5),
        replace(at(noon(), "known"), model="kimi"),
        at(noon(), "known", tokens=Tokens(2, 2)),
        at(noon(), "known", status=Status.ERROR),
        at(noon() - timedelta(days=2), "known"),
        at(noon() + timedelta(seconds=1), "known"),
    ]
    for changed in changes:
        Record.objects.filter(archive_id=proxy).delete()
        DayProof.objects.all().delete()
        prove(proxy)
        archive(proxy, changed)
        assert proof(proxy) == "", changed
    with transaction.atomic():
        [lost] = Record.objects.filter(archive_id=proxy, request_id="known").values_list("pk", "day", "model", "client")
        delete_records([lost[0]])
        compute_again(proxy, [lost[1:]], [(lost[1], 0)], measured=[lost[1]])
    assert proof(proxy) == ""


def test_a_call_that_is_the_same_leaves_the_proof(proxy: int) -> None:
    prove(proxy)
    archive(proxy, at(noon(), "known"))
    archive(proxy, at(noon() + timedelta(days=4), "elsewhere"))
    assert proof(proxy) == AGREED


def test_a_comparison_of_an_archive_that_changed_meanwhile_is_not_kept(proxy: int) -> None:
    archive(proxy, at(noon()))
    bill(proxy, 1)
    version = data_version.state(proxy)
    rows = day_proofs.compared(proxy, proxy, [DAY], None)
    archive(proxy, at(noon()))
    with transaction.atomic():
        data_version.raise_version(proxy)
        day_proofs.store(proxy, rows, version)
    assert proof(proxy) == ""


def test_bills_and_calls_of_other_archives_have_no_part(proxy: int, alice: User, bob: User) -> None:
    theirs = further_archive(bob, "Proxy", "USD", "litellm")
    second = further_archive(alice, "Second", "USD", "litellm")
    for other in (theirs, second):
        archive(other, at(noon()))
        bill(other, 7)
    archive(proxy, at(noon()))
    bill(proxy, 1)
    compare(proxy)
    assert proof(proxy) == AGREED
    assert not DayProof.objects.exclude(archive_id=proxy).exists()


@pytest.mark.parametrize("state", ["proved", "differs", "waiting", "missing"])
def test_a_day_of_the_ledger_is_proved_by_each_day_of_the_bill_that_it_touches(
    proxy: int, alice: User, api_of: ApiOf, state: str
) -> None:
    """The day of the archive's zone that touches the last hours of one day in UTC and the first of another."""
    moment = end_of(DAY)
    day = clock.local_day(moment)
    touched = sorted({clock.day_start(day).astimezone(UTC).date(), clock.day_end(day).astimezone(UTC).date()})
    archive(proxy, at(clock.day_start(day)), at(clock.day_end(day).replace(microsecond=0)))
    with transaction.atomic():
        ledger_writes.note_readings(
            proxy, [DayReading(day, 2, 0, is_bare=False, changed=False)], NOW - timedelta(days=1), settles=True
        )
    per_day = 2 // len(touched)
    for one in touched[:-1]:
        bill(proxy, per_day, one)
    if state != "missing":
        bill(proxy, per_day + (state == "differs"), touched[-1], times=1 if state == "waiting" else 2)
    compare(proxy)
    api = api_of(alice)
    answer = api.get("/api/coverage", archive=proxy, **{"from": str(day), "to": str(day)}).json()
    [found] = answer["days"]
    assert found["state"] == ("proved" if state == "proved" else "settled")
    assert answer["counts"]["proved"] == (state == "proved")
    assert [(one["bill"], one["day"]) for one in found["proofs"]] == [(proxy, str(one)) for one in touched]
    assert found["proofs"][-1]["state"] == state
    differing = [one for each in found["proofs"] for one in each["differences"]]
    assert differing == (
        [
            {"model": "glm", "what": "amount", "here": text(per_day), "there": text(per_day + 1)},
            {"model": "", "what": "calls", "here": str(per_day), "there": str(per_day + 1)},
        ]
        if state == "differs"
        else []
    )


def text(calls: int) -> str:
    return f"0.00000{calls}"


def test_without_an_archive_that_has_bills_the_ledger_says_nothing_of_proofs(alice: User, api_of: ApiOf) -> None:
    archive(alice, call())
    for parameters in ({}, {"archive": alice.pk}):
        answer = api_of(alice).get("/api/coverage", **parameters).json()
        assert "proved" not in answer["counts"]
        assert all("proofs" not in day for day in answer["days"])


def test_bills_are_due_until_they_are_complete_and_again_while_they_differ(proxy: int, time: SetClock) -> None:
    since = clock.local_day(NOW) - timedelta(days=4)
    first = date(2026, 9, 12)

    def due() -> list[date]:
        return stored_bills.due(proxy, since, TRAITS)

    last = date(2026, 9, 14)
    every = [day for day in due() if day >= first]
    assert every == [first, first + timedelta(days=1), last]
    bill(proxy, 0, first)
    archive(proxy, at(noon(last)))
    bill(proxy, 0, last)
    assert first not in due()
    assert last not in due()
    compare(proxy)
    assert last not in due()
    time.pass_by(hours=25)
    assert last in due()
    assert first not in due()


def test_no_more_days_are_due_than_one_run_asks_for_and_the_newest_ones_first(proxy: int) -> None:
    days = stored_bills.due(proxy, date(2020, 1, 1), TRAITS)
    assert len(days) == (days[-1] - days[0]).days + 1 == stored_bills.MOST_DAYS
    assert days[-1] == date(2026, 9, 14)


def test_days_that_a_source_leaves_out_take_turns_with_the_days_near_them(proxy: int, time: SetClock) -> None:
    last = date(2026, 9, 14)
    left_out = [last - timedelta(days=back) for back in (70, 33, 29, 2, 0)]
    for back in range(81):
        if (day := last - timedelta(days=back)) not in left_out:
            bill(proxy, 1, day)

    def due() -> list[date]:
        return stored_bills.due(proxy, last - timedelta(days=80), TRAITS)

    for expected in (left_out[2:], left_out[1:2], left_out[:1], []):
        assert due() == expected
        stored_bills.note_left_out(proxy, expected)
    # A day that is new is asked for with those near it.
    time.pass_by(days=1)
    assert due() == [*left_out[2:], last + timedelta(days=1)]
    # After a week each has another turn.
    time.pass_by(days=7)
    again = set[date]()
    for _ in range(3):
        stored_bills.note_left_out(proxy, found := due())
        again.update(found)
    assert again >= set(left_out)


def test_days_that_wait_for_their_second_reading_do_not_wait_for_new_ones(proxy: int, time: SetClock) -> None:
    last = date(2026, 9, 14)
    old = [last - timedelta(days=back) for back in range(49, 39, -1)]
    for back in range(40):
        bill(proxy, 1, last - timedelta(days=back))
    for day in old:
        bill(proxy, 1, day, times=1)
    for _ in range(3):
        time.pass_by(days=1)
        assert stored_bills.due(proxy, old[0], TRAITS) == old
