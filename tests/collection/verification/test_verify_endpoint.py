"""POST /api/verify, the run that it queues, and GET /runs/<id>/report."""

import csv
import io
import json
import signal
from typing import Any

import pytest
from django_q.models import OrmQ

from accounts.models import User
from audit.models import Entry
from collection import erasure_and_adoption, tasks, watermark
from collection.models import Lease, Run, RunReport
from collection.runs import lease
from collection.runs.run_progress import RunProgress
from collection.schedule import scheduler
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.verification import run_report, verification
from tests.collection.collect_endpoint import interval, workers_live
from tests.collection.collector_run import call_at, collected
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance
from tests.collection.scheduling import berlin
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.coverage.missing_days import missing_days
from usage.models import Record

LATE = ["missing_here", "late", "2026-09-05 12:00:00", "", "0.5"]


@pytest.fixture
def api(api: ApiClient, alice: User, upstream: Simulator) -> ApiClient:
    """Alice with all calls of the last month, except one that came late; workers are alive."""
    collected(alice)
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "late", credits="0.5"))
    workers_live()
    return api


def asked(api: ApiClient, **body: object) -> tuple[int, str]:
    answer = api.post("/api/verify", body)
    return answer.status_code, answer.json().get("error", "")


def verified(api: ApiClient, **body: object) -> Run:
    """A verification that a worker has executed."""
    answer = api.post("/api/verify", body)
    assert answer.status_code == 202, answer.json()
    tasks.collect_run(answer.json()["run_id"])
    return Run.objects.get(pk=answer.json()["run_id"])


def report_of(api: ApiClient, run: Run) -> Any:
    return api.client.get(f"/runs/{run.pk}/report")


def lines(api: ApiClient, run: Run) -> list[list[str]]:
    text = report_of(api, run).content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


# The request


def test_it_is_202_with_the_id_of_a_run_for_the_workers(api: ApiClient, upstream: Simulator) -> None:
    before = upstream.request_count
    answer = api.post("/api/verify", {})
    run = Run.objects.latest("pk")
    assert (answer.status_code, answer.json()) == (202, {"ok": True, "run_id": run.pk})
    assert (run.kind, run.trigger, run.status) == ("verification", "manual", "queued")
    assert (lease.is_held(), upstream.request_count) == (True, before)
    assert OrmQ.objects.get().task["args"] == (run.pk,)


def test_without_workers_it_is_503(api: ApiClient, time: SetClock) -> None:
    time.pass_by(minutes=3)
    assert asked(api) == (503, "unavailable")


def test_while_a_collection_runs_it_is_busy_before_anything_else(api: ApiClient) -> None:
    verified(api)
    lease.take()
    assert asked(api, **{"from": "never"}) == (409, "busy")


@pytest.mark.file_counters
@pytest.mark.usefixtures("time")
def test_it_is_allowed_once_in_a_minute(api: ApiClient, time: SetClock) -> None:
    verified(api)
    assert asked(api, **{"from": "never"}) == (429, "too_frequent")
    time.pass_by(seconds=61)
    assert asked(api)[0] == 202


@pytest.mark.thorough
@pytest.mark.parametrize(
    "body",
    [{"from": "never"}, {"from": "2026-09-03", "to": "2026-09-02"}, {"from": "2027-01-01"}, {"to": "1969-01-01"}],
)
def test_wrong_days_are_400_and_use_up_no_interval(api: ApiClient, body: dict[str, str]) -> None:
    assert asked(api, **body) == (400, "bad_request")
    assert asked(api)[0] == 202


def test_the_interval_of_collections_does_not_count(api: ApiClient) -> None:
    interval(3600)
    assert asked(api)[0] == 202


# The run


def test_equal_days_end_it_with_verified_equal(api: ApiClient, upstream: Simulator) -> None:
    upstream.remove(0, "late")
    run = verified(api)
    assert (run.status, run.exit_code, run.cause) == ("ok", 0, "verified_equal")
    assert (run.added, run.dup, run.conflicts) == (0, run.fetched, 0)


def test_different_days_end_it_with_verified_different(api: ApiClient, alice: User) -> None:
    Record.objects.filter(pk=Record.objects.earliest("ts").pk).update(credits=7)
    run = verified(api)
    assert (run.status, run.exit_code, run.cause, run.conflicts) == ("ok", 0, "verified_different", 1)
    assert run.message == (
        "The archive differs from CodeBuddy's list from 2026-08-08 to 2026-09-06: "
        "1 call missing here, 1 call with other credits."
    )
    assert ": page 1, 20 rows of " in run.detail
    assert Entry.objects.latest("pk").action == "verify"


def test_it_stores_no_record(api: ApiClient) -> None:
    before = list(Record.objects.values_list())
    verified(api)
    assert list(Record.objects.values_list()) == before


def test_a_refused_cookie_fails_it_and_says_nothing_about_the_cookie(
    api: ApiClient, alice: User, upstream: Simulator
) -> None:
    upstream.faults.fail("expired_401_html")
    run = verified(api)
    assert (run.status, run.exit_code, run.cause) == ("failed", 4, "cookie_refused")
    assert not scheduler.credential_is_refused(alice.pk)
    assert missing_days(alice.pk, watermark.expected_through(alice.pk)) is None
    assert api.get("/api/status").json()["last_run"]["kind"] == "collection"
    assert Entry.objects.latest("pk").action == "verify_failed"
    assert report_of(api, run).status_code == 404


