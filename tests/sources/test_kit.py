"""The interface of sources (docs/sources.md#the-interface), held by every kind with every quirk of its contract."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal

import pytest

from accounts import config
from accounts.models import Setting
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from collection import credential_check
from collection.api_types import FineCredential, NewestCall
from collection.models import Run
from collection.reading.window_reader import Reading
from collection.runs.run_execution import Result
from collection.runs.run_outcomes import API, COOKIE_BROKEN, COOKIE_EXPIRED, NO_COOKIE, OK, RunOutcome
from collection.sources import kinds
from collection.sources.kinds import KINDS
from collection.sources.source import ReadingStopped, Source, SourceFailure, Work
from collection.windows import days_window
from tests.collection.collector_run import collected_by
from tests.sources.played import PLAYERS
from tests.sources.player import A_CAP, TEXTS_LEFT_OUT, Played
from tests.sources.whole_calls import calls_of
from tests.standing_clock import SetClock
from usage.amounts.unit_of_archive import unit_of
from usage.models import CoverageDay
from usage.source_traits import traits_of

pytestmark = pytest.mark.django_db


def each(what: str) -> list[tuple[str, str]]:
    """Each kind with each name of its player in this list."""
    return [(kind, name) for kind, player in PLAYERS.items() for name in getattr(player, what)]


def until_settled(played: Played, time: SetClock) -> None:
    """Collect as often as a day needs to settle, at least three times."""
    last = traits_of(played.archive_id).last_reading
    passed = timedelta()
    while passed <= last + timedelta(days=1):
        assert collected_by(played.archive_id, "alice").outcome == OK
        step = timedelta(hours=11)
        time.now += step
        passed += step
    assert collected_by(played.archive_id, "alice").outcome == OK


def source_of(played: Played, should_stop: Callable[[], bool] = lambda: False) -> Source:
    return kinds.opened(played.archive_id, config.instance_settings(), Work(should_stop))


def first_run(played: Played) -> Result:
    return collected_by(played.archive_id, "alice", clock.today() - timedelta(days=9))


def test_every_kind_is_played_and_says_what_it_can() -> None:
    # What comes in files is never asked, and bills alone have no calls.
    assert {name for name, kind in KINDS.items() if kind.way and not kind.traits.bills_others} == PLAYERS.keys()
    for name in PLAYERS:
        kind = KINDS[name]
        assert kind.traits.kind == name
        assert kind.traits.window_days > 0
        assert kind.traits.first_reading <= kind.traits.last_reading
        assert (A_CAP in PLAYERS[name].quirks) is (PLAYERS[name].cap > 0)
        assert kind.traits.cap_step is None or PLAYERS[name].cap


def test_every_call_arrives_once(played: Played) -> None:
    assert first_run(played).outcome == OK
    assert calls_of(played.archive_id) == played.truth() != {}
    assert collected_by(played.archive_id, "alice").outcome == OK
    assert calls_of(played.archive_id) == played.truth()


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "quirk"), each("quirks"))
def test_with_a_quirk_the_archive_still_equals_the_source(played: Played, time: SetClock, quirk: str) -> None:
    first_day = clock.today() - timedelta(days=9)
    # Young enough for all that comes later.
    played.add(time.now - timedelta(minutes=20), "young", Decimal(5))
    played.play(quirk)
    assert first_run(played).outcome == OK
    until_settled(played, time)
    if quirk == TEXTS_LEFT_OUT:
        # The last reading of a day, too, may have come without them.
        for _ in range(2):
            assert collected_by(played.archive_id, "alice", first_day).outcome == OK
    settled_until = clock.local_text(time.now - timedelta(hours=3)) or ""
    here, there = calls_of(played.archive_id), played.truth()
    assert {key: call for key, call in there.items() if call.ts < settled_until}.items() <= here.items()
    assert here.keys() <= there.keys()


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(("kind", "form"), each("strange"))
def test_a_strange_value_is_kept_and_costs_nothing_else(kind: str, played: Played, form: str) -> None:
    played.play(form)
    assert first_run(played).outcome == OK
    here, there = calls_of(played.archive_id), played.truth()
    strange = {key for key, call in there.items() if here.get(key) != call}
    assert 0 < len(strange) < len(there) / 2
    kept = PLAYERS[kind].strange[form]
    assert here == {key: call._replace(**kept) if key in strange else call for key, call in there.items()}
    assert_no_secret(played)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.traits.gives_texts])
def test_texts_come_for_as_long_as_the_traits_say(played: Played, time: SetClock) -> None:
    given = traits_of(played.archive_id).text_given
    moments = {"young": time.now - given + timedelta(minutes=1), "old": time.now - given - timedelta(days=2)}
    for name, moment in moments.items():
        played.add(moment, name, Decimal(1))
    with source_of(played) as source:
        records = [record for moment in moments.values() for record in next(source.pages(moment, moment)).records]
    assert [(record.request_id, bool(record.prompt)) for record in records] == [("young", True), ("old", False)]


def test_one_question_covers_as_many_days_as_the_traits_say(played: Played, time: SetClock) -> None:
    traits = traits_of(played.archive_id)
    for number in range(traits.window_days):
        played.add(time.now - timedelta(days=number, hours=1), f"day-{number}", Decimal(1))
    window = days_window(clock.today() - timedelta(days=traits.window_days - 1), clock.today())
    with source_of(played) as source:
        reading = Reading()
        read = [one for _, page in reading.pages(source, window) for one in page.records]
    first, last = window.wall_clocks
    there = {key: call for key, call in played.truth().items() if first <= call.ts <= last}
    assert len(there) > traits.window_days
    assert {one.request_id: one.ts for one in read} == {key: call.ts for key, call in there.items()}
    assert (reading.total, reading.is_confirmed) == (len(there), True)
    with_text = clock.local_text(time.now - traits.text_given) or ""
    given = {one.request_id: one.prompt for one in read if one.ts > with_text}
    assert given == {key: there[key].prompt for key in given}
    assert any(given.values()) is traits.gives_texts


@pytest.mark.thorough_after(1)
def test_a_late_row_and_a_changed_amount_come_with_the_next_run(played: Played, time: SetClock) -> None:
    assert first_run(played).outcome == OK
    written = time.now - timedelta(minutes=40)
    played.add(written, "late", Decimal(15))
    time.pass_by(minutes=10)
    assert collected_by(played.archive_id, "alice").outcome == OK
    [late] = played.ids_of("late")
    assert calls_of(played.archive_id)[late].credits == unit_of(played.archive_id).parts(Decimal(15))
    played.remove("late")
    played.add(written, "late", Decimal(225))
    time.pass_by(minutes=10)
    assert collected_by(played.archive_id, "alice").outcome == OK
    assert calls_of(played.archive_id) == played.truth()


@pytest.mark.thorough_after(1)
def test_a_row_that_comes_days_late_is_read_before_its_day_settles(played: Played, time: SetClock) -> None:
    assert first_run(played).outcome == OK
    written = time.now - timedelta(minutes=5)
    time.pass_by(hours=30)
    assert collected_by(played.archive_id, "alice").outcome == OK
    played.add(written, "days late", Decimal(3))
    until_settled(played, time)
    assert calls_of(played.archive_id) == played.truth()


def test_rows_at_the_edges_of_days_and_windows_arrive_on_their_days(played: Played) -> None:
    traits = traits_of(played.archive_id)
    width = traits.window_days
    begin = clock.today() - timedelta(days=9)
    for number in range(9):
        day = begin + timedelta(days=number)
        midnight = datetime.combine(day + timedelta(days=1), time_of_day.min, traits.time_zone or UTC)
        for edge, moment in (
            ("first", clock.day_start(day)),
            ("last", clock.day_end(day).replace(microsecond=0)),
            ("there last", midnight - timedelta(seconds=1)),
            ("there first", midnight),
        ):
            played.add(moment, f"{edge}-{number}", Decimal(1))
    assert first_run(played).outcome == OK
    assert calls_of(played.archive_id) == played.truth()
    for number in {0, min(width, 9) - 1, 8}:
        text = f"{begin + timedelta(days=number)}"
        for edge, wall_clock in (("first", "00:00:00"), ("last", "23:59:59")):
            [key] = played.ids_of(f"{edge}-{number}")
            assert calls_of(played.archive_id)[key].ts == f"{text} {wall_clock}"


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("kind", [kind for kind, player in PLAYERS.items() if player.has_ids])
def test_one_id_twice_is_one_call(played: Played, time: SetClock) -> None:
    moment = time.now - timedelta(days=2)
    played.add(moment, "twice", Decimal(2))
    played.add(moment, "twice", Decimal(2))
    assert first_run(played).outcome == OK
    assert calls_of(played.archive_id) == played.truth()
    until_settled(played, time)
    assert calls_of(played.archive_id) == played.truth()
    assert (
        CoverageDay.objects.get(archive_id=played.archive_id, day=clock.local_day(moment).isoformat()).settled_at
        is None
    )


@pytest.mark.thorough_after(4)
@pytest.mark.parametrize(("kind", "form"), each("dead"))
def test_a_dead_credential_has_its_own_outcome_and_shows_in_no_message(played: Played, form: str) -> None:
    played.play(form)
    before = played.asked()
    result = first_run(played)
    assert result.outcome == COOKIE_EXPIRED
    assert played.asked() == before + 1
    assert calls_of(played.archive_id) == {}
    assert_no_secret(played)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "form"), each("dead"))
def test_a_test_of_a_dead_credential_stores_nothing_and_says_what_the_source_does(played: Played, form: str) -> None:
    played.play(form)
    found = credential_check.check(played.archive_id, {})
    assert (found.ok, Run.objects.count(), calls_of(played.archive_id)) == (False, 0, {})
    assert [secret for secret in played.secrets if secret in found.message] == []


def test_a_test_of_a_good_credential_shows_the_newest_call(kind: str, played: Played) -> None:
    before = played.asked()
    found = credential_check.check(played.archive_id, {})
    assert isinstance(found, FineCredential)
    assert isinstance(found.newest, NewestCall)
    assert found.newest.ts == max(call.ts for call in played.truth().values())
    assert [secret for secret in played.secrets if secret in found.message] == []
    assert (played.asked(), Run.objects.count()) == (before + PLAYERS[kind].asks_of_test, 0)


@pytest.mark.parametrize(("outcome", "of_run"), [("missing", NO_COOKIE), ("broken", COOKIE_BROKEN)])
def test_without_a_usable_credential_nothing_is_asked(played: Played, outcome: str, of_run: RunOutcome) -> None:
    stored = Setting.objects.filter(user_id=played.archive_id, key="cookie")
    _ = stored.delete() if outcome == "missing" else stored.update(value="x")
    with pytest.raises(SourceFailure) as raised:
        source_of(played)
    assert raised.value.outcome == outcome
    before = played.asked()
    assert first_run(played).outcome == of_run
    with pytest.raises(ApiError) as refused:
        credential_check.check(played.archive_id, {})
    assert (refused.value.error, played.asked()) == (of_run.error, before)


def test_a_count_is_that_of_the_calls_in_its_span(played: Played) -> None:
    first, last = clock.day_start(clock.today() - timedelta(days=3)), clock.now()
    begin = clock.local_text(first) or ""
    of_span = [call for call in played.truth().values() if call.ts >= begin]
    with source_of(played) as source:
        counted = source.count(first, last)
    assert counted.is_counted is source.traits.counts
    assert not counted.is_counted or counted.total == len(of_span)


def _counted(source: Source) -> object:
    return source.count(clock.now() - timedelta(days=1), clock.now())


ASKS: list[Callable[[Source], object]] = [
    lambda source: source.check(),
    _counted,
    lambda source: list(source.pages(clock.now() - timedelta(days=1), clock.now())),
]


@pytest.mark.parametrize("ask", ASKS)
def test_a_stop_is_seen_before_a_request_and_before_another_try(
    kind: str, played: Played, ask: Callable[[Source], object]
) -> None:
    before = played.asked()
    with source_of(played) as source:
        if ask is _counted and not source.traits.counts:
            ask(source)
            assert played.asked() == before
            return
    with source_of(played, should_stop=lambda: True) as source, pytest.raises(ReadingStopped):
        ask(source)
    assert played.asked() == before
    played.play(PLAYERS[kind].busy[0])
    with source_of(played, should_stop=lambda: played.asked() > before) as source, pytest.raises(ReadingStopped):
        ask(source)
    assert played.asked() == before + 1


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("kind", [kind for kind, player in PLAYERS.items() if A_CAP in player.quirks])
def test_a_window_above_the_cap_arrives_whole(kind: str, played: Played) -> None:
    begin = clock.day_start(clock.today() - timedelta(days=5))
    for number in range(PLAYERS[kind].cap + 10):
        played.add(begin + timedelta(seconds=80 * number), f"many-{number}", Decimal(1))
    played.play(A_CAP)
    assert first_run(played).outcome == OK
    assert "capped" in Run.objects.latest("pk").detail
    assert calls_of(played.archive_id) == played.truth()


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "form"), each("short"))
def test_a_count_that_the_calls_do_not_reach_settles_no_day_and_loses_no_call(played: Played, form: str) -> None:
    played.play(form)
    assert first_run(played).outcome in (API, OK)
    assert calls_of(played.archive_id) == played.truth()
    days = {call.ts[:10] for call in played.truth().values()}
    assert not CoverageDay.objects.filter(day__in=days, settled_at__isnull=False).exists()
    played.calm()
    assert first_run(played).outcome == OK
    assert_no_secret(played)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "form"), each("odd"))
def test_a_row_that_cannot_be_read_takes_no_other_with_it(played: Played, form: str) -> None:
    played.play(form)
    assert first_run(played).outcome in (API, OK)
    here, there = calls_of(played.archive_id), played.truth()
    assert len(there) / 2 < len(here) < len(there)
    assert here.items() <= there.items()
    played.calm()
    assert first_run(played).outcome == OK
    assert calls_of(played.archive_id) == there
    assert_no_secret(played)


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(("kind", "form"), each("foreign"))
def test_an_answer_that_is_not_of_the_contract_proves_and_changes_nothing(played: Played, form: str) -> None:
    assert first_run(played).outcome == OK
    known = calls_of(played.archive_id)
    settled = list(CoverageDay.objects.values_list("day", "settled_at", "checked_at"))
    played.play(form)
    assert collected_by(played.archive_id, "alice").outcome in (API, OK)
    assert calls_of(played.archive_id) == known
    proved = [row for row in CoverageDay.objects.values_list("day", "settled_at", "checked_at") if row not in settled]
    assert [row for row in proved if row[1] or row[2]] == []
    played.calm()
    assert collected_by(played.archive_id, "alice").outcome == OK
    assert calls_of(played.archive_id) == played.truth()
    assert_no_secret(played)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(("kind", "form"), each("busy"))
def test_a_busy_source_is_asked_again(played: Played, form: str) -> None:
    played.play(form)
    assert first_run(played).outcome == OK
    assert calls_of(played.archive_id) == played.truth()


def assert_no_secret(played: Played) -> None:
    for run in Run.objects.all():
        words = f"{run.message}\n{run.detail}"
        assert [secret for secret in played.secrets if secret in words] == []
