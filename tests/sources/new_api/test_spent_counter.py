"""The counter of all that an account has used, beside its calls (docs/sources/new-api.md#sums)."""

import json
from datetime import UTC, timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from collection.runs.run_outcomes import OK
from tests.collection.collector_run import collected_by
from tests.factories import ApiClient
from tests.sources.new_api.player import PlayedNewApi
from tests.standing_clock import SetClock
from usage.models import DayProof, Record, SpentReading
from usage.proofs.bill import ONE_DAY, end_of
from usage.proofs.stored_bills import AGREED
from usage.retention import choices, erasing
from usage.retention.choices import Choice

pytestmark = [pytest.mark.django_db, pytest.mark.engine, pytest.mark.parametrize("kind", ["new-api"])]


def collect(played: PlayedNewApi, time: SetClock, *, hours: float = 0) -> None:
    """Collect, this many hours after the last run."""
    time.pass_by(hours=hours)
    assert collected_by(played.archive_id, "alice").outcome == OK


def until_proved(played: PlayedNewApi, time: SetClock) -> None:
    for _ in range(12):
        collect(played, time, hours=6)


def days(played: PlayedNewApi, alice: User) -> dict[str, Any]:
    answer = ApiClient.signed_in(alice).get("/api/coverage", archive=played.archive_id).json()
    return {day["d"]: day for day in answer["days"]}


def test_what_is_used_while_the_log_is_off_is_said_of_its_day(
    played: PlayedNewApi, time: SetClock, alice: User
) -> None:
    collect(played, time)
    collect(played, time, hours=1)
    day = clock.today()
    played.use_without_log(time.now + timedelta(minutes=10), 700)
    played.use_without_log(time.now + timedelta(minutes=20), 77)
    collect(played, time, hours=1)
    until_proved(played, time)
    found = days(played, alice)
    assert found[str(day)]["state"] == "settled"
    [one] = [one for proof in found[str(day)]["proofs"] for one in proof["differences"]]
    assert (one["model"], one["what"], int(one["there"]) - int(one["here"])) == ("", "amount", 777)
    assert found[str(day - timedelta(days=2))]["state"] == "proved"
    # What is about the ends of readings is never said to be missing, and few readings stay.
    assert SpentReading.objects.filter(missing__gt=0).count() == 1
    assert SpentReading.objects.count() < 8


def test_a_day_is_not_proved_before_its_last_hours_are_judged(played: PlayedNewApi, time: SetClock) -> None:
    midnight = end_of(time.now.astimezone(UTC).date())
    collect(played, time)
    collect(played, time, hours=(midnight - time.now) / timedelta(hours=1) - 2)
    played.use_without_log(midnight - timedelta(minutes=30), 5)
    proof = DayProof.objects.filter(archive_id=played.archive_id, day=str(midnight.date() - ONE_DAY))
    for hours in (4.5, 0.2):
        collect(played, time, hours=hours)
        assert not proof.exists()
    collect(played, time, hours=4)
    [[model, what, here, there]] = json.loads(proof.get().differences)
    assert (model, what, there - here) == ("", "amount", 5)


def test_a_proof_from_before_the_counter_could_be_read_is_taken_back(played: PlayedNewApi, time: SetClock) -> None:
    midnight = end_of(time.now.astimezone(UTC).date())
    collect(played, time)
    collect(played, time, hours=(midnight - time.now) / timedelta(hours=1) - 2)
    played.use_without_log(midnight - timedelta(minutes=30), 5)
    proof = DayProof.objects.filter(archive_id=played.archive_id, day=str(midnight.date() - ONE_DAY))
    played.show_the_counter(is_shown=False)
    for hours in (4.5, 0.2):
        collect(played, time, hours=hours)
    assert proof.get().differences == AGREED
    played.show_the_counter()
    collect(played, time, hours=0.2)
    assert not proof.exists()
    collect(played, time, hours=4)
    assert proof.get().differences != AGREED


def test_a_day_whose_calls_explain_the_counter_is_proved_at_once(played: PlayedNewApi, time: SetClock) -> None:
    midnight = end_of(time.now.astimezone(UTC).date())
    collect(played, time)
    collect(played, time, hours=(midnight - time.now) / timedelta(hours=1) - 2)
    played.add(midnight - timedelta(minutes=30), "listed", Decimal(5))
    for hours in (4.5, 0.2):
        collect(played, time, hours=hours)
    proof = DayProof.objects.get(archive_id=played.archive_id, day=str(midnight.date() - ONE_DAY))
    assert proof.differences == AGREED


