"""Windows that cannot be read: docs/decisions/collection.md#windows-that-are-read-again."""

import errno
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any
from unittest.mock import Mock

import pytest

from accounts.models import User
from archive_site.lib import clock
from collection import watermark
from collection.models import Progress, Run
from collection.reading.window_notes import WindowNotes
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http import asking
from tests.collection.collector_run import call_at, collected, contents, set_up, truth
from tests.collection.refused_windows import lasting, refuse
from tests.collection.scheduling import berlin
from tests.collection.simulator_client import NOW
from tests.standing_clock import SetClock
from usage import ingest
from usage.coverage.missing_days import MissingDays, missing_days
from usage.incoming.record import IncomingRecord
from usage.models import CoverageDay, LeftWindow

FAULT = berlin("2026-08-18 12:00")


@pytest.fixture
def upstream(time: SetClock) -> Iterator[Simulator]:
    with lasting(time) as running:
        yield running


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account, whose window from 2026-08-15 to 21 is refused."""
    set_up(alice, upstream, verify_days=0, page_size=1000)
    upstream.add(0, call_at(berlin("2026-08-24 10:00"), "later"))
    refuse(upstream, FAULT)
    return alice


def test_a_window_that_cannot_be_read_fails_its_run(alice: User) -> None:
    run = collected(alice).run
    assert (run.status, run.exit_code) == (Run.Status.FAILED, 5)
    assert "The keys that came: code, data, data.list, data.totalCount" in run.message
    assert "2026-08-15 00:00:00 to 2026-08-21 23:59:59: left to be read again" in run.detail
    assert watermark.mark(alice.pk) == berlin("2026-08-14 23:59:59")


def test_a_window_whose_days_cannot_be_noted_is_left_whole(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no note")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(WindowNotes, "days", fails)
        assert collected(alice).run.exit_code == 1
    [left] = LeftWindow.objects.all()
    assert left.win_from < left.win_to
    upstream.faults.clear()
    collected(alice)
    assert not LeftWindow.objects.filter(win_from=left.win_from).exists()


def test_the_next_run_reads_what_lies_behind_it(alice: User, upstream: Simulator) -> None:
    collected(alice)
    assert collected(alice).run.exit_code == 5
    assert contents(alice) == truth(upstream)
    assert watermark.mark(alice.pk) == berlin("2026-08-17 23:59:59")


def test_what_lies_behind_several_is_read_by_the_first_run(alice: User, upstream: Simulator) -> None:
    refuse(upstream, *(berlin(f"2026-08-{day} 12:00") for day in (10, 18, 26)))
    run = collected(alice).run
    assert (run.exit_code, set(contents(alice))) == (5, truth(upstream).keys() - {"later"})
    assert LeftWindow.objects.filter(is_failed=True).count() == 3


def test_an_upstream_that_answers_no_window_is_asked_for_five(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("other_form")
    set_up(alice, upstream, verify_days=10)
    assert collected(alice, date(2026, 8, 8)).run.exit_code == 5
    assert upstream.request_count == 5


@pytest.mark.parametrize("fault", ["expired_401_html", "not_found", "server_error", "reset"])
def test_a_failure_that_is_not_the_windows_own_ends_the_run_at_once(
    alice: User, upstream: Simulator, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TRIES", 1)
    monkeypatch.setattr(asking, "WAITS", ())
    refuse(upstream)
    upstream.faults.fail(fault, after_pages=1)
    collected(alice)
    assert upstream.request_count == 2


def test_a_run_that_the_network_ends_says_what_failed_before(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TRIES", 1)
    monkeypatch.setattr(asking, "WAITS", ())
    refuse(upstream, berlin("2026-08-10 12:00"))
    upstream.faults.fail("reset", after_pages=2)
    run = collected(alice).run
    assert ("failed or broke off" in run.message, "an unknown form" in run.detail) == (True, True)


def test_a_run_that_does_not_ask_for_it_ends_well_and_its_days_are_missing(alice: User, time: SetClock) -> None:
    for _ in range(2):
        collected(alice)
    time.pass_by(minutes=10)
    run = collected(alice).run
    assert (run.status, "1 window could not be read and is read again later" in run.message) == (Run.Status.OK, True)
    missing = missing_days(alice.pk, watermark.expected_through(alice.pk))
    assert missing == MissingDays(4, date(2026, 8, 18), date(2026, 8, 21))


@pytest.mark.parametrize("waits", [(1, 2), (2, 1)])
def test_a_day_of_two_windows_is_known_whichever_is_read_first(
    waits: tuple[int, int], alice: User, upstream: Simulator
) -> None:
    refuse(upstream)
    collected(alice)
    day, noon = CoverageDay.objects.filter(archive_id=alice.pk, day="2026-08-18"), berlin("2026-08-18 12:00")
    day.delete()
    spans = (berlin("2026-08-17 00:00"), noon), (noon + timedelta(seconds=1), berlin("2026-08-19 18:00"))
    for (start, end), hours in zip(spans, waits, strict=True):
        LeftWindow.objects.create(
            archive_id=alice.pk,
            win_from=start,
            win_to=end,
            next_read_at=clock.now() - timedelta(hours=hours),
            is_failed=True,
            is_unconfirmed=False,
            tries=1,
        )
    Progress.objects.filter(archive_id=alice.pk).update(complete_through=noon + timedelta(hours=1))
    collected(alice)
    assert not LeftWindow.objects.exists()
    assert day.exists()


def test_only_the_day_that_is_at_fault_remains(alice: User, time: SetClock) -> None:
    for _ in range(9):
        time.pass_by(hours=24)
        collected(alice)
    [left] = LeftWindow.objects.all()
    assert (left.win_from, left.win_to) == (berlin("2026-08-18 00:00"), berlin("2026-08-18 23:59:59"))
    missing = missing_days(alice.pk, watermark.expected_through(alice.pk))
    assert missing == MissingDays(1, date(2026, 8, 18), date(2026, 8, 18))


@pytest.mark.thorough
def test_of_two_bad_days_in_a_week_only_these_remain(alice: User, upstream: Simulator, time: SetClock) -> None:
    good = [f"2026-08-{day}" for day in range(16, 21)]
    upstream.add(0, *(call_at(berlin(f"{day} 10:00"), day) for day in good))
    refuse(upstream, berlin("2026-08-15 12:00"), berlin("2026-08-21 12:00"))
    for _ in range(5):
        collected(alice)
        time.pass_by(hours=24)
    assert set(good) <= contents(alice).keys()
    assert [left.win_from for left in LeftWindow.objects.order_by("win_from")] == [
        berlin("2026-08-15 00:00"), berlin("2026-08-21 00:00"),
    ]  # fmt: skip


def test_once_it_is_read_the_mark_is_where_it_would_be(alice: User, upstream: Simulator, time: SetClock) -> None:
    for _ in range(3):
        collected(alice)
    refuse(upstream)
    time.pass_by(hours=2)
    assert collected(alice).run.status == Run.Status.OK
    assert (watermark.mark(alice.pk), LeftWindow.objects.exists()) == (time.now, False)
    assert contents(alice) == truth(upstream)


@pytest.mark.thorough
def test_once_it_is_too_old_the_mark_passes_and_its_day_stays_unread(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    for _ in range(30):
        collected(alice)
        time.pass_by(days=1)
    run = collected(alice).run
    assert (run.status, watermark.mark(alice.pk)) == (Run.Status.OK, time.now)
    assert not CoverageDay.objects.filter(archive_id=alice.pk, day="2026-08-18").exists()
    before = upstream.request_count
    collected(alice)
    assert upstream.request_count - before <= 2
    time.pass_by(days=1)
    missing = missing_days(alice.pk, watermark.expected_through(alice.pk))
    assert missing == MissingDays(1, date(2026, 8, 18), date(2026, 8, 18))


@pytest.mark.thorough
def test_of_a_window_that_gets_too_old_only_the_bad_day_is_given_up(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    good = [call_at(berlin(f"2026-08-{day:02} 12:00"), f"good-{day}") for day in (8, 9, 11, 12)]
    upstream.add(0, *good)
    refuse(upstream, berlin("2026-08-10 12:00"))
    collected(alice)
    for _ in range(8):
        time.pass_by(days=8)
        collected(alice)
    [left] = LeftWindow.objects.all()
    assert (left.win_from, left.win_to) == (berlin("2026-08-10 00:00"), berlin("2026-08-10 23:59:59"))
    assert left.next_read_at is None
    assert {call.request_id for call in good} <= contents(alice).keys()


@pytest.mark.thorough
def test_a_week_that_is_refused_whole_is_given_up_day_by_day(alice: User, upstream: Simulator, time: SetClock) -> None:
    refuse(upstream, *(berlin(f"2026-08-{day:02} 12:00") for day in range(8, 15)))
    collected(alice)
    for _ in range(7):
        time.pass_by(days=8)
        collected(alice)
    assert list(LeftWindow.objects.values_list("next_read_at", flat=True)) == [None] * 7
    assert watermark.mark(alice.pk) == time.now


def test_one_window_that_still_fails_keeps_no_other_from_being_read_again(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    other = berlin("2026-08-26 12:00")
    upstream.add(0, call_at(other, "other"))
    refuse(upstream, FAULT, other)
    for _ in range(2):
        collected(alice)
        time.pass_by(minutes=1)
    refuse(upstream, FAULT)
    time.pass_by(hours=1)
    assert collected(alice).run.exit_code == 5
    assert "other" in contents(alice)


def test_the_message_of_a_failed_run_says_what_it_stored(alice: User, upstream: Simulator) -> None:
    moment = berlin("2026-08-12 12:00")
    upstream.add(0, call_at(moment, "twice"), call_at(moment, "twice"))
    run = collected(alice).run
    assert run.cause == "answer_of_unknown_form"
    stored = len(contents(alice))
    assert (f"What came is stored: {stored} new records, " in run.message, stored > 1) == (True, True)
    assert "not confirmed by CodeBuddy and read again later (2026-08-08 00:00:00 to" in run.message


def test_a_failed_run_that_stored_nothing_says_only_why(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("api_code")
    assert "What came is stored" not in collected(alice).run.message


def test_a_run_of_chosen_days_reads_it(alice: User, upstream: Simulator) -> None:
    for _ in range(2):
        collected(alice)
    refuse(upstream)
    assert collected(alice, date(2026, 8, 15), date(2026, 8, 21)).run.status == Run.Status.OK
    assert not LeftWindow.objects.exists()


def test_an_outage_of_many_runs_leaves_one_window(alice: User, upstream: Simulator, time: SetClock) -> None:
    refuse(upstream)
    collected(alice)
    upstream.faults.fail("api_code")
    for _ in range(12):
        time.pass_by(hours=2)
        assert collected(alice).run.exit_code == 5
    assert LeftWindow.objects.count() == 1
    upstream.faults.clear()
    assert collected(alice).run.status == Run.Status.OK
    assert (contents(alice), watermark.mark(alice.pk)) == (truth(upstream), time.now)


def test_an_unexpected_error_in_a_window_starves_no_other(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(upstream)
    upstream.add(0, call_at(FAULT, "poison"))
    take_in = ingest.take_in

    def fail(user_id: int, records: Sequence[IncomingRecord], **options: Any) -> ingest.PageResult:
        if any(record.request_id == "poison" for record in records):
            raise ArithmeticError("an error of this side")
        return take_in(user_id, records, **options)

    monkeypatch.setattr(ingest, "take_in", fail)
    assert [collected(alice).run.exit_code for _ in range(2)] == [1, 1]
    assert truth(upstream).keys() - contents(alice).keys() == {"poison"}
    assert LeftWindow.objects.get().is_failed


def locked() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "no space"), locked()], ids=["full disk", "locked store"])
def test_a_store_that_takes_nothing_leaves_no_window(
    alice: User, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "take_in", Mock(side_effect=error))
    assert collected(alice).run.exit_code == 1
    assert not LeftWindow.objects.exists()


@pytest.mark.parametrize("fault", ["expired_401_html", "agent_refused", "cookie_too_large"])
def test_a_refused_credential_leaves_no_window(alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault)
    refuse(upstream)
    collected(alice)
    assert not LeftWindow.objects.exists()


def test_a_day_that_cannot_be_counted_keeps_no_other_from_being_read(alice: User, upstream: Simulator) -> None:
    refuse(upstream)
    set_up(alice, upstream, verify_days=2, page_size=1000)
    collected(alice)
    refuse(upstream, berlin("2026-09-05 12:00"))
    upstream.add(0, call_at(berlin("2026-09-06 12:00"), "late"))
    assert collected(alice).run.exit_code == 5
    collected(alice)
    assert "late" in contents(alice)


def test_windows_of_a_wrong_clock_hide_nothing(alice: User, upstream: Simulator, time: SetClock) -> None:
    refuse(upstream)
    future = NOW + timedelta(days=400)
    LeftWindow.objects.create(
        archive_id=alice.pk,
        win_from=berlin("2026-08-01 00:00"),
        win_to=future,
        is_failed=True,
        is_unconfirmed=False,
        tries=1,
        next_read_at=future,
    )
    collected(alice)
    assert contents(alice) == truth(upstream)
