"""The accounts and cookies for which the tick queues runs: docs/decisions/scheduling.md."""

import pytest
from cryptography.fernet import Fernet

from accounts import config
from accounts.credentials import credential
from accounts.models import INSTANCE, Archive, Setting, User
from collection import queued_runs
from collection.models import Run
from collection.runs import runs
from collection.schedule import scheduler
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.scheduling import (
    INTERRUPTED,
    MORNING,
    OK,
    SCHEDULE,
    STARTUP,
    At,
    berlin,
    end_runs,
    marks,
    queued,
    run_list,
    with_cookie,
    work_off,
)
from tests.factories import further_archive
from tests.standing_clock import SetClock
from usage.models import Horizon


@pytest.fixture
def alice(alice: User, time: SetClock) -> User:
    """With a cookie since the early morning, and the default times: 08:00, 12:30, 18:00 and 23:50."""
    time.now = berlin("2026-09-08 06:00:00")
    return with_cookie(alice)


def test_an_archive_whose_first_kept_day_lies_ahead_keeps_no_other_from_its_run(alice: User, bob: User, at: At) -> None:
    with_cookie(bob)
    assert at(MORNING) == 2
    # As after a clock that ran ahead.
    Horizon.objects.create(archive_id=alice.pk, calls_from="2027-01-01")
    assert queued_runs.work_off_next()
    mine = Run.objects.get(archive_id=alice.pk)
    assert (mine.status, mine.message) == ("interrupted", "Interrupted: there are no days that it could read.")
    waiting = queued_runs.waiting()
    assert waiting
    assert waiting.archive_id == bob.pk


# The cookie


def test_nothing_is_owed_from_before_the_cookie_was_set(alice: User, bob: User, at: At, time: SetClock) -> None:
    time.now = berlin("2026-09-08 08:00:10")
    with_cookie(bob)
    assert at(MORNING) == 1
    assert (len(run_list(alice)), run_list(bob), marks(bob)) == (1, [], {})
    assert at("2026-09-08 12:30:00") == 1
    assert run_list(bob) == [SCHEDULE]


