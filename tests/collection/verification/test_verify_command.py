"""`manage.py verify`: each kind of difference, the sums, the exit codes, and that nothing is written."""

from datetime import date, timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.store_identity import open_store
from collection.models import AccountOfArchive
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import manage_here
from tests.collection.collector_run import call_at, collected, confirm, contents, days_of, set_up, truth
from tests.collection.scheduling import berlin
from tests.collection.simulator_client import simulator_at
from tests.standing_clock import SetClock
from usage.models import Record

pytestmark = pytest.mark.landing
EQUAL, DIFFERENT, NOT_COMPARED = 0, 1, 2
SUMS = ("day_calls", "day_credits")


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with all calls of the last month."""
    set_up(alice, upstream)
    collected(alice)
    return alice


def verify(*options: str) -> tuple[int, list[list[str]], str]:
    """Exit code, the lines that are no sums, and the last line."""
    done = manage_here("verify", "alice", *options)
    *lines, last = done.stdout.splitlines() or [""]
    fields = [line.split("\t") for line in lines]
    assert all(len(line) == 5 for line in fields), done
    return done.returncode, [line for line in fields if line[0] not in SUMS], last


def change(request_id: str, **fields: object) -> None:
    assert Record.objects.filter(request_id=request_id).update(**fields)


def move(request_id: str, ts: str) -> None:
    change(request_id, ts=ts, day=ts[:10], hour=int(ts[11:13]))


def refused(*arguments: str) -> str:
    """The one line of a verification that could not be made."""
    done = manage_here("verify", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (NOT_COMPARED, "", 1), done
    return done.stderr.strip()


# Equal


def test_an_archive_that_equals_the_upstream_exits_with_0(alice: User, upstream: Simulator) -> None:
    calls = days_of(truth(upstream), "2026-08-08", "2026-09-06")
    credits = sum(micro for micro, _ in calls.values()) / 1_000_000
    code, differences, last = verify()
    assert (code, differences) == (EQUAL, [])
    assert last == (
        f"The archive equals CodeBuddy's list from 2026-08-08 to 2026-09-06: {len(calls)} calls, {credits} credits."
    )


def test_the_sums_of_each_day_are_those_of_both_sides(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "late", credits="0.000001"))
    done = manage_here("verify", "alice", "--from", "2026-09-05", "--to", "2026-09-05")
    day = days_of(contents(alice), "2026-09-05", "2026-09-05")
    credits = sum(micro for micro, _ in day.values())
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert ["day_calls", "-", "2026-09-05", str(len(day)), str(len(day) + 1)] in lines
    (sums,) = [line for line in lines if line[0] == "day_credits"]
    assert [round(float(value) * 1_000_000) for value in sums[3:]] == [credits, credits + 1]


def test_only_the_days_that_are_asked_for_are_read(alice: User, upstream: Simulator) -> None:
    before = upstream.request_count
    assert verify("--from", "2026-09-02", "--to", "2026-09-03")[0] == EQUAL
    asked = {request.body["startTime"] for request in upstream.requests_seen[before:] if request.body}
    assert asked == {"2026-09-02 06:00:00"}


def test_today_is_compared_only_where_it_is_asked_for(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-07 12:00"), "of today"))
    assert verify()[0] == EQUAL
    assert verify("--to", "2026-09-07")[1] == [["missing_here", "of today", "2026-09-07 12:00:00", "-", "1.0"]]
    assert verify("--from", "2026-09-07", "--to", "2030-01-01")[0] == DIFFERENT


def test_prompts_are_not_compared(alice: User, upstream: Simulator) -> None:
    upstream.faults.bare_share = 1.0
    assert verify()[0] == EQUAL


@pytest.mark.thorough
def test_a_capped_window_is_compared_in_halves(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.add(0, *[call_at(berlin("2026-09-05 12:00") + timedelta(seconds=n), f"c{n}") for n in range(1500)])
    upstream.faults.window_cap = 1000
    collected(alice)
    assert verify()[:2] == (EQUAL, [])


def test_pages_that_slide_while_they_are_read_are_no_difference(alice: User, upstream: Simulator) -> None:
    upstream.faults.growing = 1
    code, differences, _ = verify("--from", "2026-09-01", "--to", "2026-09-06")
    assert (code, differences) == (EQUAL, [])


@pytest.mark.thorough
def test_a_week_with_a_repeated_hour_is_equal(alice: User, time: SetClock) -> None:
    time.now = berlin("2026-10-28 12:00")
    with simulator_at(days=10, per_day=40, now=time.now) as upstream:
        set_up(alice, upstream)
        AccountOfArchive.objects.all().delete()
        confirm(alice)
        upstream.add(0, *(call_at(berlin("2026-10-25 02:30", fold), f"fold {fold}") for fold in (0, 1)))
        collected(alice)
        assert verify("--from", "2026-10-19")[:2] == (EQUAL, [])


# Differences


def test_a_late_row_is_missing_here(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "late", credits="0.5"))
    code, differences, last = verify()
    assert (code, differences) == (DIFFERENT, [["missing_here", "late", "2026-09-05 12:00:00", "-", "0.5"]])
    assert last == "The archive differs from CodeBuddy's list from 2026-08-08 to 2026-09-06: 1 call missing here."


def test_a_row_that_the_upstream_no_longer_has_is_missing_there(alice: User, upstream: Simulator) -> None:
    gone = upstream.rows()[30].request_id
    upstream.remove(0, gone)
    code, differences, last = verify()
    assert (code, [line[:2] for line in differences]) == (DIFFERENT, [["missing_there", gone]])
    assert last.endswith(": 1 call missing at CodeBuddy.")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("credits", {"credits": 1_000_001}),
        ("model", {"model": "another"}),
        ("client", {"client": "another"}),
        ("time", {"ts": "2026-09-05 12:00:01"}),
    ],
)
def test_each_other_value_is_a_difference(
    alice: User, upstream: Simulator, kind: str, fields: dict[str, object]
) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "one", client="x", model="y"))
    collected(alice)
    change("one", **fields)
    shown = {
        "credits": ("1.000001", "1.0"),
        "model": ("another", "y"),
        "client": ("another", "x"),
        "time": ("2026-09-05 12:00:01", "2026-09-05 12:00:00"),
    }
    code, differences, _ = verify()
    assert (code, [(line[0], line[1], *line[3:]) for line in differences]) == (DIFFERENT, [(kind, "one", *shown[kind])])


def test_several_other_values_of_a_call_are_a_line_each(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "one"))
    collected(alice)
    change("one", credits=5, model="", client="another")
    assert [line[0] for line in verify()[1]] == ["credits", "model", "client"]


@pytest.mark.thorough
@pytest.mark.parametrize("here", ["2026-08-10 12:00:00", "2026-09-06 12:00:00", "2025-01-01 12:00:00"])
def test_a_time_in_another_window_is_one_difference(alice: User, upstream: Simulator, here: str) -> None:
    upstream.add(0, call_at(berlin("2026-08-30 12:00"), "moved"))
    collected(alice, date(2026, 8, 30), date(2026, 8, 30))
    move("moved", here)
    assert verify()[1] == [["time", "moved", here, here, "2026-08-30 12:00:00"]]


def test_rows_that_cannot_be_read_are_a_difference(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.fail("huge_credit")
    code, differences, _ = verify("--from", "2026-09-05", "--to", "2026-09-05")
    assert code == DIFFERENT
    assert "unreadable" in {line[0] for line in differences}


def test_days_whose_rows_and_count_do_not_agree_are_a_difference(alice: User, upstream: Simulator) -> None:
    moment = berlin("2026-09-05 12:00")
    upstream.add(0, call_at(moment, "twice", credits=2), call_at(moment, "twice", credits=3))
    collected(alice)
    code, differences, last = verify("--from", "2026-09-05", "--to", "2026-09-05")
    calls = len(days_of(truth(upstream), "2026-09-05", "2026-09-05"))
    assert (code, differences) == (DIFFERENT, [["unconfirmed", "-", "2026-09-05", str(calls), str(calls + 1)]])
    assert last.endswith("1 window whose calls and count do not agree at CodeBuddy.")


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("prices", [(2, 3), (3, 2)])
def test_of_two_prices_on_two_pages_that_counts_which_is_stored(
    alice: User, upstream: Simulator, prices: tuple[int, int]
) -> None:
    set_up(alice, upstream, page_size=20)
    moment = berlin("2026-09-05 12:00")
    upstream.add(0, *(call_at(moment + timedelta(minutes=number), f"between-{number}") for number in range(30)))
    for price, minute in zip(prices, (-1, 31), strict=True):
        upstream.add(0, call_at(moment + timedelta(minutes=minute), "twice", credits=price, model="m"))
    collected(alice)
    _, differences, _ = verify("--from", "2026-09-05", "--to", "2026-09-05")
    assert [line[0] for line in differences] == ["unconfirmed"]


def test_days_without_a_count_are_a_difference_and_prove_no_call_missing(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("null_data")
    code, differences, _ = verify("--from", "2026-09-05", "--to", "2026-09-05")
    assert (code, differences) == (DIFFERENT, [["unconfirmed", "-", "2026-09-05", "0", "-"]])


def test_values_cannot_break_a_line_or_change_the_terminal(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "one", model="glm"))
    collected(alice)
    change("one", model="a\tb\nc\x1b[31m")
    assert verify()[1][0][3] == "a\\tb\\nc\\x1b[31m"


def test_the_calls_of_another_account_are_not_compared(alice: User, bob: User, upstream: Simulator) -> None:
    shared = upstream.rows()[30].request_id
    Record.objects.filter(request_id=shared).update(archive_id=bob.pk)
    assert [line[:2] for line in verify()[1]] == [["missing_here", shared]]


# What is written


def everything() -> list[object]:
    with connection.cursor() as cursor:
        tables = [name for name in connection.introspection.django_table_names() if name != "collection_lease"]
        return [cursor.execute(f"SELECT * FROM {table}").fetchall() for table in tables]  # noqa: S608


@pytest.mark.engine
def test_nothing_is_written(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "late"))
    upstream.remove(0, upstream.rows()[30].request_id)
    open_store()
    before = everything()
    assert verify()[0] == DIFFERENT
    assert everything() == before
    assert not lease.is_held()


# What cannot be compared


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nobody"], "There is no account nobody."),
        (["alice", "--from", "soon"], "'from' is not a date (YYYY-MM-DD)."),
        (["alice", "--from", "2026-01-02", "--to", "2026-01-01"], "'from' is later than 'to'."),
        (["alice", "--from", "1969-12-31"], "'from' is before 1970."),
        (["alice", "--from", "2026-09-08"], "'from' is in the future."),
        (["alice", "--to", "2026-08-01"], "'to' is before 2026-08-08, the first day to verify."),
        (["root"], "There is nothing to verify yet: collect first."),
        (["root", "--from", "2026-09-01"], "No cookie is set for this account: paste one in the settings."),
    ],
)
def test_what_prevents_asking_exits_with_2(
    alice: User, root: User, upstream: Simulator, arguments: list[str], line: str
) -> None:
    before = upstream.request_count
    assert refused(*arguments).endswith(line)
    assert (upstream.request_count, lease.is_held()) == (before, False)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fault", ["api_code", "expired_401_html", "total_too_large", "rows_without_id", "endless_total"]
)
def test_an_upstream_that_does_not_answer_well_exits_with_2(alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault)
    words = refused("alice")
    assert words
    assert "stored" not in words
    assert not lease.is_held()


def test_a_fault_of_this_side_exits_with_2(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collection.verification.verification.compare", None)
    assert "Something went wrong" in refused("alice")


def test_the_codes_are_in_the_help() -> None:
    assert "0 equal, 1 different, 2 could not be compared" in manage_here("verify", "--help").stdout


def test_while_a_collection_runs_it_is_busy(alice: User) -> None:
    token = lease.take_or_refuse()
    assert "already running" in refused("alice")
    lease.release(token)
    assert verify()[0] == EQUAL