def test_a_stop_ends_it_after_its_page_without_a_report(
    api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = api.post("/api/verify", {}).json()["run_id"]
    before = upstream.request_count
    should_stop = RunProgress.should_stop

    def stop_at_the_second_page(progress: RunProgress) -> bool:
        if upstream.request_count == before + 2:
            Run.objects.filter(pk=run_id).update(stop_requested=True)
        return should_stop(progress)

    monkeypatch.setattr(RunProgress, "should_stop", stop_at_the_second_page)
    tasks.collect_run(run_id)
    assert upstream.request_count == before + 2
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.message) == ("interrupted", "Stopped on request before all days were compared.")
    assert (report_of(api, run).status_code, lease.is_held()) == (404, False)


def test_a_queued_one_is_stopped_at_once(api: ApiClient) -> None:
    run_id = api.post("/api/verify", {}).json()["run_id"]
    assert api.post(f"/api/runs/{run_id}/stop").status_code == 200
    assert (Run.objects.get(pk=run_id).status, lease.is_held()) == ("interrupted", False)


def test_one_that_lost_its_lease_keeps_no_report(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    compare = verification.compare

    def lose(*given: Any, **more: Any) -> None:
        compare(*given, **more)
        Lease.objects.update(token="another")

    monkeypatch.setattr("collection.verification.verification.compare", lose)
    assert verified(api).cause == "run_taken_over"
    assert not RunReport.objects.exists()


# The report


def test_the_report_lists_each_difference_and_the_sums_of_each_day(api: ApiClient) -> None:
    found = lines(api, verified(api, **{"from": "2026-09-05", "to": "2026-09-06"}))
    assert found[0] == ["kind", "request_id", "time", "here", "upstream"]
    assert found[1] == LATE
    assert [line[::2][:2] for line in found[2:]] == [
        [kind, day] for day in ("2026-09-05", "2026-09-06") for kind in ("day_calls", "day_credits")
    ]


def test_the_report_is_a_csv_file_to_download(api: ApiClient) -> None:
    run = verified(api)
    answer = report_of(api, run)
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="verification-{run.pk}.csv"'
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.content.startswith(b"\xef\xbb\xbfkind,request_id,time,here,upstream\r\n")


def test_no_cell_of_the_report_is_a_formula(api: ApiClient, alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), '=HYPERLINK("x")', model="+cmd", credits="-1.5"))
    collected(alice)
    Record.objects.filter(model="+cmd").update(model="@sum", credits=0)
    found = [line for line in lines(api, verified(api)) if "HYPERLINK" in line[1]]
    assert [line[1:2] + line[3:] for line in found] == [
        ['\'=HYPERLINK("x")', "0.0", "-1.5"],
        ['\'=HYPERLINK("x")', "'@sum", "'+cmd"],
    ]


@pytest.mark.engine
def test_a_long_report_states_how_many_differences_it_leaves_out(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_report, "MOST_DIFFERENCES", 3)
    Record.objects.update(model="another")
    found = lines(api, verified(api))
    differences = Record.objects.filter(day__lt="2026-09-07").count() + 1
    assert found[-1] == ["not_listed", "", "", str(differences - 3), ""]
    assert [line[0] for line in found[1:4]] == ["model"] * 3
    assert all(line[0].startswith("day_") for line in found[4:-1])


@pytest.mark.thorough
@pytest.mark.parametrize("run_id", ["0", "999999", "x", "-1", "9" * 30])
def test_a_report_that_does_not_exist_is_404(api: ApiClient, run_id: str) -> None:
    assert api.client.get(f"/runs/{run_id}/report").status_code == 404


def test_the_report_of_a_collection_is_404(api: ApiClient) -> None:
    assert report_of(api, Run.objects.get(kind="collection")).status_code == 404


def test_another_account_sees_neither_run_nor_report(api: ApiClient, bob: User, root: User) -> None:
    run = verified(api)
    for other in (bob, root):
        stranger = ApiClient.signed_in(other)
        assert stranger.get(f"/api/runs/{run.pk}").status_code == 404
        assert report_of(stranger, run).status_code == 404


@pytest.mark.engine
def test_the_report_is_deleted_with_the_account(api: ApiClient, alice: User) -> None:
    verified(api)
    assert list(erasure_and_adoption.erase_runs(alice.pk)) == [2]
    assert not RunReport.objects.exists()


def test_adoption_moves_the_report_with_its_run(api: ApiClient, alice: User, bob: User) -> None:
    run = verified(api)
    assert list(erasure_and_adoption.move_runs(alice.pk, bob.pk, lambda moved: None)) == [2]
    assert report_of(api, run).status_code == 404
    assert lines(ApiClient.signed_in(bob), run)[1] == LATE


# Workers of their own

ASK = """
import django
django.setup()
from accounts.models import User
from collection.models import Heartbeat
from archive_site.lib import clock
from tests.factories import ApiClient
Heartbeat.objects.update_or_create(name="scheduler", defaults={"at": clock.now()})
api = ApiClient.signed_in(User.objects.get(username="alice"))
api.client.defaults["SERVER_NAME"] = "localhost"
print(api.post("/api/verify", {}).content.decode())
"""
WORK = """
import django
django.setup()
from collection import tasks
tasks.collect_run(%d)
"""


@pytest.mark.thorough
def test_one_whose_worker_dies_is_interrupted_and_the_next_one_works(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    assert instance.run("collect", "alice").returncode == 0
    run_id = json.loads(instance.python(ASK).splitlines()[-1])["run_id"]
    gated.hold_at(2)
    worker = instance.start_python(WORK % run_id)
    assert gated.reached.wait(60)
    worker.send_signal(signal.SIGKILL)
    worker.wait(60)
    gated.release()
    assert instance.run("verify", "alice").returncode == 0
    assert instance.sql("SELECT status, exit_code FROM collection_run WHERE id = ?", run_id) == [("interrupted", 6)]
    assert instance.sql("SELECT * FROM collection_runreport") == []
