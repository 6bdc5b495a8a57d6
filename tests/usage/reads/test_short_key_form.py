"""The short form of records, apart from the readable one: docs/api.md#short-form-of-a-record."""

import json
from datetime import date
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import archive, call, plans_of, stored
from usage import record_payloads
from usage.filters import RecordFilters
from usage.models import Record
from usage.reads import short_key_form

pytestmark = pytest.mark.django_db


def newest(user: User, most: int, days: Days | None = None) -> list[dict[str, Any]]:
    pieces = short_key_form.newest_pieces(user.pk, RecordFilters(days or Days()), most)
    found: list[dict[str, Any]] = json.loads(b"".join(pieces))
    return found


def test_a_record_has_six_short_keys(alice: User) -> None:
    archive(alice, call("a", credits=0.1, model="glm", client="ide", ts="2026-09-01 08:00:00", prompt="Why?"))
    assert json.loads(short_key_form.in_order(alice.pk, [stored(alice, "a").pk])) == [
        {"id": "a", "c": 0.1, "m": "glm", "cl": "ide", "t": "2026-09-01 08:00:00", "px": "Why?"}
    ]


@pytest.mark.engine
def test_the_two_forms_share_no_key(alice: User) -> None:
    archive(alice, call("a"))
    [short] = newest(alice, 1)
    assert not set(short) & set(as_json(record_payloads.whole(stored(alice, "a"), alice.pk)))


@pytest.mark.parametrize("sign", ["x", "中", "𝄞", "\n"])
@pytest.mark.parametrize("length", [0, 1, 119, 120, 121, 5000])
def test_the_excerpt_is_the_first_120_characters(alice: User, sign: str, length: int) -> None:
    archive(alice, call("a", prompt=sign * length))
    assert [row["px"] for row in newest(alice, 9)] == [sign * min(length, 120)]


@pytest.mark.engine
def test_no_more_of_a_prompt_leaves_the_database(alice: User) -> None:
    archive(alice, call("a", prompt="x" * 5000))
    found = short_key_form._rows("WHERE user_id = %s", [alice.pk])
    assert [len(value) for row in found for value in row if str(value).startswith("xx")] == [120]


def test_records_keep_the_order_of_their_ids_and_those_gone_are_left_out(alice: User) -> None:
    archive(alice, *(call(name) for name in "abc"))
    ids = [stored(alice, name).pk for name in "cab"]
    Record.objects.filter(pk=ids[1]).delete()
    assert [row["id"] for row in json.loads(short_key_form.in_order(alice.pk, ids))] == ["c", "b"]


def test_the_newest_come_first_and_ties_go_by_id(alice: User, bob: User) -> None:
    archive(alice, call("a", ts="2026-09-01 08:00:00"), call("c"), call("b"), call("z", ts="2026-09-08 00:00:00"))
    archive(bob, call("bobs", ts="2026-09-09 00:00:00"))
    assert [row["id"] for row in newest(alice, 3)] == ["z", "c", "b"]


def test_only_the_days_asked_for(alice: User) -> None:
    archive(
        alice,
        call("a", ts="2026-09-01 23:59:59"),
        call("b", ts="2026-09-02 00:00:00"),
        call("c", ts="2026-09-03 23:59:59"),
        call("d", ts="2026-09-04 00:00:00"),
    )
    days = Days(date(2026, 9, 2), date(2026, 9, 3))
    assert [row["id"] for row in newest(alice, 9, days)] == ["c", "b"]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("days", [Days(), Days(date(2026, 9, 1), date(2026, 9, 30))])
def test_the_newest_are_read_in_the_order_of_time_behind_the_horizon(
    alice: User, days: Days, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    archive(alice, *(call(name) for name in "abc"))
    with django_assert_num_queries(2):
        [*short_key_form.newest_pieces(alice.pk, RecordFilters(days), 2)]
    horizon, plan = plans_of(lambda: [*short_key_form.newest_pieces(alice.pk, RecordFilters(days), 2)])
    assert horizon.startswith("SEARCH usage_horizon")
    assert "SEARCH usage_record USING INDEX record_by_time" in plan
    assert "SEARCH p USING INTEGER PRIMARY KEY" in plan
    assert "SCAN" not in plan
    assert "TEMP" not in plan
