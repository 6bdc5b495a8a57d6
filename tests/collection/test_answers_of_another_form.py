"""No answer outside of the form of the upstream changes a record or the ledger: docs/upstream.md#answer."""

import copy
import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts import config
from accounts.models import INSTANCE, User
from collection import watermark
from collection.models import Run
from collection.sources.codebuddy.rows import read_answer
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.exchange import Answer
from collection.sources.source import SourceFailure
from tests.collection.collector_run import call_at, collected, contents, set_up
from tests.collection.scheduling import berlin
from tests.collection.scripted_upstream import ROW, ScriptedUpstream, in_json, rows
from tests.collection.upstream_call import COOKIE, SHANGHAI
from usage.models import CoverageDay

pytestmark = pytest.mark.landing
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.just([]) | st.just([ROW]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["data", "total", "list", "rows", "totalCount", "items", "code"])


def is_count(value: object) -> bool:
    text = str(value).strip()
    return not isinstance(value, bool) and isinstance(value, int | str) and text.isascii() and text.isdigit()


def is_one_row(rows: list[Any]) -> bool:
    if len(rows) != 1 or not isinstance(rows[0], dict) or not rows[0].keys() >= {"requestId", "credit", "requestTime"}:
        return False
    found = rows[0]["requestId"]
    return not (found is None or (isinstance(found, str) and not found.strip()))


def is_of_the_form(data: Any) -> bool:
    """Whether an answer with this `data` has readable rows and a count, or neither.

    A row that has all that is needed, and cannot be read alone, is skipped.
    """
    if not isinstance(data, dict):
        return data is None
    rows = data.get("data", 0)
    has_rows = isinstance(rows, list) and (not rows or ROW in rows or is_one_row(rows))
    return is_count(data.get("total")) and (has_rows or (rows is None and int(str(data["total"])) == 0))


def is_good(answer: Any) -> bool:
    """Whether an answer has a code that may mean success, and `data` of the form of the upstream."""
    try:
        is_success = float(answer["code"]) in (0, 200)
    except (TypeError, ValueError, KeyError):
        return False
    return is_success and is_of_the_form(answer.get("data", 0))


ROWS = st.lists(st.dictionaries(st.sampled_from([*ROW, "cost", "when"]), JSON, max_size=3) | JSON, max_size=30)
OTHER_DATA = (
    JSON
    | st.dictionaries(NAMES, JSON, max_size=4)
    | st.builds(lambda rows: {"total": len(rows), "data": rows}, ROWS.filter(lambda rows: rows and ROW not in rows))
).filter(lambda data: not is_of_the_form(data))
OTHER_ANSWERS = (
    JSON
    | st.fixed_dictionaries({"code": JSON | st.sampled_from([0.5, "ok", "-0x0", True]), "data": JSON})
    | st.dictionaries(NAMES, JSON, max_size=4)
).filter(lambda answer: not is_good(answer))


GOOD = [{"code": 0, "msg": "OK", "data": {"total": len(rows), "data": rows}} for rows in ([], [ROW])]
# Each path of the form, and what may stand there instead; of a row only the names of its keys change.
PATHS: list[list[Any]] = [["code"], ["data"], ["data", "total"], ["data", "data"]]
NEEDED: list[list[Any]] = [["data", "data", 0, name] for name in ("requestId", "credit", "requestTime")]
VALUES: list[Any] = [
    *(None, True, "", "x", "1.5", -1, 0, 0.5, 1, 2, 7, 200, 201, [], [None], [[]], {}, {"a": ROW}, {"data": []}),
    *({"total": 0}, {"total": 0, "list": []}, {"data": [ROW]}),
]


def steps(good: Any) -> Iterator[Any]:
    """Each answer that differs from a good one in one place: a key is missing, renamed, or has another value."""
    for path in [*PATHS, *(NEEDED if good["data"]["data"] else [])]:
        *parents, name = path
        for value in [..., "renamed", *(VALUES if path in PATHS else [])]:
            answer = copy.deepcopy(good)
            place = answer
            for parent in parents:
                place = place[parent]
            old = place.pop(name)
            if value == "renamed":
                place["list"] = old
            elif value is not ...:
                place[name] = value
            yield answer


STEPS = [answer for good in GOOD for answer in steps(good)]
OTHER_STEPS = [answer for answer in STEPS if not is_good(answer)]


def is_read(answer: Any) -> bool:
    try:
        rows = read_answer(Answer(200, "", "", json.dumps(answer).encode()), 1, SHANGHAI, SHANGHAI, COOKIE)
    except SourceFailure:
        return False
    assert rows.is_counted == (answer["data"] is not None)
    return True


