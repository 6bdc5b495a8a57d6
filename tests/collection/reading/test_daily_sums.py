"""Days that are proved by the upstream's own sums of days (docs/upstream.md#daily-sums)."""

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts.config import MEGABYTE
from accounts.models import User
from collection.models import Run
from collection.reading import bill_readings
from collection.sources.codebuddy.simulator.answers import json_reply
from collection.sources.codebuddy.simulator.daily_sums import ROUTE, DailySums
from collection.sources.codebuddy.simulator.faults import WHOLE_ANSWERS
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.simulator_server import Reply
from tests.collection.collector_run import call_at, collected, set_up
from tests.collection.simulator_client import NOW, simulator_at
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from tests.usage.retention.kept_archives import keep
from usage import stored_size
from usage.models import BillDay, BillRead, DayProof
from usage.proofs import stored_bills
from usage.proofs.stored_bills import AGREED

pytestmark = pytest.mark.landing
SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, page_size=200)
    return alice


def states(alice: User) -> dict[str, str]:
    answer = ApiClient.signed_in(alice).get("/api/coverage").json()
    return {day["d"]: day["state"] for day in answer["days"]}


def collected_until_settled(alice: User, time: SetClock) -> None:
    """Runs of four days, which settle the days before them and read each bill twice."""
    for _ in range(4):
        collected(alice)
        time.pass_by(hours=26)
    collected(alice)


def asked(upstream: Simulator) -> list[Any]:
    return [seen.body for seen in upstream.requests_beside if seen.path.endswith(ROUTE)]


