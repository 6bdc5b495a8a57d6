"""Each end of a run that may change the archive is one event for webhooks: docs/webhooks.md#events."""

import json
import signal
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.credentials import credential
from accounts.models import Delivery, Notice, User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit import log
from collection.models import Lease, Run
from collection.runs import lease, run_stop, runs
from collection.runs.run_outcomes import API, COOKIE_EXPIRED, INTERNAL, INTERRUPTED, OK, RunOutcome
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.accounts.webhooks.hooks import make_webhook
from tests.collection.collector_run import collected, set_up
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance
from tests.concurrency import together

EVENTS = "SELECT stored_begin FROM accounts_notice WHERE event = 'webhook' ORDER BY id"
# Its events are put into the outbox, though nobody could send them.
UNREADABLE = """
INSERT INTO accounts_webhook (user_id, identity, sealed, shown, created_at, reason, collections, notices)
VALUES (1, 'f3a1c0de00000000000000000000cafe', '', 'https://…', '2026-01-01 00:00:00+00:00', '', TRUE, FALSE)
"""


def sent_runs(user: User) -> list[dict[str, Any]]:
    """The runs that webhooks are sent, oldest first."""
    stored = Notice.objects.filter(user_id=user.pk).order_by("pk").values_list("stored_begin", flat=True)
    return [json.loads(body)["run"] for body in stored]


def begun(user: User, **fields: Any) -> Run:
    return runs.begin(user.pk, Run.Trigger.MANUAL, clock.now(), clock.now(), **fields)


def end(run: Run, outcome: RunOutcome = OK) -> None:
    runs.finish(run, outcome, Message("process_died"), runs.Journal(run.pk), actor="alice")


@pytest.fixture
def hooked(alice: User) -> User:
    make_webhook(alice)
    return alice


def test_it_has_the_run_as_the_api_has_it(hooked: User, upstream: Simulator) -> None:
    set_up(hooked, upstream, verify_days=0)
    run = collected(hooked, date(2026, 9, 7), date(2026, 9, 7)).run
    now = datetime.fromisoformat(sent_runs(hooked)[0]["ended_at"])
    assert now == run.finished_at
    assert sent_runs(hooked) == [
        {
            "id": run.pk, "kind": "collection", "trigger": "cli", "outcome": "ok", "error": "", "cause": "collected",
            "started_at": clock.offset_text(now), "ended_at": clock.offset_text(now),
            "window": {"from": "2026-09-07T00:00:00+02:00", "to": "2026-09-07T17:59:30+02:00"},
            "counts": {"fetched": run.fetched, "added": run.fetched, "dup": 0, "conflicts": 0, "total": run.fetched},
        }
    ]  # fmt: skip
    assert run.fetched > 0


def test_no_event_holds_a_prompt_or_the_cookie(hooked: User, upstream: Simulator) -> None:
    set_up(hooked, upstream)
    collected(hooked)
    (body,) = Notice.objects.values_list("stored_begin", flat=True)
    assert credential.reveal(hooked.pk) not in body
    assert not [row for row in upstream.rows() if row.model in body or (row.prompt and row.prompt in body)]


@pytest.mark.parametrize(
    ("outcome", "named", "error"),
    [(OK, "ok", ""), (API, "failed", "api"), (COOKIE_EXPIRED, "failed", "cookie_expired"),
     (INTERNAL, "failed", "internal"), (INTERRUPTED, "interrupted", "interrupted")],
)  # fmt: skip
def test_each_outcome_is_reported_with_its_code(outcome: RunOutcome, named: str, error: str, hooked: User) -> None:
    end(begun(hooked), outcome)
    ((found, code),) = [(run["outcome"], run["error"]) for run in sent_runs(hooked)]
    assert (found, code) == (named, error)


@pytest.mark.parametrize("kind", Run.Kind.values)
def test_only_what_may_change_the_archive_is_reported(kind: str, hooked: User) -> None:
    end(begun(hooked, kind=Run.Kind(kind)))
    assert [run["kind"] for run in sent_runs(hooked)] == [kind for _ in range(kind != "verification")]


@pytest.mark.engine
def test_a_run_that_was_stopped_before_it_began_has_no_start(hooked: User) -> None:
    run = begun(hooked, queued=True)
    run_stop.stop(hooked.pk, run.pk)
    ((outcome, start),) = [(one["outcome"], one["started_at"]) for one in sent_runs(hooked)]
    assert (outcome, start) == ("interrupted", None)


def test_a_run_whose_process_died_is_reported_once(hooked: User) -> None:
    run = begun(hooked)
    token = lease.take(archive_id=hooked.pk)
    lease.assign(str(token), run.pk)
    Lease.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    lease.expire()
    lease.expire()
    # Nor does it tell it again where it lives on.
    end(run)
    assert [(one["outcome"], one["cause"]) for one in sent_runs(hooked)] == [("interrupted", "process_died")]


def test_a_run_that_ended_is_not_interrupted_any_more(hooked: User) -> None:
    run = begun(hooked)
    end(run)
    with transaction.atomic():
        runs.interrupt(run, Message("process_died"))
    assert [one["outcome"] for one in sent_runs(hooked)] == ["ok"]
    assert Run.objects.get().status == Run.Status.OK


@pytest.mark.django_db(transaction=True)
def test_two_processes_that_end_a_run_report_it_once(hooked: User) -> None:
    run = begun(hooked)

    def die() -> None:
        with transaction.atomic():
            runs.interrupt(run, Message("process_died"))

    together(lambda: end(run), die, lambda: end(run, API))
    assert len(sent_runs(hooked)) == Delivery.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_death_before_the_end_is_stored_sends_nothing(hooked: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun(hooked)

    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> None:
        assert Notice.objects.exists()
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(log, "record", die)
        with pytest.raises(Killed):
            end(run)
    connection.close()
    assert (sent_runs(hooked), Run.objects.get().status) == ([], Run.Status.RUNNING)
    end(run)
    assert len(sent_runs(hooked)) == 1


def test_anothers_webhooks_are_sent_nothing(hooked: User, bob: User) -> None:
    end(begun(bob))
    assert not Notice.objects.exists()


@pytest.mark.thorough
def test_a_killed_collection_is_reported_by_the_next_one(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated, collect_max_range_days=4)
    instance.sql(UNREADABLE)
    gated.hold_at(2)
    process = instance.start("collect", "alice")
    assert gated.reached.wait(60)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    gated.release()
    assert instance.sql(EVENTS) == []
    assert instance.run("collect", "alice").returncode == 0
    events = [json.loads(body) for (body,) in instance.sql(EVENTS)]
    assert [event["run"]["outcome"] for event in events] == ["interrupted", "ok"]
    assert len({event["id"] for event in events}) == 2
