"""300 entries of an account and action in an hour, and one that counts the rest: docs/api.md#audit-actions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from archive_site.lib.locks.write_freeze import writing
from archive_site.lib.stored_message import Message
from audit.log import record
from audit.models import Entry
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
HOUR = datetime(2026, 11, 22, 14, tzinfo=UTC)


@pytest.fixture(autouse=True)
def now(time: SetClock) -> Callable[[datetime], None]:
    """Sets the clock, first to five past the hour."""

    def set_to(moment: datetime) -> None:
        time.now = moment

    set_to(HOUR + timedelta(minutes=5))
    return set_to


def write(times: int, action: str = "settings_rejected", **fields: Any) -> None:
    given: dict[str, Any] = {"actor": "ada", "user_id": 1, "ip": "192.0.2.1"}
    # One share of the freeze for all: on PostgreSQL each is a connection.
    with writing():
        for number in range(times):
            record(action, **{**given, "detail": f"number {number}", **fields})


def details(**filters: Any) -> list[str]:
    return [entry.detail for entry in Entry.objects.filter(**filters).order_by("pk")]


def test_300_are_written_as_they_are() -> None:
    write(300)
    assert details() == [f"number {number}" for number in range(300)]


@pytest.mark.thorough
def test_one_entry_counts_the_rest() -> None:
    write(712)
    assert details()[299:] == ["number 299", "and 412 more in this hour"]


def test_the_counting_entry_is_that_of_the_account_and_can_be_searched() -> None:
    write(302)
    entry = Entry.objects.latest("pk")
    assert (entry.actor, entry.user_id, entry.action, entry.ip) == ("ada", 1, "settings_rejected", "192.0.2.1")
    assert (entry.at, entry.search_text) == (HOUR + timedelta(minutes=5), "and 2 more in this hour")


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{"action": "settings"}, {"user_id": 2}, {"user_id": None}])
def test_another_action_or_account_has_its_own_count(fields: dict[str, Any]) -> None:
    write(301)
    write(2, **fields)
    assert details(**fields) == ["number 0", "number 1"]


def test_the_account_counts_whatever_its_address_and_name() -> None:
    write(300)
    write(2, ip="192.0.2.2", actor="renamed")
    assert details()[300:] == ["and 2 more in this hour"]


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{"actor": "bob"}, {"ip": "192.0.2.2"}, {"action": "register"}])
def test_entries_without_an_account_count_by_actor_action_and_address(fields: dict[str, Any]) -> None:
    write(301, "login_failed", user_id=None)
    write(1, **({"action": "login_failed", "user_id": None} | fields))
    assert details()[300:] == ["and 1 more in this hour", "number 0"]


@pytest.mark.thorough
def test_a_new_hour_begins_anew(now: Callable[[datetime], None]) -> None:
    write(305)
    now(HOUR + timedelta(hours=1))
    write(302)
    assert details()[300:302] == ["and 5 more in this hour", "number 0"]
    assert details()[600:] == ["number 299", "and 2 more in this hour"]


def test_entries_of_the_future_do_not_fill_this_hour(now: Callable[[datetime], None]) -> None:
    now(HOUR + timedelta(days=1))
    write(305)
    now(HOUR)
    write(1)
    assert details()[-1] == "number 0"


def test_a_change_that_is_undone_is_not_counted() -> None:
    write(301)

    def undone() -> None:
        with transaction.atomic():
            write(1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        undone()
    assert details()[300:] == ["and 1 more in this hour"]


def test_refused_settings_fill_no_more_than_their_hour(alice: User, api_of: ApiOf) -> None:
    write(299, user_id=alice.pk)
    visitor = api_of(alice)
    assert {visitor.post("/api/settings", {"timeout": 1}).status_code for _ in range(5)} == {400}
    assert Entry.objects.count() == 301
    assert visitor.get("/api/audit").json()["items"][0]["detail"] == "and 4 more in this hour"


@pytest.mark.engine
def test_the_counting_entry_speaks_chinese(alice: User, api_of: ApiOf) -> None:
    write(303, user_id=alice.pk)
    answer = api_of(alice).client.get("/api/audit", headers={"Accept-Language": "zh-hans"}).json()
    assert answer["items"][0]["detail"] == "本小时内还有 3 条"


@pytest.mark.thorough
@pytest.mark.sqlite_only
@pytest.mark.parametrize("user_id", [1, None])
def test_writing_asks_one_question_that_an_index_answers(user_id: int | None) -> None:
    write(302, user_id=user_id, actor="bob")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        write(1, user_id=user_id)
    reads = [query["sql"] for query in asked if query["sql"].startswith("SELECT")]
    assert len(reads) == (1 if user_id is None else 2)
    with connection.cursor() as cursor:
        plans = [row[3] for read in reads for row in cursor.execute(f"EXPLAIN QUERY PLAN {read}").fetchall()]
    index = "audit_without_account" if user_id is None else "audit_by_user_action"
    assert [f"USING INDEX {index} (" in plan for plan in plans] == [True] * len(reads), plans


@pytest.mark.django_db(transaction=True)
def test_parallel_writes_are_counted_exactly() -> None:
    write(290)
    together(*repeat(lambda: write(10), 4))
    assert details()[300:] == ["and 30 more in this hour"]


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_an_entry_outside_of_a_transaction_is_counted_as_well() -> None:
    write(302, detail=Message("nothing_changed"))
    assert details()[300:] == ["and 2 more in this hour"]
