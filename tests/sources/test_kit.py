"""The interface of sources (docs/sources.md#the-interface), held by every kind with every quirk of its contract."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest

from accounts.models import User
from archive_site.lib import clock
from collection.models import Run
from collection.runs.run_execution import Result
from collection.runs.run_outcomes import API, COOKIE_EXPIRED, OK
from collection.sources.kinds import KINDS
from tests.collection.collector_run import collected, contents
from tests.sources.played import PLAYERS, WAITS, Played
from tests.standing_clock import SetClock
from usage.models import CoverageDay
from usage.source_traits import traits_of

pytestmark = pytest.mark.django_db


def each(what: str) -> list[tuple[str, str]]:
    """Each kind with each name of its player in this list."""
    return [(kind, name) for kind, player in PLAYERS.items() for name in getattr(player, what)]


@pytest.fixture(params=PLAYERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def played(kind: str, alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """A source with calls of nine days, at noon; alice has its credential."""
    for module, name, value in WAITS:
        monkeypatch.setattr(module, name, value)
    with PLAYERS[kind].open(alice, lambda: time.now) as running:
        yield running


def until_settled(alice: User, time: SetClock) -> None:
    """Collect as often as a day needs to settle, at least three times."""
    last = traits_of(alice.pk).last_reading
    passed = timedelta()
    while passed <= last + timedelta(days=1):
        assert collected(alice).outcome == OK
        step = timedelta(hours=7)
        time.now += step
        passed += step
    assert collected(alice).outcome == OK


def first_run(alice: User) -> Result:
    return collected(alice, clock.today() - timedelta(days=9))


def test_every_kind_is_played_and_says_what_it_can() -> None:
    assert KINDS.keys() == PLAYERS.keys()
    for name, kind in KINDS.items():
        assert kind.traits.kind == name
        assert kind.traits.window_days > 0
        assert kind.traits.first_reading <= kind.traits.last_reading


def test_every_call_arrives_once(played: Played, alice: User) -> None:
    assert first_run(alice).outcome == OK
    assert contents(alice) == played.truth() != {}
    assert collected(alice).outcome == OK
    assert contents(alice) == played.truth()


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "quirk"), each("quirks"))
def test_with_a_quirk_the_archive_still_equals_the_source(
    played: Played, alice: User, time: SetClock, quirk: str
) -> None:
    played.play(quirk)
    assert first_run(alice).outcome == OK
    until_settled(alice, time)
    settled_until = clock.local_text(time.now - timedelta(hours=3)) or ""
    here, there = contents(alice), played.truth()
    assert {key: row for key, row in there.items() if row[1] < settled_until}.items() <= here.items()
    assert here.keys() <= there.keys()


def test_a_late_row_and_a_changed_amount_come_with_the_next_run(played: Played, alice: User, time: SetClock) -> None:
    assert first_run(alice).outcome == OK
    written = time.now - timedelta(minutes=40)
    played.add(written, "late", Decimal("1.5"))
    time.pass_by(minutes=10)
    assert collected(alice).outcome == OK
    assert contents(alice)["late"][0] == 1_500_000
    played.remove("late")
    played.add(written, "late", Decimal("2.25"))
    time.pass_by(minutes=10)
    assert collected(alice).outcome == OK
    assert contents(alice) == played.truth()


def test_a_row_that_comes_days_late_is_read_before_its_day_settles(played: Played, alice: User, time: SetClock) -> None:
    assert first_run(alice).outcome == OK
    written = time.now - timedelta(minutes=5)
    time.pass_by(hours=30)
    assert collected(alice).outcome == OK
    played.add(written, "days late", Decimal(3))
    until_settled(alice, time)
    assert contents(alice) == played.truth()


def test_rows_at_the_edges_of_days_and_windows_arrive_on_their_days(played: Played, alice: User) -> None:
    width = traits_of(alice.pk).window_days
    begin = clock.today() - timedelta(days=9)
    for number in range(9):
        for edge, moment in (
            ("first", clock.day_start(begin + timedelta(days=number))),
            ("last", clock.day_end(begin + timedelta(days=number)).replace(microsecond=0)),
        ):
            played.add(moment, f"{edge}-{number}", Decimal(1))
    assert first_run(alice).outcome == OK
    assert contents(alice) == played.truth()
    for number in {0, min(width, 9) - 1, 8}:
        day = f"{begin + timedelta(days=number)}"
        assert contents(alice)[f"first-{number}"][1] == f"{day} 00:00:00"
        assert contents(alice)[f"last-{number}"][1] == f"{day} 23:59:59"


def test_one_id_twice_is_one_call(played: Played, alice: User, time: SetClock) -> None:
    moment = time.now - timedelta(days=2)
    played.add(moment, "twice", Decimal(2))
    played.add(moment, "twice", Decimal(2))
    assert first_run(alice).outcome == OK
    assert contents(alice) == played.truth()
    until_settled(alice, time)
    assert contents(alice) == played.truth()
    assert CoverageDay.objects.get(archive_id=alice.pk, day=clock.local_day(moment).isoformat()).settled_at is None


@pytest.mark.parametrize(("kind", "form"), each("dead"))
def test_a_dead_credential_is_told_from_all_else_and_shows_in_no_message(
    played: Played, alice: User, form: str
) -> None:
    played.play(form)
    before = played.asked()
    result = first_run(alice)
    assert result.outcome == COOKIE_EXPIRED
    assert played.asked() == before + 1
    assert contents(alice) == {}
    assert_no_secret(played)


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(("kind", "form"), each("foreign"))
def test_an_answer_that_is_not_of_the_contract_proves_and_changes_nothing(
    played: Played, alice: User, form: str
) -> None:
    assert first_run(alice).outcome == OK
    known = contents(alice)
    settled = list(CoverageDay.objects.values_list("day", "settled_at", "checked_at"))
    played.play(form)
    assert collected(alice).outcome in (API, OK)
    assert contents(alice) == known
    proved = [row for row in CoverageDay.objects.values_list("day", "settled_at", "checked_at") if row not in settled]
    assert [row for row in proved if row[1] or row[2]] == []
    played.calm()
    assert collected(alice).outcome == OK
    assert contents(alice) == played.truth()
    assert_no_secret(played)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "form"), each("busy"))
def test_a_busy_source_is_asked_again(played: Played, alice: User, form: str) -> None:
    played.play(form)
    assert first_run(alice).outcome == OK
    assert contents(alice) == played.truth()


def assert_no_secret(played: Played) -> None:
    for run in Run.objects.all():
        told = f"{run.message}\n{run.detail}"
        assert [secret for secret in played.secrets if secret in told] == []
