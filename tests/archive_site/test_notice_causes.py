"""The causes of notices to accounts and administrators, found as they happen."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts import user_changes
from accounts.actor import Actor
from accounts.credentials import credential
from accounts.delivery import outbox
from accounts.models import CookieLifetime, Notice, Setting, User
from accounts.notices import beginning_and_end
from archive_site import notice_causes, tasks
from archive_site.lib import clock, stored_message
from archive_site.lib.stored_message import Message
from archive_site.notice_causes import of_instance
from backups import automatic
from collection import nodes
from collection.models import Heartbeat, Run
from collection.runs import runs
from collection.runs.run_outcomes import ACCOUNT_FULL, API, COOKIE_EXPIRED, INTERRUPTED, OK, RunOutcome
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.coverage import ledger_writes
from usage.models import Budget, CoverageDay

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
COOKIE = "session=marker-77ab|{end}|0123abcd"
MoveTo = Callable[[datetime], None]


@pytest.fixture
def at(time: SetClock, db: None) -> MoveTo:
    def set_clock(instant: datetime) -> None:
        time.now = instant

    set_clock(NOW)
    return set_clock


def look(user: User, at: MoveTo | None = None, later: timedelta = timedelta()) -> list[tuple[str, bool]]:
    """The events in the notices of the account after a look, oldest first, each with whether it is over."""
    if at:
        at(NOW + later)
    notice_causes.look()
    notices = Notice.objects.filter(user_id=user.pk).order_by("pk")
    return [(one.event, one.ended_at is not None) for one in notices]


def test_notices_of_an_account_are_limited_per_day(alice: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning_and_end, "MOST_IN_DAY", 2)
    text = Message("notice_cookie_refused")
    causes = [beginning_and_end.Cause("budget", name, text, once=True) for name in "abc"]
    for hours, begun in ((0, 2), (23, 2), (25, 3)):
        at(NOW + timedelta(hours=hours))
        beginning_and_end.settle(alice.pk, beginning_and_end.Found(causes, {"budget"}))
        assert Notice.objects.filter(user_id=alice.pk).count() == begun


def test_events_of_webhooks_keep_no_notice_back_and_news_have_room_of_their_own(
    alice: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beginning_and_end, "MOST_IN_DAY", 1)
    for number in range(3):
        Notice.objects.create(user_id=alice.pk, event="webhook", cause=str(number), began_at=NOW, ended_at=NOW)
    text = Message("notice_cookie_refused")
    low = beginning_and_end.Cause("budget", "1 80", text, once=True)
    news = [beginning_and_end.Cause("second_factor", name, text, is_news=True) for name in "ab"]
    for causes in ([low], [low, news[0]], [low, news[1]]):
        beginning_and_end.settle(alice.pk, beginning_and_end.Found(causes, {"budget"}))
    own = Notice.objects.filter(user_id=alice.pk).exclude(event="webhook").order_by("pk")
    assert [one.event for one in own] == ["budget", "second_factor"]
    # As long as the worse state waits, the one that it continues is not over.
    high = beginning_and_end.Cause("budget", "1 100", text, once=True, continues="1 ")
    beginning_and_end.settle(alice.pk, beginning_and_end.Found([high], {"budget"}))
    assert [one.ended_at is None for one in own.filter(event="budget")] == [True]


def text_of(user: User) -> str:
    return stored_message.text_of(Notice.objects.filter(user_id=user.pk).latest("pk").stored_begin)


def run(user: User, outcome: RunOutcome) -> None:
    made = runs.begin(user.pk, Run.Trigger.SCHEDULE, clock.now(), clock.now())
    runs.finish(made, outcome, Message("internal_error", event="00aa11bb"), runs.Journal(made.pk), actor="scheduler")


def paste(user: User, days: float) -> None:
    end = int((clock.now() + timedelta(days=days)).timestamp())
    credential.store(user.pk, COOKIE.format(end=end))


def test_the_end_of_a_cookie_is_reported_two_days_before_and_its_replacement(alice: User, at: MoveTo) -> None:
    paste(alice, 3)
    assert look(alice) == []
    assert look(alice, at, timedelta(days=1)) == [("cookie_ends", False)]
    assert "The cookie ends on" in text_of(alice)
    assert look(alice, at, timedelta(days=5)) == [("cookie_ends", False)]
    paste(alice, 6)
    assert look(alice, at, timedelta(days=5, minutes=20)) == [("cookie_ends", True)]


def test_where_it_names_no_end_earlier_ones_decide(alice: User, at: MoveTo) -> None:
    start = NOW - timedelta(days=20)
    CookieLifetime.objects.create(user_id=alice.pk, cookie_hash="x", set_at=start, refused_at=start + timedelta(days=6))
    credential.store(alice.pk, "token=abcdefghijklmnop")
    assert look(alice, at, timedelta(days=3)) == []
    assert look(alice, at, timedelta(days=5)) == [("cookie_ends", False)]
    assert "6 days at least" in text_of(alice)


def test_a_refused_cookie_says_nothing_of_failed_collections(alice: User, at: MoveTo) -> None:
    paste(alice, 30)
    for hours in (1, 2):
        at(NOW + timedelta(hours=hours))
        run(alice, API)
    at(NOW + timedelta(hours=3))
    run(alice, COOKIE_EXPIRED)
    assert look(alice) == [("cookie_refused", False)]
    for hours in (4, 5):
        at(NOW + timedelta(hours=hours))
        run(alice, COOKIE_EXPIRED)
    assert look(alice) == [("cookie_refused", False)]
    at(NOW + timedelta(hours=6))
    paste(alice, 40)
    assert look(alice, at, timedelta(hours=7)) == [("cookie_refused", True)]


def test_three_failures_in_a_row_are_reported_and_the_next_good_run(alice: User, at: MoveTo) -> None:
    paste(alice, 30)
    run(alice, OK)
    run(alice, API)
    run(alice, INTERRUPTED)
    run(alice, API)
    assert look(alice) == []
    run(alice, API)
    assert look(alice) == [("collection_failed", False)]
    run(alice, API)
    assert look(alice) == [("collection_failed", False)]
    run(alice, OK)
    assert look(alice) == [("collection_failed", True)]


def test_an_account_that_is_full_is_reported(alice: User, at: MoveTo) -> None:
    for _ in range(3):
        run(alice, ACCOUNT_FULL)
    assert look(alice) == [("collection_failed", False)]


def test_failures_are_not_over_when_the_cookie_is_refused(alice: User, at: MoveTo) -> None:
    paste(alice, 30)
    for _ in range(3):
        run(alice, API)
    look(alice)
    at(NOW + timedelta(hours=1))
    run(alice, COOKIE_EXPIRED)
    assert look(alice) == [("collection_failed", False), ("cookie_refused", False)]


def test_a_broken_cookie_is_reported(alice: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch) -> None:
    paste(alice, 30)
    Setting.objects.filter(key="cookie").update(value="gAAAAA" + "x" * 60)
    assert look(alice) == [("cookie_refused", False)]
    assert "present key" in text_of(alice)


def test_days_that_may_soon_be_lost_are_reported(alice: User, at: MoveTo) -> None:
    today = clock.today()
    near, far = today - timedelta(days=28), today - timedelta(days=10)
    ledger_writes.note_count(alice.pk, far, 5, clock.now())
    for number in range(29):
        ledger_writes.note_passed(alice.pk, [today - timedelta(days=number)])
    assert look(alice) == []
    ledger_writes.note_count(alice.pk, near, 5, clock.now())
    assert look(alice, at, timedelta(minutes=20)) == [("days_short", False)]
    assert str(near) in text_of(alice)
    CoverageDay.objects.filter(archive_id=alice.pk, day=str(near)).update(upstream=0)
    assert look(alice, at, timedelta(minutes=40)) == [("days_short", True)]


def test_thresholds_of_a_budget_are_reported_and_its_end(alice: User, at: MoveTo) -> None:
    Budget.objects.create(archive_id=alice.pk, period="month", credits=10 * 10**6, thresholds="[50, 80, 100]")
    archive(alice, call("r1", ts="2026-09-08 10:00:00", credits=4))
    assert look(alice) == []
    archive(alice, call("r2", ts="2026-09-08 11:00:00", credits=2))
    assert look(alice, at, timedelta(minutes=20)) == [("budget", False)]
    assert "60 % of the 10 credits of the month are spent: 6." in text_of(alice)
    archive(alice, call("r3", ts="2026-09-08 11:30:00", credits=9))
    assert look(alice, at, timedelta(minutes=40)) == [("budget", True), ("budget", False)]
    assert "150 %" in text_of(alice)
    assert not Notice.objects.get(ended_at__isnull=False).stored_end
    assert look(alice, at, timedelta(days=25)) == [("budget", True), ("budget", True)]


def test_thresholds_of_a_budget_that_was_raised_are_reported_again(alice: User, at: MoveTo) -> None:
    budget = Budget.objects.create(archive_id=alice.pk, period="month", credits=10 * 10**6, thresholds="[80]")
    archive(alice, call("r1", ts="2026-09-08 10:00:00", credits=9))
    assert look(alice) == [("budget", False)]
    Budget.objects.filter(pk=budget.pk).update(credits=20 * 10**6)
    assert look(alice, at, timedelta(minutes=20)) == [("budget", True)]
    archive(alice, call("r2", ts="2026-09-08 11:00:00", credits=8))
    assert look(alice, at, timedelta(minutes=40)) == [("budget", True), ("budget", False)]
    assert "85 % of the 20 credits" in text_of(alice)
    Budget.objects.filter(pk=budget.pk).update(model="model-x")
    archive(alice, call("r3", ts="2026-09-08 11:30:00", credits=17, model="model-x"))
    assert look(alice, at, timedelta(minutes=60)) == [("budget", True), ("budget", True), ("budget", False)]


def test_a_spike_is_reported_once_a_day(alice: User, at: MoveTo) -> None:
    archive(alice, *[call(f"u{n}", ts=f"2026-08-{n:02} 09:00:00", credits=1) for n in range(15, 31)])
    archive(alice, call("t1", ts="2026-09-08 10:00:00", credits=30, model="model-x"))
    assert look(alice) == [("spike", False)]
    assert "model-x" in text_of(alice)
    archive(alice, call("t2", ts="2026-09-08 11:00:00", credits=30, model="model-y"))
    assert look(alice, at, timedelta(minutes=30)) == [("spike", False)]
    assert look(alice, at, timedelta(days=1)) == [("spike", True)]


def test_a_spike_that_is_collected_in_the_morning_after_is_reported(alice: User, at: MoveTo) -> None:
    archive(alice, *[call(f"u{n}", ts=f"2026-08-{n:02} 09:00:00", credits=1) for n in range(15, 31)])
    assert look(alice) == []
    archive(alice, call("t1", ts="2026-09-08 23:55:00", credits=30, model=""))
    assert look(alice, at, timedelta(hours=20)) == [("spike", False)]
    assert "30 credits were spent on 2026-09-08" in text_of(alice)
    assert "Most of them by –;" in text_of(alice)
    assert look(alice, at, timedelta(hours=21)) == [("spike", True)]
    assert look(alice, at, timedelta(hours=22)) == [("spike", True)]


def test_no_notice_has_a_prompt(alice: User, at: MoveTo) -> None:
    archive(alice, *[call(f"u{n}", ts=f"2026-08-{n:02} 09:00:00", credits=1) for n in range(15, 31)])
    archive(alice, call("t1", ts="2026-09-08 10:00:00", credits=30, prompt="marker-prompt"))
    look(alice)
    assert "marker-prompt" not in str(list(Notice.objects.values()))


def test_a_failed_backup_is_reported_to_administrators_alone(alice: User, root: User, at: MoveTo) -> None:
    automatic.remember_failure(NOW)
    assert look(alice) == []
    assert look(root) == [("backup_failed", False)]
    automatic.remember(NOW + timedelta(minutes=5))
    assert look(root, at, timedelta(minutes=20)) == [("backup_failed", True)]


def test_a_full_disk_is_reported(root: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch) -> None:
    gib = 1024**3

    class Usage:
        total = 100 * gib
        free = 4 * gib

    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage)
    assert look(root) == [("disk_low", False)]
    Usage.free = round(5.5 * gib)
    assert look(root, at, timedelta(minutes=20)) == [("disk_low", False)]
    Usage.free = 7 * gib
    assert look(root, at, timedelta(minutes=40)) == [("disk_low", True)]


@pytest.mark.engine
def test_who_is_no_administrator_any_more_has_no_open_notice_of_the_instance(
    root: User, alice: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk=alice.pk).update(is_admin=True)
    monkeypatch.setattr(of_instance, "_disk", lambda: (True, 10**9))
    assert look(alice) == [("disk_low", False)]
    user_changes.update(alice.pk, {"is_admin": "0"}, Actor("root", root.pk))
    assert look(alice, at, timedelta(minutes=20)) == [("disk_low", True)]
    assert not Notice.objects.get(user_id=alice.pk).stored_end


@pytest.mark.engine
def test_the_disks_of_two_nodes_are_distinguished(root: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["node-1", "node-2"]
    monkeypatch.setattr(nodes, "known", lambda: [nodes.Node(name, clock.now()) for name in names])

    def look_of(node: str, minutes: int, *, is_low: bool) -> list[tuple[str, bool]]:
        monkeypatch.setattr(settings, "NODE", node)
        monkeypatch.setattr(of_instance, "_disk", lambda: (is_low, 10**9))
        return look(root, at, timedelta(minutes=minutes))

    assert look_of("node-1", 0, is_low=True) == [("disk_low", False)]
    assert "of the node node-1" in text_of(root)
    assert look_of("node-2", 20, is_low=False) == [("disk_low", False)]
    assert look_of("node-2", 40, is_low=True) == [("disk_low", False), ("disk_low", False)]
    assert look_of("node-1", 60, is_low=False) == [("disk_low", True), ("disk_low", False)]
    names.remove("node-2")
    assert look_of("node-1", 80, is_low=False) == [("disk_low", True), ("disk_low", True)]


@pytest.mark.engine
def test_a_silence_of_the_workers_is_reported_afterwards(
    root: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    Heartbeat.objects.create(name="scheduler", at=NOW - timedelta(minutes=2))
    of_instance.note_silence(NOW)
    assert look(root) == []
    at(NOW + timedelta(hours=2))
    of_instance.note_silence(clock.now())
    assert look(root) == [("scheduler_silent", False)]
    assert look(root, at, timedelta(hours=2, minutes=20)) == [("scheduler_silent", True)]
    assert look(root, at, timedelta(hours=2, minutes=40)) == [("scheduler_silent", True)]


def test_a_store_of_another_version_is_reported(root: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_instance, "is_behind", lambda: True)
    assert look(root) == [("version_newer", False)]


def test_only_accounts_that_are_due_are_looked_at(
    alice: User, bob: User, at: MoveTo, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    look(alice)
    with django_assert_num_queries(1):
        notice_causes.look()
    at(NOW + timedelta(minutes=16))
    with django_assert_max_num_queries(47) as asked:
        notice_causes.look()
    assert len(asked.captured_queries) > 2


def test_a_disabled_account_is_not_looked_at(alice: User, at: MoveTo) -> None:
    paste(alice, 1)
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    assert look(alice) == []


def test_the_task_looks_and_sends(alice: User, at: MoveTo, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(outbox, "send_due", lambda: sent.append(1))
    paste(alice, 1)
    tasks.notify()
    assert (Notice.objects.count(), sent) == (1, [1])
