"""The bills of kinds that give sums of days, and what they prove (docs/decisions/collection.md#proofs)."""

from datetime import UTC, timedelta
from decimal import Decimal

import pytest

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from collection.models import Run
from collection.runs.run_outcomes import OK
from collection.sources.kinds import KINDS
from tests.collection.collector_run import collected_by
from tests.sources.played import PLAYERS
from tests.sources.player import Played
from tests.sources.test_kit import each, first_run, until_settled
from tests.sources.whole_calls import calls_of
from tests.standing_clock import SetClock
from usage.coverage.ledger import Ledger, State, ledger
from usage.models import BillRead, DayProof
from usage.proofs.day_proofs import ProofState
from usage.source_traits import traits_of

pytestmark = [pytest.mark.django_db, pytest.mark.landing]

# Of one with packages not every account has bills: tests/collection/reading/test_daily_sums.py
WITH_BILLS = [name for name in PLAYERS if KINDS[name].traits.bills and not KINDS[name].traits.packages]


def run_again(played: Played, times: int = 3) -> None:
    """Read bills until they are complete: older days come with the second run."""
    for _ in range(times):
        assert collected_by(played.archive_id, "alice").outcome == OK


def ledger_of(played: Played) -> Ledger:
    return ledger(played.archive_id, Days(), wants_prompts=False)


def provable(played: Played) -> list[str]:
    """The days of the archive whose bills are read whole and have settled, oldest first."""
    states = ledger_of(played).states()
    over = clock.now() - traits_of(played.archive_id).bill_settles - timedelta(days=1)
    return [day for day in list(states)[1:] if day < str(over.astimezone(UTC).date())]


def states_of(played: Played) -> set[State]:
    found = ledger_of(played)
    return {found.state(day) for day in provable(played)}


@pytest.mark.parametrize("kind", WITH_BILLS)
def test_each_day_is_proved_once_two_readings_of_its_bill_agree(played: Played, time: SetClock) -> None:
    assert first_run(played).outcome == OK
    assert State.PROVED not in states_of(played)
    run_again(played)
    assert len(provable(played)) > 5
    assert states_of(played) == {State.PROVED}
    time.pass_by(days=3)
    run_again(played)
    assert states_of(played) == {State.PROVED}
    assert calls_of(played.archive_id) == played.truth()


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(("kind", "form"), each("other_sums"))
def test_sums_that_differ_prove_no_day_and_are_named(played: Played, time: SetClock, form: str) -> None:
    played.play(form)
    assert first_run(played).outcome == OK
    run_again(played)
    found = ledger_of(played)
    assert found.second_sums
    with_calls = [day for day in provable(played) if day in found.here]
    assert len(with_calls) > 5
    for day in with_calls:
        proofs = found.second_sums.of(day)
        assert found.state(day) is not State.PROVED
        assert ProofState.DIFFERS in {proof.state for proof in proofs}
        assert all(one.here != one.there for proof in proofs for one in proof.differences)
    assert any("differ" in run.message for run in Run.objects.all())
    assert calls_of(played.archive_id) == played.truth()
    played.calm()
    time.pass_by(hours=25)
    run_again(played)
    assert states_of(played) == {State.PROVED}


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("kind", WITH_BILLS)
def test_a_call_that_comes_later_takes_the_proof_until_the_bill_has_it(played: Played, time: SetClock) -> None:
    until_settled(played, time)
    moment = time.now - timedelta(days=3)
    late = clock.local_day(moment)
    assert ledger_of(played).state(str(late)) is State.PROVED
    played.add(moment, "late", Decimal(1))
    assert collected_by(played.archive_id, "alice", late).outcome == OK
    assert "late" in calls_of(played.archive_id)
    assert ledger_of(played).state(str(late)) is not State.PROVED
    time.pass_by(hours=25)
    run_again(played)
    assert ledger_of(played).state(str(late)) is State.PROVED


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("kind", WITH_BILLS)
def test_a_call_that_the_archive_lacks_is_named_with_its_model(kind: str, played: Played, time: SetClock) -> None:
    """The bill has one that the list of calls does not give any more."""
    until_settled(played, time)
    assert states_of(played) == {State.PROVED}
    moment = time.now - timedelta(days=4)
    day = clock.local_day(moment)
    # Of a day that is settled, so that no run reads its calls again.
    played.add(moment, "lost", Decimal(7))
    DayProof.objects.filter(archive_id=played.archive_id).delete()
    BillRead.objects.filter(archive_id=played.archive_id).update(is_complete=False)
    run_again(played)
    assert "lost" not in calls_of(played.archive_id)
    found = ledger_of(played)
    assert found.second_sums
    differing = [one for proof in found.second_sums.of(str(day)) for one in proof.differences]
    assert differing
    assert all(one.here is not None and one.here < one.there for one in differing)
    assert PLAYERS[kind].other_sums
