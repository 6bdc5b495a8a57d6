"""GET /metrics: what it says of accounts, runs, the queue, the store and backups (docs/metrics.md)."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError
from django_q.models import OrmQ

from accounts.credentials import credential
from accounts.models import Delivery, Notice, Setting, User
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.metrics import page
from collection import watermark
from collection.models import Heartbeat, Run
from collection.runs import runs
from collection.runs.run_outcomes import API, COOKIE_EXPIRED
from collection.runs.run_start import HEARTBEAT
from tests.archive_site.metrics_page import TOKEN, Scraper, ended_run
from tests.factories import PASSWORD
from tests.standing_clock import SetClock
from tests.tokens import make_token
from tests.usage.record_factories import archive, call, on
from usage.coverage import ledger_writes
from usage.coverage.ledger_writes import DayReading
from usage.models import CoverageDay, Reach

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)  # 12:00 in Berlin
END = datetime(2026, 9, 20, tzinfo=UTC)
COOKIE = f"session=1|{int(END.timestamp())}|marker-7f3a; other=marker-7f3a"


@pytest.fixture(autouse=True)
def noon(time: SetClock) -> None:
    time.now = NOON


def of(user: User) -> dict[str, str]:
    return {"account": str(user.pk)}


# Accounts.


def test_accounts_are_counted_by_state(alice: User, bob: User, root: User, scraper: Scraper) -> None:
    User.objects.filter(pk=bob.pk).update(status=User.DISABLED)
    found = scraper.read()
    assert [found.value("accounts", state=state) for state in ("active", "disabled")] == [2, 1]


def test_a_new_account_has_nothing(alice: User, scraper: Scraper) -> None:
    found = scraper.read()
    assert [found.value(name, **of(alice)) for name in ("records", "days_not_settled")] == [0, 0]
    assert [found.value(name, **of(alice)) for name in ("lag_seconds", "last_success_timestamp_seconds")] == [
        None,
        None,
    ]
    assert found.value("credential_state", state="none", **of(alice)) == 1


def test_records_are_counted_by_account_as_they_come(alice: User, bob: User, scraper: Scraper) -> None:
    archive(alice, call("r1"), call("r2"))
    first = scraper.read()
    archive(bob, call("r1"))
    archive(alice, on("2026-09-01", "r3"))
    second = scraper.read()
    assert [first.value("records", **of(one)) for one in (alice, bob)] == [2, 0]
    assert [second.value("records", **of(one)) for one in (alice, bob)] == [3, 1]


def test_a_disabled_account_has_no_metrics_of_its_own(alice: User, scraper: Scraper) -> None:
    archive(alice, call())
    assert scraper.read().value("records", **of(alice)) == 1
    User.objects.update(status=User.DISABLED)
    assert f'account="{alice.pk}"' not in scraper.text()


def test_days_that_are_not_settled_are_counted(alice: User, scraper: Scraper) -> None:
    read_at = clock.day_start(clock.today() - timedelta(days=1))
    days = [clock.today() - timedelta(days=number) for number in range(11)]
    ledger_writes.note_passed(alice.pk, days)
    # Yesterday was not read whole, and of the three days before the reading was not late enough.
    readings = [DayReading(day, 0, 0, is_bare=False, changed=False) for day in days[2:]]
    assert ledger_writes.note_readings(alice.pk, readings, read_at, settles=True) == 6
    assert scraper.read().value("days_not_settled", **of(alice)) == 4


def test_a_day_that_nobody_read_is_not_settled(alice: User, scraper: Scraper, time: SetClock) -> None:
    CoverageDay.objects.create(archive_id=alice.pk, day="2026-09-07", settled_at=NOON)
    assert scraper.read().value("days_not_settled", **of(alice)) == 0
    time.now = NOON + timedelta(days=2)
    assert scraper.read().value("days_not_settled", **of(alice)) == 2


def test_days_that_the_upstream_no_longer_gives_do_not_count(alice: User, scraper: Scraper) -> None:
    for day in ("2026-08-01", "2026-09-06", "2026-09-07"):
        CoverageDay.objects.create(archive_id=alice.pk, day=day)
    Reach.objects.create(archive_id=alice.pk, first_day="2026-09-06")
    assert scraper.read().value("days_not_settled", **of(alice)) == 2


def test_the_last_success_and_the_lag(alice: User, scraper: Scraper, time: SetClock) -> None:
    watermark.ensure_mark(alice.pk, NOON - timedelta(minutes=5))
    ended_run(alice)
    time.now = NOON + timedelta(hours=2)
    ended_run(alice, API)
    for kind in (Run.Kind.OLDER, Run.Kind.VERIFICATION, Run.Kind.IMPORT):
        ended_run(alice, kind=kind)
    runs.begin(alice.pk, Run.Trigger.MANUAL)
    found = scraper.read()
    assert found.value("last_success_timestamp_seconds", **of(alice)) == NOON.timestamp()
    assert found.value("lag_seconds", **of(alice)) == 2 * 3600 + 5 * 60


def test_a_run_that_came_from_a_file_is_no_success(alice: User, scraper: Scraper) -> None:
    watermark.ensure_mark(alice.pk, NOON)
    ended_run(alice)
    Run.objects.update(trigger=Run.Trigger.IMPORTED)
    assert scraper.read().value("last_success_timestamp_seconds", **of(alice)) is None


def test_a_mark_in_the_future_is_no_lag(alice: User, scraper: Scraper) -> None:
    watermark.ensure_mark(alice.pk, NOON + timedelta(hours=1))
    ended_run(alice)
    assert scraper.read().value("lag_seconds", **of(alice)) == 0


def state_of(user: User, scraper: Scraper) -> str:
    [((_, (_, state)), number)] = scraper.read().by_labels("credential_state").items()
    assert number == 1
    return state


@pytest.mark.engine
def test_the_state_of_a_credential(alice: User, scraper: Scraper, time: SetClock) -> None:
    credential.store(alice.pk, COOKIE)
    assert state_of(alice, scraper) == "ok"
    watermark.ensure_mark(alice.pk, NOON)
    time.now = NOON + timedelta(hours=1)
    ended_run(alice, COOKIE_EXPIRED)
    assert state_of(alice, scraper) == "refused"
    time.now = NOON + timedelta(hours=2)
    credential.store(alice.pk, COOKIE + "1")
    assert state_of(alice, scraper) == "ok"
    Setting.objects.filter(key="cookie").update(value="gAAAAAnot-ours")
    assert state_of(alice, scraper) == "broken"
    credential.clear(alice.pk)
    assert state_of(alice, scraper) == "none"


def test_another_key_breaks_what_was_read_before(
    alice: User, scraper: Scraper, monkeypatch: pytest.MonkeyPatch
) -> None:
    credential.store(alice.pk, COOKIE)
    assert state_of(alice, scraper) == "ok"
    monkeypatch.setattr("accounts.credentials.credential_states.key_in_force", lambda: "A" * 43 + "=")
    assert state_of(alice, scraper) == "broken"


def test_the_end_that_a_cookie_names(alice: User, bob: User, scraper: Scraper) -> None:
    credential.store(alice.pk, COOKIE)
    credential.store(bob.pk, "session=without-an-end")
    ends = scraper.read().by_labels("credential_end_timestamp_seconds")
    assert ends == {(("account", str(alice.pk)),): END.timestamp()}


# Work.


def test_runs_are_counted_by_kind_and_outcome(alice: User, bob: User, scraper: Scraper) -> None:
    for user, outcomes in ((alice, (API, API)), (bob, (COOKIE_EXPIRED,))):
        for outcome in outcomes:
            ended_run(user, outcome)
    ended_run(bob, kind=Run.Kind.VERIFICATION)
    found = {labels: number for labels, number in scraper.read().by_labels("runs_total").items() if number}
    assert found == {
        (("kind", "collection"), ("outcome", "api")): 2,
        (("kind", "collection"), ("outcome", "cookie_expired")): 1,
        (("kind", "verification"), ("outcome", "ok")): 1,
    }


def test_every_kind_and_outcome_is_there_from_the_beginning(scraper: Scraper) -> None:
    assert len(scraper.read().by_labels("runs_total")) == len(Run.Kind) * 8


def test_runs_that_have_not_ended(alice: User, bob: User, scraper: Scraper, time: SetClock) -> None:
    found = scraper.read()
    assert [found.value("runs_unfinished", state=state) for state in ("queued", "running")] == [0, 0]
    assert found.value("run_waiting_seconds") == 0
    runs.begin(alice.pk, Run.Trigger.MANUAL, queued=True)
    runs.begin(bob.pk, Run.Trigger.MANUAL)
    time.now = NOON + timedelta(seconds=90)
    runs.begin(alice.pk, Run.Trigger.MANUAL, queued=True)
    found = scraper.read()
    assert [found.value("runs_unfinished", state=state) for state in ("queued", "running")] == [2, 1]
    assert found.value("run_waiting_seconds") == 90


def test_the_queue(scraper: Scraper) -> None:
    assert [scraper.read().value(name) for name in ("queue_tasks", "queue_waiting_seconds")] == [0, 0]
    for lock in (NOON - timedelta(seconds=40), NOON - timedelta(seconds=10), NOON + timedelta(days=3650)):
        OrmQ.objects.create(key="archive", payload="", lock=lock)
    assert [scraper.read().value(name) for name in ("queue_tasks", "queue_waiting_seconds")] == [2, 40]


@pytest.mark.parametrize("seconds", [70, -3600])
def test_the_heartbeat_of_the_scheduler(seconds: int, scraper: Scraper) -> None:
    assert scraper.read().value("scheduler_heartbeat_age_seconds") is None
    Heartbeat.objects.create(name=HEARTBEAT, at=NOON - timedelta(seconds=seconds))
    assert scraper.read().value("scheduler_heartbeat_age_seconds") == abs(seconds)


@pytest.mark.postgres_only
def test_the_heartbeats_of_nodes(scraper: Scraper) -> None:
    for node, seconds in (("web-1", 5), ("web-2", 400)):
        Heartbeat.objects.create(name=f"workers of {node}", at=NOON - timedelta(seconds=seconds))
    ages = scraper.read().by_labels("workers_heartbeat_age_seconds")
    assert ages == {(("node", "web-1"),): 5, (("node", "web-2"),): 400}


def test_notices_that_wait(alice: User, scraper: Scraper) -> None:
    notice = Notice.objects.create(user_id=alice.pk, event="budget", cause="1", stored_begin="", began_at=NOON)
    for number, state in enumerate((Delivery.State.WAITING, Delivery.State.SENT, Delivery.State.WAITING)):
        Delivery.objects.create(
            notice=notice, user_id=alice.pk, part="begin", address=str(number), shown="", state=state, next_at=NOON
        )
    assert scraper.read().value("notices_waiting") == 2


# The machine.


def test_the_store_and_the_disk(scraper: Scraper) -> None:
    found, node = scraper.read(), django_settings.NODE
    assert (found.value("store_size_bytes") or 0) > 100_000
    free, size = (found.value(f"disk_{name}_bytes", node=node) for name in ("free", "size"))
    assert free is not None
    assert size is not None
    assert 0 < free <= size


def test_what_is_running(scraper: Scraper) -> None:
    name = "sqlite" if engine.IS_SQLITE else "postgresql"
    labels = {"version": django_settings.VERSION, "engine": name, "node": django_settings.NODE}
    assert scraper.read().value("build_info", **labels) == 1


# Failures and secrets.


def test_a_part_that_fails_does_not_empty_the_others(
    alice: User, scraper: Scraper, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> Any:
        raise OperationalError("the store is away")

    with monkeypatch.context() as patch, caplog.at_level(logging.INFO):
        patch.setitem(page.store_metrics.parts, "queue", fail)
        for _ in range(3):
            found = scraper.read()
    assert found.value("queue_tasks") is None
    assert found.value("collector_ok", part="queue") == 0
    assert found.value("collector_ok", part="accounts") == 1
    assert found.value("records", **of(alice)) == 0
    assert caplog.messages == ["the metrics of queue cannot be read"]
    with caplog.at_level(logging.INFO):
        assert scraper.read().value("collector_ok", part="queue") == 1
    assert caplog.messages[1:] == ["the metrics of queue can be read again"]


def test_where_the_store_is_away_the_rest_is_there(scraper: Scraper, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*values: object) -> Any:
        raise OperationalError("the store is away")

    # A process that was asked nothing yet has no times.
    scraper.client.get("/healthz")
    monkeypatch.setattr("archive_site.lib.storage.sql.connection.cursor", fail)
    found = scraper.read()
    assert found.value("collector_ok", part="accounts") == 0
    assert found.value("collector_ok", part="disk") == 1
    assert "usage_archive_http_request_duration_seconds_count" in found.names


def test_it_names_nobody_and_holds_no_secret(alice: User, root: User, scraper: Scraper) -> None:
    User.objects.filter(pk=alice.pk).update(display_name="marker-7f3a", email="marker-7f3a@example.org")
    credential.store(alice.pk, COOKIE)
    archive(alice, call("marker-7f3a", model="marker-7f3a", client="marker-7f3a", prompt="marker-7f3a"))
    _, token = make_token(alice)
    ended_run(alice, API)
    text = scraper.text()
    for secret in ("marker", "alice", "root", PASSWORD, TOKEN, token):
        assert secret not in text