@pytest.mark.engine
def test_settled_days_whose_sums_agree_are_proved(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected_until_settled(alice, time)
    found = states(alice)
    assert {found[f"2026-09-0{day}"] for day in range(1, 7)} == {"proved"}
    assert found["2026-09-11"] == "checked"


def test_days_that_are_erased_while_they_are_compared_do_not_differ(
    alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    uncompared = bill_readings._uncompared

    def found(archive_id: int, bill_id: int) -> list[date]:
        days = uncompared(archive_id, bill_id)
        if days:
            keep(alice, calls_days=3)
        return days

    monkeypatch.setattr(bill_readings, "_uncompared", found)
    collected_until_settled(alice, time)
    assert not DayProof.objects.exclude(differences=AGREED).exists()


def test_one_request_asks_for_days_of_shanghai(alice: User, upstream: Simulator) -> None:
    collected(alice)
    assert asked(upstream) == [
        # From the first whole day on, and not those whose calls may change for three days.
        {"startTime": "2026-08-09 00:00:00", "endTime": "2026-09-03 23:59:59", "pageNum": 1, "pageSize": 31}
    ]


def test_a_sum_that_differs_is_named_and_proves_neither_day_that_it_touches(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.daily_sums[0].wrong = {date(2026, 9, 3): Decimal("0.05")}
    collected_until_settled(alice, time)
    found = states(alice)
    # The day of Shanghai begins at 18:00 of the day before in Berlin.
    assert [found[f"2026-09-0{day}"] for day in (1, 2, 3, 4)] == ["proved", "settled", "settled", "proved"]
    days = {day["d"]: day for day in ApiClient.signed_in(alice).get("/api/coverage").json()["days"]}
    [differing] = [proof for proof in days["2026-09-03"]["proofs"] if proof["differences"]]
    assert (differing["day"], differing["state"]) == ("2026-09-03", "differs")


def test_sums_agree_to_two_decimals(alice: User, upstream: Simulator, time: SetClock) -> None:
    upstream.add(0, call_at(datetime(2026, 9, 3, 12, tzinfo=SHANGHAI), "thirds", credits="0.333333"))
    collected_until_settled(alice, time)
    assert states(alice)["2026-09-03"] == "proved"


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize("fault", ["reset", *sorted(WHOLE_ANSWERS)])
def test_a_refusal_leaves_days_as_they_are(alice: User, upstream: Simulator, time: SetClock, fault: str) -> None:
    upstream.faults_beside.fail(fault)
    collected_until_settled(alice, time)
    assert states(alice)["2026-09-03"] == "settled"
    assert not Run.objects.exclude(status=Run.Status.OK).exists()
    assert "proved" not in ApiClient.signed_in(alice).get("/api/coverage").json()["counts"]


def test_without_the_header_of_an_enterprise_some_accounts_get_none(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.daily_sums[0].needs_enterprise = True
    collected(alice)
    assert not BillRead.objects.filter(is_complete=True).exists()


@pytest.mark.parametrize(("fault", "came_before", "questions"), [
    ("bad_params", False, 1), ("api_code", False, 1), ("bad_params", True, 3), ("broken_json", False, 3),
])  # fmt: skip
def test_after_a_refusal_other_days_are_asked_for_only_where_sums_came_before(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, fault: str, came_before: bool, questions: int
) -> None:
    monkeypatch.setattr(stored_bills, "MOST_DAYS", 5)
    if came_before:
        collected(alice)
    before = len(asked(upstream))
    upstream.faults_beside.fail(fault)
    collected(alice)
    assert len(asked(upstream)) - before == questions


@pytest.mark.engine
def test_where_the_account_has_no_room_for_them_the_run_goes_on(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, packages=0)
    collected(alice)
    room = MEGABYTE - 1000 - stored_size.of_account(alice.pk).used
    archive(alice, call("large", ts="2026-08-20 12:00:00", prompt="x" * room), max_prompt=MEGABYTE)
    set_up(alice, upstream, packages=1, max_account_megabytes=1)
    run = collected(alice).run
    assert (run.status, BillDay.objects.exists()) == (Run.Status.OK, False)
    assert "The daily sums of CodeBuddy could not be read: The account is full" in run.detail
    assert len(ApiClient.signed_in(alice).get("/api/packages").json()["items"]) == 3


def test_a_day_that_does_not_come_stays_as_it_is(alice: User, upstream: Simulator, time: SetClock) -> None:
    upstream.daily_sums[0].left_out = {date(2026, 9, 3)}
    collected_until_settled(alice, time)
    found = states(alice)
    assert [found[f"2026-09-0{day}"] for day in (1, 3, 4)] == ["proved", "settled", "proved"]


def test_a_call_that_changes_takes_the_proof(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected_until_settled(alice, time)
    upstream.add(0, call_at(datetime(2026, 9, 3, 12, tzinfo=SHANGHAI), "late", credits=2))
    collected(alice, date(2026, 9, 3), date(2026, 9, 3))
    assert DayProof.objects.get(day="2026-09-03").differences != AGREED
    time.pass_by(hours=25)
    collected_until_settled(alice, time)
    assert states(alice)["2026-09-03"] == "proved"


def test_where_the_instance_does_not_want_packages_no_sum_is_asked_for(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, packages=0)
    collected(alice)
    assert upstream.requests_beside == []


def test_days_that_touch_a_repeated_hour_are_never_proved(alice: User, time: SetClock) -> None:
    """Berlin's clock is set back on 2026-10-25."""
    time.now = datetime(2026, 10, 28, 12, tzinfo=SHANGHAI)
    with simulator_at(days=8, now=time.now) as late:
        late.now = lambda: time.now
        set_up(alice, late)
        collected_until_settled(alice, time)
        found = states(alice)
        proved = [day for day in sorted(found) if found[day] == "proved"]
        assert {"2026-10-25", "2026-10-24"} & set(proved) == set()
        assert {"2026-10-22", "2026-10-23", "2026-10-26"} <= set(proved)
        assert not DayProof.objects.filter(day="2026-10-25").exists()
        assert time.now - timedelta(days=30) > NOW


def test_a_number_without_end_costs_its_answer_alone(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    row = b'{"date":"2026-09-01","credit":"' + b"9" * 1_100_000 + b'"}'
    body = b'{"code":0,"data":{"total":1,"data":[' + row + b"]}}"
    monkeypatch.setattr(DailySums, "answer", lambda *_: Reply(200, body))
    assert collected(alice).run.status == Run.Status.OK
    assert not BillRead.objects.filter(is_complete=True).exists()


def test_two_hundredths_more_are_no_rounding(alice: User, upstream: Simulator, time: SetClock) -> None:
    upstream.daily_sums[0].wrong = {date(2026, 9, 3): Decimal("0.02")}
    collected_until_settled(alice, time)
    assert (states(alice)["2026-09-03"], states(alice)["2026-09-05"]) == ("settled", "proved")


@pytest.mark.parametrize(
    "row", [{"date": "2026-09-03", "credit": "-"}, ["2026-09-03"], {"date": "2026-09-05", "credit": 1}]
)
def test_a_row_that_cannot_be_read_costs_its_day_alone(
    alice: User, upstream: Simulator, time: SetClock, monkeypatch: pytest.MonkeyPatch, row: Any
) -> None:
    answered = DailySums.answer

    def answer(*asked: Any) -> Reply:
        found = json.loads(answered(*asked).body)
        rows = [one for one in found["data"]["data"] if one["date"] != "2026-09-03"]
        found["data"] = {"total": len(rows) + 1, "data": [*rows, row]}
        return json_reply(200, found)

    monkeypatch.setattr(DailySums, "answer", answer)
    collected_until_settled(alice, time)
    lost = "2026-09-05" if isinstance(row, dict) and row["credit"] == 1 else "2026-09-03"
    found = states(alice)
    assert (found[lost], found["2026-09-06"]) == ("settled", "proved")
