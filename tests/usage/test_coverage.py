"""GET /api/coverage: the state of each day, from the ledger and the records."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts import config
from accounts.models import INSTANCE, User
from archive_site.lib import clock
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from tests.query_counts import SESSION
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.coverage import ledger_writes
from usage.models import CoverageDay, Reach

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
DAY = "2026-09-01"


@pytest.fixture
def time(time: SetClock) -> SetClock:
    """It is 2026-09-07 17:59:30."""
    time.now = NOW
    return time


def note(user: User, day: str = DAY, **fields: Any) -> None:
    CoverageDay.objects.create(archive_id=user.pk, day=day, **fields)


def calls(user: User, number: int, day: str = DAY, **fields: Any) -> None:
    archive(user, *[call(f"{day}-{n}", ts=f"{day} 10:00:00", **{"prompt": "why", **fields}) for n in range(number)])


def state(api: ApiClient, day: str = DAY) -> str:
    return str(item(api, day)["state"])


def item(api: ApiClient, day: str = DAY) -> dict[str, Any]:
    [found] = api.get("/api/coverage", **{"from": day, "to": day}).json()["days"]
    return dict(found)


def test_a_day_has_its_counts_and_the_moment_of_the_last_one(alice: User, api_of: ApiOf, time: SetClock) -> None:
    calls(alice, 2, prompt="")
    note(alice, upstream=3, checked_at=time.now)
    answer = api_of(alice).get("/api/coverage", **{"from": DAY, "to": DAY}).json()
    assert answer == {
        "days": [
            {
                "d": DAY, "state": "short", "upstream": 3, "here": 2, "without_prompt": 2,
                "checked_at": "2026-09-07 17:59:30", "final": False,
            }
        ],
        "counts": {
            "open": 0, "unasked": 0, "unreachable": 0, "unconfirmed": 0, "short": 1, "surplus": 0, "stripped": 0,
            "settled": 0, "checked": 0,
        },
        "window": {"from": DAY, "to": DAY, "days": 1},
    }  # fmt: skip


def test_each_day_of_the_window_is_there_oldest_first_up_to_today(alice: User, api_of: ApiOf) -> None:
    calls(alice, 1, "2026-09-03")
    note(alice, "2026-09-02")
    answer = api_of(alice).get("/api/coverage").json()
    assert [(day["d"], day["state"]) for day in answer["days"]] == [
        ("2026-09-02", "checked"),
        ("2026-09-03", "unasked"),
        ("2026-09-04", "unasked"),
        ("2026-09-05", "unasked"),
        ("2026-09-06", "unasked"),
        ("2026-09-07", "open"),
    ]
    assert answer["window"] == {"from": "2026-09-02", "to": "2026-09-07", "days": 6}


@pytest.mark.parametrize(
    ("bounds", "days"),
    [
        ({"from": "2026-09-05"}, ["2026-09-05", "2026-09-06", "2026-09-07"]),
        ({"to": "2026-09-02"}, ["2026-09-02"]),
        ({"from": "2026-09-06", "to": "2030-01-01"}, ["2026-09-06", "2026-09-07"]),
        ({"from": "2026-09-06", "to": "2026-09-05"}, ["2026-09-05", "2026-09-06"]),
        ({"from": "2027-01-01"}, []),
    ],
)
def test_the_window_follows_the_bounds(alice: User, api_of: ApiOf, bounds: dict[str, str], days: list[str]) -> None:
    note(alice, "2026-09-02")
    assert [day["d"] for day in api_of(alice).get("/api/coverage", **bounds).json()["days"]] == days


@pytest.mark.parametrize(
    ("asked", "recorded", "bounds", "first"),
    [
        # A thousand days before the first that is known.
        (None, None, {"from": "0001-01-01", "to": "9999-12-31"}, "2023-12-12"),
        (DAY, None, {"from": "0001-01-01"}, "2023-12-06"),
        (None, DAY, {"from": "0001-01-01"}, "2023-12-06"),
        (DAY, "2020-01-01", {"from": "0001-01-01"}, "2017-04-06"),
        (DAY, "2020-01-01", {}, "2020-01-01"),
        # Before all that is known.
        (None, DAY, {"from": "0001-01-01", "to": "2001-01-01"}, "1998-04-07"),
        (None, DAY, {"to": "2001-01-01"}, "2001-01-01"),
        # No run may ask for an earlier day.
        (None, "0001-01-01", {"from": "0001-01-01"}, "1970-01-01"),
        (None, "0001-01-01", {}, "1970-01-01"),
        (None, None, {"from": "0001-01-01", "to": "1970-01-01"}, "1970-01-01"),
    ],
)
def test_a_window_begins_at_most_a_thousand_days_before_what_is_known(
    alice: User, api_of: ApiOf, asked: str | None, recorded: str | None, bounds: dict[str, str], first: str
) -> None:
    for day in filter(None, [asked]):
        note(alice, day)
    for day in filter(None, [recorded]):
        calls(alice, 1, day)
    answer = api_of(alice).get("/api/coverage", **bounds).json()
    assert answer["window"]["from"] == answer["days"][0]["d"] == first
    assert sum(answer["counts"].values()) == answer["window"]["days"] == len(answer["days"])


def test_a_window_before_1970_has_no_days(alice: User, api_of: ApiOf) -> None:
    answer = api_of(alice).get("/api/coverage", **{"from": "0001-01-01", "to": "1969-12-31"}).json()
    assert (answer["days"], answer["window"]["days"]) == ([], None)


def test_a_bound_that_is_no_date_is_refused(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get("/api/coverage", **{"from": "soon"}).status_code == 400


def test_an_archive_without_anything_has_only_today(alice: User, api_of: ApiOf) -> None:
    assert [day["state"] for day in api_of(alice).get("/api/coverage").json()["days"]] == ["open"]


@pytest.mark.parametrize(
    ("here", "fields", "expected"),
    [
        (2, {}, "checked"),
        (2, {"upstream": 2}, "checked"),
        (0, {"upstream": 0}, "checked"),
        (2, {"upstream": 3}, "short"),
        (2, {"upstream": 1}, "surplus"),
        (2, {"upstream": 2, "settled_at": date(2026, 9, 5)}, "settled"),
        (2, {"upstream": 3, "settled_at": date(2026, 9, 5)}, "short"),
    ],
)
def test_the_counts_make_the_state(
    alice: User, api_of: ApiOf, here: int, fields: dict[str, Any], expected: str
) -> None:
    if "settled_at" in fields:
        fields = {**fields, "settled_at": clock.day_start(fields["settled_at"])}
    calls(alice, here)
    note(alice, **fields)
    assert state(api_of(alice)) == expected


@pytest.mark.parametrize(
    ("without", "empty", "settled", "expected"),
    [
        # Nothing is known of the prompts: only a day without any lacks them.
        (2, None, False, "checked"),
        (3, None, False, "stripped"),
        # The upstream gave two calls with an empty prompt.
        (2, 2, False, "checked"),
        (2, 1, False, "stripped"),
        # All are empty: they may come later, until the day is settled.
        (3, 3, False, "stripped"),
        (3, 3, True, "settled"),
        (3, 2, True, "stripped"),
        (0, 0, True, "settled"),
    ],
)
def test_a_day_lacks_prompts_that_the_upstream_did_not_give_as_empty(
    alice: User, api_of: ApiOf, without: int, empty: int | None, settled: bool, expected: str
) -> None:
    archive(alice, *[call(f"r{n}", ts=f"{DAY} 10:00:00", prompt="" if n < without else "why") for n in range(3)])
    note(alice, upstream=3, empty=empty, settled_at=clock.now() if settled else None)
    assert state(api_of(alice)) == expected


def test_where_the_instance_stores_no_prompts_none_are_missing(alice: User, api_of: ApiOf) -> None:
    calls(alice, 1, prompt="")
    note(alice, upstream=1)
    api = api_of(alice)
    before = api.get("/api/coverage")
    assert state(api) == "stripped"
    assert not config.write({"max_prompt": "0"}, archive_id=INSTANCE, may_edit_instance=True).errors
    assert state(api) == "checked"
    assert api.get("/api/coverage").headers["ETag"] != before.headers["ETag"]


def test_days_before_the_upstreams_reach_are_unreachable(alice: User, api_of: ApiOf) -> None:
    for day in (DAY, "2026-09-02"):
        calls(alice, 1, day)
        note(alice, day, upstream=0)
    Reach.objects.create(archive_id=alice.pk, first_day="2026-09-02")
    api = api_of(alice)
    assert [state(api, day) for day in ("2026-08-31", DAY, "2026-09-02")] == ["unasked", "unreachable", "surplus"]


@pytest.mark.parametrize(
    ("fields", "here", "expected"),
    [
        ({"upstream": 2}, 2, ("checked", False)),
        ({"upstream": 2, "settled_at": NOW}, 2, ("settled", True)),
        ({"upstream": 3, "settled_at": NOW}, 2, ("short", False)),
        ({"upstream": 1}, 2, ("surplus", False)),
        ({"upstream": 1, "settled_at": NOW}, 2, ("surplus", True)),
    ],
)
def test_a_day_is_final_if_its_last_reading_gave_nothing_more(
    alice: User, api_of: ApiOf, fields: dict[str, Any], here: int, expected: tuple[str, bool]
) -> None:
    calls(alice, here)
    note(alice, **fields)
    found = item(api_of(alice))
    assert (found["state"], found["final"]) == expected


def test_days_before_the_upstreams_reach_are_final_whether_they_were_read_or_not(alice: User, api_of: ApiOf) -> None:
    note(alice, upstream=0)
    Reach.objects.create(archive_id=alice.pk, first_day="2026-09-02")
    api = api_of(alice)
    found = [item(api, day) for day in ("2026-08-31", DAY, "2026-09-02", "2026-09-07")]
    assert [(day["state"], day["final"]) for day in found] == [
        ("unasked", True), ("unreachable", True), ("unasked", False), ("open", False),
    ]  # fmt: skip


@pytest.mark.parametrize("settled_at", [None, NOW])
def test_a_day_that_lacks_prompts_is_final_after_the_31_days_for_which_they_are_given(
    alice: User, api_of: ApiOf, settled_at: datetime | None
) -> None:
    for day in ("2026-08-06", "2026-08-07"):
        calls(alice, 1, day, prompt="")
        note(alice, day, upstream=1, empty=0, settled_at=settled_at)
    api = api_of(alice)
    found = [item(api, day) for day in ("2026-08-06", "2026-08-07")]
    assert [(day["state"], day["final"]) for day in found] == [("stripped", True), ("stripped", False)]
    # After an adoption, calls may be missing beside the prompts.
    CoverageDay.objects.filter(archive_id=alice.pk).update(upstream=None, checked_at=None)
    assert [item(api, day)["final"] for day in ("2026-08-06", "2026-08-07")] == [False, False]


def test_it_is_not_sent_again_until_a_day_changes(alice: User, api_of: ApiOf) -> None:
    note(alice)
    api = api_of(alice)
    tag = api.get("/api/coverage").headers["ETag"]
    assert api.client.get("/api/coverage", headers={"If-None-Match": tag}).status_code == 304
    calls(alice, 1)
    assert api.client.get("/api/coverage", headers={"If-None-Match": tag}).status_code == 200


def test_nobody_sees_the_days_of_another(alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    note(alice, upstream=77)
    for user in (bob, root):
        answer = api_of(user).get("/api/coverage", user_id=alice.pk, **{"from": DAY, "to": DAY}).json()
        assert [(day["state"], day["upstream"]) for day in answer["days"]] == [("unasked", None)]


def test_it_is_not_for_visitors(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/coverage").status_code == 401


def test_ten_years_take_two_queries_more_than_a_day(
    alice: User, api_of: ApiOf, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = date(2016, 9, 1)
    ledger_writes.note_passed(alice.pk, [first + timedelta(days=number) for number in range(3600)])
    api = api_of(alice)
    # Only a long window asks where the archive begins.
    for first_asked, queries in ((DAY, 8), ("2016-09-01", 10)):
        with django_assert_num_queries(SESSION + queries):
            api.get("/api/coverage", **{"from": first_asked, "to": DAY})


def test_the_manifest_counts_the_days_of_each_state(alice: User, api_of: ApiOf) -> None:
    note(alice, "2026-09-05")
    counts = api_of(alice).get("/api/manifest").json()["coverage"]
    assert {name: number for name, number in counts.items() if number} == {"checked": 1, "unasked": 1, "open": 1}
    assert api_of(alice).get("/api/bundle").json()["manifest"]["coverage"] == counts