def test_what_the_counter_showed_is_judged_also_where_it_shows_no_more(played: PlayedNewApi, time: SetClock) -> None:
    collect(played, time)
    played.use_without_log(time.now + timedelta(minutes=30), 5)
    collect(played, time, hours=1)
    played.show_the_counter(is_shown=False)
    collect(played, time, hours=4)
    assert SpentReading.objects.get(missing__gt=0).missing == 5


@pytest.mark.parametrize("seconds", [0, 20, 59, 90])
def test_calls_at_the_moment_of_a_reading_are_not_missing(played: PlayedNewApi, time: SetClock, seconds: int) -> None:
    collect(played, time)
    for number in range(8):
        played.add(time.now + timedelta(hours=1, seconds=-seconds), f"late-{number}", Decimal(1000 + number))
        collect(played, time, hours=1)
    collect(played, time, hours=4)
    assert not SpentReading.objects.filter(missing__gt=0).exists()


def test_calls_that_were_not_read_yet_are_not_missing(played: PlayedNewApi, time: SetClock) -> None:
    collect(played, time)
    played.add(time.now + timedelta(minutes=30), "not read yet", Decimal(900))
    first = clock.today() - timedelta(days=5)
    for _ in range(3):
        time.pass_by(hours=4)
        assert collected_by(played.archive_id, "alice", first, first).outcome == OK
    assert not SpentReading.objects.filter(missing__gt=0).exists()
    for _ in range(3):
        collect(played, time, hours=4)
    assert SpentReading.objects.filter(missing=0).exists()
    assert not SpentReading.objects.filter(missing__gt=0).exists()


def test_calls_that_come_later_are_missing_no_more(played: PlayedNewApi, time: SetClock) -> None:
    collect(played, time)
    at = time.now + timedelta(minutes=30)
    played.use_without_log(at, 5)
    for _ in range(3):
        collect(played, time, hours=4)
    assert SpentReading.objects.get(missing__gt=0).missing == 5
    played.list_what_was_unlogged()
    assert collected_by(played.archive_id, "alice", clock.local_day(at), clock.local_day(at)).outcome == OK
    collect(played, time, hours=1)
    assert not SpentReading.objects.filter(missing__gt=0).exists()


def test_calls_that_are_erased_are_not_missing(played: PlayedNewApi, time: SetClock, alice: User) -> None:
    collect(played, time)
    played.add(time.now + timedelta(hours=1), "erased", Decimal(900))
    played.use_without_log(time.now + timedelta(hours=2), 5)
    for hours in (48, 4, 4):
        collect(played, time, hours=hours)
    assert SpentReading.objects.get(missing__gt=0).missing == 5
    choices.choose(alice.pk, Choice(calls_days=1))
    assert erasing.go_on()
    assert not Record.objects.filter(archive_id=played.archive_id, request_id__contains="erased").exists()
    collect(played, time, hours=4)
    assert SpentReading.objects.get(missing__gt=0).missing == 5


def test_what_another_account_has_used_is_not_missing(played: PlayedNewApi, time: SetClock) -> None:
    collect(played, time)
    SpentReading.objects.update(counter="another", spent=0)
    for _ in range(3):
        collect(played, time, hours=4)
    assert not SpentReading.objects.filter(missing__gt=0).exists()


def test_a_counter_that_begins_anew_takes_nothing(played: PlayedNewApi, time: SetClock) -> None:
    collect(played, time)
    SpentReading.objects.update(spent=10**12)
    collect(played, time, hours=1)
    collect(played, time, hours=4)
    assert list(SpentReading.objects.exclude(missing=None).values_list("missing", flat=True)) == [0]


def test_a_reading_after_the_clock_was_set_back_takes_the_place_of_later_ones(
    played: PlayedNewApi, time: SetClock
) -> None:
    collect(played, time)
    collect(played, time, hours=2)
    time.pass_by(hours=-1)
    collect(played, time)
    assert SpentReading.objects.latest("read_at").read_at <= time.now