def test_an_answer_that_is_a_step_from_the_form_is_read_only_where_it_still_has_it() -> None:
    assert [answer for answer in STEPS if is_read(answer) != is_good(answer)] == []


@pytest.fixture
def archive(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, verify_days=2, page_size=1000)
    upstream.add(0, call_at(berlin("2026-09-05 10:00"), "a"))
    collected(alice, date(2026, 9, 3))
    return alice


def run_that_changes_nothing(user: User, answer: Any) -> Run:
    """The failed run of some days to which the upstream gives one answer."""

    def state() -> list[Any]:
        days = list(CoverageDay.objects.order_by("day").values())
        return [contents(user), days, watermark.mark(user.pk)]

    before = state()
    with ScriptedUpstream(in_json(answer)) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(user, date(2026, 9, 3)).run
    assert (run.status, run.exit_code, run.fetched) == (Run.Status.FAILED, 5, 0), json.dumps(answer)
    assert state() == before
    return run


@pytest.mark.django_db
@given(data=OTHER_DATA)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_answer_of_another_form_changes_neither_record_nor_ledger(data: Any, archive: User) -> None:
    run = run_that_changes_nothing(archive, {"code": 0, "msg": "OK", "data": data})
    assert "The keys that came: code, msg, data" in run.message


@pytest.mark.thorough
@pytest.mark.django_db
@given(answer=OTHER_ANSWERS | st.sampled_from(OTHER_STEPS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_answer_with_another_code_or_top_level_changes_neither_record_nor_ledger(answer: Any, archive: User) -> None:
    run_that_changes_nothing(archive, answer)


# Rows that are odd in a value or more, beside one that is not.
ODD_ROWS = st.lists(
    JSON
    | st.builds(lambda values: {**ROW, "requestId": "odd", **values}, st.dictionaries(st.sampled_from([*ROW]), JSON)),
    max_size=5,
)


@pytest.mark.django_db
@given(odd=ODD_ROWS, place=st.integers(0, 5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_row_beside_odd_ones_is_stored(odd: list[Any], place: int, archive: User) -> None:
    data = [*odd[:place], {**ROW, "requestId": "good"}, *odd[place:]]
    with ScriptedUpstream(in_json({"code": 0, "data": {"total": len(data), "data": data}})) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        collected(archive, date(2026, 9, 3))
    assert contents(archive)["good"] == (10_500_000, "2026-09-07 17:42:00"), json.dumps(data)


@pytest.mark.thorough
@pytest.mark.django_db
@given(hours=st.lists(st.integers(30, 2000), min_size=1, max_size=20, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_from_outside_of_the_window_change_no_day_of_it(hours: list[int], archive: User) -> None:
    def days() -> list[Any]:
        return list(CoverageDay.objects.order_by("day").values("day", "upstream", "checked_at", "empty", "read_at"))

    before = days()
    times = [berlin("2026-09-03 23:59") - timedelta(hours=hour) for hour in hours]
    data = [{**ROW, "requestId": f"old-{time:%m%d%H}", "requestTime": time.isoformat()} for time in times]
    with ScriptedUpstream(in_json({"code": 0, "data": {"total": len(data), "data": data}})) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(archive, date(2026, 9, 3)).run
    assert (run.status, "outside of it" in run.message, days()) == (Run.Status.OK, True, before)
    assert not CoverageDay.objects.exclude(settled_at=None).exists()


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("given", "keys"),
    [
        (["x"], "data.total, data.data"),
        ([None], "data.total, data.data"),
        ([5] * 30, "data.total, data.data"),
        ([{"requestId": "x", "cost": 1, "when": "y"}], "data.data.requestId, data.data.cost, data.data.when"),
        ([{"id": "x", "cost": 1}] * 2, "data.data.id, data.data.cost"),
        ([{**ROW, "requestTime": "soon"}] * 2, "data.data.requestTime, data.data.inputTrunc"),
    ],
    ids=["text", "null", "numbers", "renamed columns", "another name of the id", "another writing of times"],
)
def test_rows_none_of_which_can_be_read_are_no_success(archive: User, given: list[Any], keys: str) -> None:
    run = run_that_changes_nothing(archive, {"code": 0, "data": {"total": len(given), "data": given}})
    assert keys in run.message


def test_a_single_row_of_the_known_form_with_an_odd_value_costs_only_itself(archive: User) -> None:
    with ScriptedUpstream(rows({"requestTime": "soon"})) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(archive, date(2026, 9, 3)).run
    assert (run.status, "1 row could not be read and was skipped" in run.message) == (Run.Status.OK, True)
