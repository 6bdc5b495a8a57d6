"""POST /api/maintenance/<action>: the effect of each action (docs/api.md#maintenance)."""

import os
import re
import shutil
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib.storage import engine
from audit.models import Entry
from collection import maintenance_actions
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import collected
from tests.collection.maintenance_endpoint import ApiOf, ask, audited, refused
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.export.csv_file import pieces
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.models import DayGroup, DayHour, Record

# Counters expire by the clock of the test.
pytestmark = pytest.mark.usefixtures("time")


# Filling prompts


@pytest.mark.parametrize("broken", [False, True])
def test_cookie_problems_are_409_and_take_no_turn(api: ApiClient, alice: User, broken: bool) -> None:
    credential.clear(alice.pk)
    if broken:
        credential.store(alice.pk, "x")
        Setting.objects.filter(key="cookie").update(value="nonsense")
    code = "cookie_broken" if broken else "no_cookie"
    assert refused(api, "fill-prompt") == (409, code)
    assert refused(api, "fill-prompt") == (409, code)
    assert audited() == []


def test_the_interval_comes_before_the_cookie(api: ApiClient, alice: User) -> None:
    ask(api, "fill-prompt")
    credential.clear(alice.pk)
    assert refused(api, "fill-prompt") == (429, "too_frequent")


@pytest.mark.parametrize(
    ("fault", "expected"), [("expired_401_html", (401, "cookie_expired")), ("api_code", (502, "api"))]
)
def test_what_the_upstream_refuses_is_reported_as_by_a_collection(
    api: ApiClient, alice: User, upstream: Simulator, fault: str, expected: tuple[int, str]
) -> None:
    archive(alice, call(ts="2026-09-07 10:00:00"))
    upstream.faults.fail(fault)
    assert refused(api, "fill-prompt") == expected
    assert refused(api, "fill-prompt") == (429, "too_frequent"), "the upstream was asked"


def test_busy_takes_no_turn(api: ApiClient, alice: User) -> None:
    archive(alice, call(ts="2026-09-07 10:00:00"))
    token = lease.take()
    assert token
    assert refused(api, "fill-prompt") == (409, "busy")
    lease.release(token)
    assert ask(api, "fill-prompt").status_code == 200


def test_it_says_how_many_it_filled(api: ApiClient, alice: User, upstream: Simulator) -> None:
    upstream.faults.late_prompt_minutes = 60 * 24 * 31
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    filled, missing = map(int, re.findall(r"\d+", ask(api, "fill-prompt").json()["message"]))
    assert (missing, filled) == (len(upstream.rows()), sum(bool(one.prompt) for one in upstream.rows()))


def test_it_says_that_the_next_collection_reads_calls_that_it_met(
    api: ApiClient, alice: User, upstream: Simulator
) -> None:
    """`fill-prompt` changes prompts only; its message also names what it left to a collection."""
    archive(alice, call("gap", ts="2026-09-06 12:00:00"))
    message = ask(api, "fill-prompt").json()["message"]
    assert re.match(r"0 prompts filled, of 1 that were missing or cut\. .* the next collection reads them\.$", message)
    assert Record.objects.get().request_id == "gap"
    assert Entry.objects.get(action="maintenance:fill-prompt").detail == message


def test_it_says_that_none_is_missing(api: ApiClient) -> None:
    assert ask(api, "fill-prompt").json()["message"] == "No prompt of the last month is missing."


# Exports


def exports(user: User) -> list[Path]:
    folder = settings.DATA_FOLDER.exports / str(user.pk)
    return sorted(folder.iterdir()) if folder.exists() else []


def test_the_export_holds_all_own_records_and_names_the_account(api: ApiClient, alice: User, bob: User) -> None:
    archive(alice, call("mine", prompt="a question"))
    archive(bob, call("theirs"))
    message = ask(api, "export-csv").json()["message"]
    (path,) = exports(alice)
    assert "alice" in path.name
    assert message == f"Exported to {path.name}."
    assert path.read_bytes() == b"".join(pieces(alice.pk, RecordFilters(), NEWEST_FIRST))


def test_the_export_has_the_purpose_where_it_is_asked_for(api: ApiClient, alice: User) -> None:
    archive(alice, call("mine", agent_purpose="chat"))
    assert ask(api, "export-csv", columns="purpose").status_code == 200
    (path,) = exports(alice)
    assert path.read_bytes() == b"".join(pieces(alice.pk, RecordFilters(), NEWEST_FIRST, purpose=True))


def test_an_export_with_an_unknown_column_is_refused(api: ApiClient, alice: User) -> None:
    response = ask(api, "export-csv", columns="prompt")
    assert (response.status_code, response.json()["error"], exports(alice)) == (400, "bad_request", [])


def test_the_export_has_an_english_header_where_it_is_asked_for(api: ApiClient, alice: User) -> None:
    assert ask(api, "export-csv", lang="en").status_code == 200
    (path,) = exports(alice)
    assert path.read_text(encoding="utf-8-sig") == "RequestID,Credits,User Prompt,Model,Client,Time\n"