def test_a_broken_cookie_is_not_tried_and_a_new_one_owes_nothing(
    alice: User, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Fernet(Fernet.generate_key()).encrypt(b"session=x").decode()
    Setting.objects.filter(user_id=alice.pk, key="cookie").update(value=other)
    assert credential.state(alice.pk).broken
    assert at(MORNING) == 0
    assert (run_list(), marks(alice)["08:00"]) == ([], "2026-09-08")
    with_cookie(alice)
    assert at("2026-09-08 08:01:00") == 0
    assert at("2026-09-08 12:30:00") == 1


def test_without_a_cookie_there_is_no_run(alice: User, at: At) -> None:
    credential.clear(alice.pk)
    assert at(MORNING) == 0


def days_tried(at: At, *, days: int = 3, exit_code: int = 4) -> list[str]:
    """Tick at every slot of a number of days, each run ending with this exit code; the times of queued runs."""
    tried = []
    for day in range(8, 8 + days):
        for text in ("08:00", "12:30", "18:00", "23:50"):
            if at(f"2026-09-{day:02} {text}"):
                tried.append(f"{day:02} {text}")
                end_runs(exit_code)
    return tried


def test_an_expired_cookie_is_tried_once_a_day(alice: User, at: At) -> None:
    assert days_tried(at) == ["08 08:00", "09 08:00", "10 08:00"]
    assert marks(alice) == dict.fromkeys(["08:00", "12:30", "18:00", "23:50"], "2026-09-10")


def test_other_failures_do_not_make_it_rarer(alice: User, at: At) -> None:
    assert len(days_tried(at, days=2, exit_code=5)) == 8
    assert len(run_list()) == 8


def test_a_cookie_that_expires_at_noon_is_tried_the_next_morning(alice: User, at: At) -> None:
    at(MORNING)
    end_runs()
    at("2026-09-08 12:30:00")
    end_runs(4)
    assert (at("2026-09-08 18:00:00"), at("2026-09-08 23:50:00"), at("2026-09-09 08:00:00")) == (0, 0, 1)


def test_any_success_lifts_that(alice: User, at: At) -> None:
    at(MORNING)
    end_runs(4)
    run = runs.begin(alice.pk, Run.Trigger.MANUAL)
    Run.objects.filter(pk=run.pk).update(status="ok", exit_code=0)
    assert at("2026-09-08 12:30:00") == 1


@pytest.mark.parametrize("exit_code", [1, 5, 6])
def test_no_failure_lifts_it(alice: User, at: At, exit_code: int) -> None:
    at(MORNING)
    end_runs(4)
    run = runs.begin(alice.pk, Run.Trigger.MANUAL)
    Run.objects.filter(pk=run.pk).update(status="failed", exit_code=exit_code)
    assert at("2026-09-08 12:30:00") == 0


def test_a_new_cookie_lifts_it(alice: User, at: At, time: SetClock) -> None:
    at(MORNING)
    end_runs(4)
    time.pass_by(hours=1)
    with_cookie(alice)
    assert not scheduler.credential_is_refused(alice.pk)
    assert at("2026-09-08 12:30:00") == 1


def test_a_cookie_set_while_the_old_one_was_tried_is_not_refused(alice: User, at: At, time: SetClock) -> None:
    at(MORNING)
    end_runs(4)
    time.pass_by(seconds=1)
    with_cookie(alice)
    assert not scheduler.credential_is_refused(alice.pk)


def test_one_accounts_expired_cookie_is_its_own(alice: User, bob: User, at: At) -> None:
    with_cookie(bob)
    at(MORNING)
    Run.objects.filter(archive_id=alice.pk).update(status="failed", exit_code=4, started_at=berlin(MORNING))
    Run.objects.filter(archive_id=bob.pk).update(status="ok", exit_code=0, started_at=berlin(MORNING))
    at("2026-09-08 12:30:00")
    assert (len(run_list(alice)), len(run_list(bob))) == (1, 2)


def test_another_user_agent_is_worth_another_try(alice: User, time: SetClock, at: At) -> None:
    at(MORNING)
    end_runs(exit_code=4)
    assert scheduler.credential_is_refused(alice.pk)
    time.now = berlin("2026-09-08 09:00:00")
    config.write({"user_agent": "Mozilla/5.0 (another)"}, archive_id=alice.pk, may_edit_instance=False)
    assert not scheduler.credential_is_refused(alice.pk)
    assert at("2026-09-08 12:30:30") == 1


# Accounts


def test_a_disabled_account_gets_no_run(alice: User, at: At) -> None:
    User.objects.update(status=User.DISABLED)
    assert at(MORNING) == 0
    assert (run_list(), marks(alice)) == ([], {})


def test_an_account_that_is_active_again_catches_up_what_is_not_too_late(alice: User, at: At) -> None:
    User.objects.update(status=User.DISABLED)
    at("2026-09-10 08:00:30")
    User.objects.update(status=User.ACTIVE)
    assert at("2026-09-10 09:00:00") == 1
    assert run_list() == [STARTUP]


def test_what_is_kept_of_a_deleted_account_gets_no_run(alice: User, at: At) -> None:
    with_cookie(alice)
    User.objects.filter(pk=alice.pk).delete()
    assert at(MORNING) == 0


def test_a_mark_that_cannot_be_read_stops_nobody(alice: User, bob: User, at: At) -> None:
    with_cookie(bob)
    Setting.objects.create(user_id=alice.pk, key="slot:08:00", value="yesterday", updated_at=berlin(MORNING))
    assert at(MORNING) == 2
    assert marks(alice) == {"08:00": "2026-09-08"}


def test_the_instance_itself_has_no_marks(alice: User, at: At) -> None:
    at(MORNING)
    assert not Setting.objects.filter(user_id=INSTANCE, key__startswith="slot:").exists()


# Further archives


@pytest.mark.engine
def test_each_archive_is_scheduled_the_first_ones_of_all_accounts_before_others(alice: User, bob: User, at: At) -> None:
    second = User(pk=further_archive(alice))
    for each in (second, bob):
        with_cookie(each)
    assert at(MORNING) == 3
    assert [run_list(each) for each in (alice, bob, second)] == [[SCHEDULE]] * 3
    assert list(Run.objects.order_by("pk").values_list("archive_id", flat=True)) == [alice.pk, bob.pk, second.pk]
    assert marks(second) == marks(alice)
    assert at(MORNING) == 0


def test_a_further_archive_without_a_credential_or_of_a_disabled_account_is_not_scheduled(
    alice: User, bob: User, at: At
) -> None:
    further_archive(alice)
    second = User(pk=further_archive(bob))
    with_cookie(second)
    User.objects.filter(pk=bob.pk).update(status=User.DISABLED)
    assert at(MORNING) == 1
    assert Run.objects.get().archive_id == alice.pk


def test_a_deleted_archive_is_not_scheduled(alice: User, at: At) -> None:
    second = User(pk=further_archive(alice))
    with_cookie(second)
    Archive.objects.filter(pk=second.pk).update(deleted_at=berlin(MORNING))
    assert at(MORNING) == 1
    assert run_list(second) == []


@pytest.mark.engine
def test_a_run_that_waits_for_a_further_archive_is_worked_off(alice: User, upstream: Simulator) -> None:
    second = User(pk=further_archive(alice))
    set_up(alice, upstream)
    set_up(second, upstream, account=1)
    queued(alice, second)
    assert work_off() == 2
    assert (run_list(alice), run_list(second)) == ([OK], [OK])
    assert (contents(alice), contents(second)) == (truth(upstream), truth(upstream, account=1))


def test_a_disabled_account_ends_what_waits_for_a_further_archive(alice: User) -> None:
    second = User(pk=further_archive(alice))
    queued(second)
    User.objects.update(status=User.DISABLED)
    assert work_off() == 1
    assert run_list(second) == [INTERRUPTED]