def test_an_export_in_another_language_is_refused(api: ApiClient, alice: User) -> None:
    response = ask(api, "export-csv", lang="de")
    assert (response.status_code, response.json()["error"], exports(alice)) == (400, "bad_request", [])


def test_its_file_is_the_owners_only(api: ApiClient, alice: User) -> None:
    ask(api, "export-csv")
    (path,) = exports(alice)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)


@pytest.mark.file_counters
def test_the_newest_five_are_kept(api: ApiClient, alice: User, bob: User, time: SetClock, api_of: ApiOf) -> None:
    ask(api_of(bob), "export-csv")
    names = []
    for number in range(7):
        names.append(ask(api, "export-csv").json()["message"].removeprefix("Exported to ").removesuffix("."))
        path = settings.DATA_FOLDER.exports / str(alice.pk) / names[-1]
        os.utime(path, (number, number))
        time.pass_by(seconds=15)
    assert ([path.name for path in exports(alice)], len(exports(bob))) == (names[2:], 1)


# Recounting


def test_the_own_records_are_counted(api: ApiClient, alice: User, bob: User) -> None:
    archive(alice, call("a"), call("b"))
    archive(bob, call("c"))
    assert ask(api, "recount").json()["message"] == "2 records."


def test_a_broken_sum_is_repaired_and_reported(api: ApiClient, alice: User, bob: User) -> None:
    archive(alice, call("a", credits=2))
    archive(bob, call("b"))
    DayGroup.objects.filter(archive_id=alice.pk).update(credits=1, calls=7)
    DayHour.objects.filter(archive_id=alice.pk).delete()
    DayHour.objects.filter(archive_id=bob.pk).update(calls=9)
    assert ask(api, "recount").json()["message"] == "1 records; 2 sums were wrong and are repaired."
    assert DayGroup.objects.get(archive_id=alice.pk).credits == 2_000_000
    assert DayHour.objects.get(archive_id=alice.pk).calls == 1
    assert DayHour.objects.get(archive_id=bob.pk).calls == 9, "another's"


# Compacting


@pytest.mark.usefixtures("quick_vacuum")
def test_while_a_collection_runs_the_store_is_not_compacted(root: User, api_of: ApiOf) -> None:
    token = lease.take()
    assert token
    assert refused(api_of(root), "vacuum") == (409, "busy")
    lease.release(token)
    assert ask(api_of(root), "vacuum").status_code == 200
    assert not lease.is_held()


@pytest.mark.usefixtures("quick_vacuum")
def test_the_role_comes_first_then_the_interval_then_the_lease_then_the_room(
    api: ApiClient, root: User, api_of: ApiOf, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    administrator = api_of(root)
    token = lease.take(holder="elsewhere 1 1.00")
    assert token
    assert refused(api, "vacuum") == (403, "forbidden")
    assert refused(administrator, "vacuum") == (409, "busy")
    lease.release(token)
    if engine.IS_SQLITE:
        assert refused(administrator, "vacuum") == (507, "no_space")
    else:
        # PostgreSQL copies no table, so it needs no room.
        assert ask(administrator, "vacuum").status_code == 200
    lease.take(holder="elsewhere 1 1.00")
    assert refused(administrator, "vacuum") == (429, "too_frequent")


@pytest.mark.sqlite_only
@pytest.mark.django_db(transaction=True)
def test_free_pages_are_given_back_while_others_read_and_write(root: User) -> None:
    for number in range(5):
        many = (call(f"{number}-{each}", prompt="x" * 5000) for each in range(200))
        archive(root, *many)
    Record.objects.filter(request_id__startswith="1").delete()
    Record.objects.filter(request_id__startswith="2").delete()
    store = Path(settings.DATABASES["default"]["NAME"])
    api, other = ApiClient.signed_in(root), ApiClient.signed_in(root)

    def use() -> list[int]:
        statuses = [other.get("/api/summary").status_code for _ in range(5)]
        archive(root, call("meanwhile"))
        return statuses

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = store.stat().st_size
    answer, statuses = together(lambda: ask(api, "vacuum"), use)
    assert answer.status_code == 200, answer.json()
    assert statuses == [200] * 5
    assert re.fullmatch(r"The store is compacted: [1-9]\d*\.\d MiB were freed\.", answer.json()["message"])
    assert store.stat().st_size < before * 0.8
    assert Record.objects.count() == 601
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.sqlite_only
@pytest.mark.django_db(transaction=True)
def test_the_new_store_is_not_put_together_in_memory(root: User) -> None:
    places = []

    def look(execute: Any, sql: str, *more: Any) -> Any:
        if sql == "VACUUM":
            places.append(temporary_place())
        return execute(sql, *more)

    with connection.execute_wrapper(look):
        maintenance_actions.run("vacuum", root, root.pk, {})
    assert (places, temporary_place()) == ([1], 2), "a file, and memory again"


def temporary_place() -> int:
    """SQLite's place for temporary data: 1 is a file, 2 is memory."""
    with connection.cursor() as cursor:
        return int(cursor.execute("PRAGMA temp_store").fetchone()[0])
