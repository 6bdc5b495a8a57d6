"""Restoring: what comes from the backup, and what the instance keeps (docs/api.md#restore-a-backup)."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection, transaction
from django_q.models import OrmQ, Schedule, Task

from accounts import credential, instance_key
from accounts.models import Captcha, Session, Store, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from audit import log
from audit.models import Entry
from backups import automatic, snapshot
from backups.restore import backup_reader, store_switch
from collection import lease
from collection.models import Heartbeat, Lease, Run
from tests.backups.backup_files import alter, made_store, pack_store
from tests.backups.filled_instance import COOKIE, backed_up, everything, live, log_of, restored, settle_in, stores, user
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient, make_user
from tests.usage.record_factories import archive, call
from usage.models import Record

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def own_key() -> Iterator[None]:
    """Restores replace the key; the other tests get theirs back."""
    kept = settings.DATA_FOLDER.instance_key.read_bytes()
    yield
    settings.DATA_FOLDER.instance_key.write_bytes(kept)


@pytest.fixture
def settled(own_key: None) -> None:
    # Ids begin at one again: restores of other tests have raised them.
    alter(live(), "UPDATE sqlite_sequence SET seq = 0")
    settle_in()


@pytest.fixture
def backup(settled: None) -> Path:
    return backed_up()


def start_afresh() -> None:
    """Another instance: another key, other accounts."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM accounts_session")
    for model in (User, Record, Run, Entry, Store):
        model._default_manager.all().delete()
    settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())


def audit() -> list[tuple[str, str, int | None]]:
    return list(Entry.objects.order_by("id").values_list("actor", "action", "user_id"))


# What comes back


def answers() -> dict[tuple[str, str], bytes]:
    paths = ["/api/bundle", "/api/records", "/api/records/a", "/api/runs", "/api/runs/1", "/api/settings",
             "/api/summary", "/api/users", "/api/manifest", "/records/export"]  # fmt: skip
    found = {}
    for name in ("root", "alice"):
        visitor = ApiClient.signed_in(user(name))
        for path in paths:
            response = visitor.get(path)
            found[name, path] = b"".join(response.streaming_content) if response.streaming else response.content
    return found


def test_a_fresh_instance_answers_as_the_old_one_did(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    before = answers()
    start_afresh()
    restored(backup)
    assert answers() == before
    assert b"how does it work?" in before["alice", "/api/records"]


def test_every_table_comes_back_but_what_is_the_present_ones(backup: Path) -> None:
    present = ("accounts_session", "accounts_store", "audit_entry", "sqlite_sequence", "sqlite_stat1")
    before = everything(but=present)
    start_afresh()
    restored(backup)
    assert everything(but=present) == before


def test_the_store_is_sound_afterwards_and_its_log_empty(backup: Path) -> None:
    restored(backup)
    connection.close()
    with closing(sqlite3.connect(live())) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert stores() == [live().resolve().name]


def test_it_is_a_file_of_its_own_which_the_old_name_leads_to(backup: Path) -> None:
    """The restored store can be copied with its folder, is owner-only, and leaves no files of the store before."""
    for _ in range(2):
        restored(backup)
        connection.close()
        file = f"store-{Store.objects.get().store_id.hex}.sqlite3"
        assert (os.readlink(live()), live().stat().st_mode & 0o777) == (file, 0o600)
        assert stores() == [file, f"{file}-shm", f"{file}-wal"]
        assert sorted(path.name for path in live().parent.glob(f"{live().name}*")) == [live().name]


def test_nothing_of_a_plain_stores_log_is_left_beside_the_link(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the folder after a death there would replay the old log into the new store."""
    seen: list[tuple[int, list[str]]] = []
    turn, follow = os.replace, store_switch.settle

    def look_before(source: Any, target: Any, **options: Any) -> None:
        if target == live():
            seen.append((log_of(live()).stat().st_size, []))
        turn(source, target, **options)

    def look_after(folder: Path) -> None:
        seen.append((0, sorted(path.name for path in live().parent.glob(f"{live().name}-*"))))
        follow(folder)

    make_user("bob")
    monkeypatch.setattr(os, "replace", look_before)
    monkeypatch.setattr(store_switch, "settle", look_after)
    restored(backup)
    monkeypatch.undo()
    assert seen == [(0, []), (0, [])]


def test_prompts_are_found_again(backup: Path) -> None:
    Record.objects.all().delete()
    restored(backup)
    found = ApiClient.signed_in(user("alice")).get("/api/records", q="does it").json()
    assert [item["request_id"] for item in found["items"]] == ["a"]


def test_passwords_are_the_archives(backup: Path) -> None:
    alice = user("alice")
    alice.set_password("something Else 9")
    alice.save()
    restored(backup)
    assert user("alice").check_password(PASSWORD)


def test_what_it_tells_names_the_backups(backup: Path) -> None:
    done = restored(backup)
    assert (done.manifest.accounts, done.manifest.records) == (2, 2)
    assert done.message.startswith(f"{backup.name} is restored: 2 accounts, 2 records.")
    assert done.pre_restore in done.message


def test_the_store_before_is_kept_and_can_be_restored(backup: Path) -> None:
    make_user("bob")
    kept = settings.DATA_FOLDER.backups / restored(backup).pre_restore
    assert backup_reader.read_manifest(kept).trigger == "pre_restore"
    assert not User.objects.filter(username="bob").exists()
    restored(kept)
    assert User.objects.filter(username="bob").exists()


def test_an_archive_of_an_older_version_is_brought_to_this_one(settled: None, tmp_path: Path) -> None:
    old = made_store(tmp_path / "old.sqlite3", _OLDER)
    alter(old, _A_RECORD)
    restored(pack_store(tmp_path / "old.zip", old))
    days = ApiClient.signed_in(user("root")).get("/api/daily").json()["days"]
    assert [(day["d"], day["c"]) for day in days] == [("2026-09-01", 2.0)]


_OLDER = (
    ("usage", "0003_search_index"),
    ("accounts", "0002_sessions_captchas_erasures"),
    ("audit", "0001_initial"),
    ("collection", "0001_initial"),
    ("admin", "0003_logentry_add_action_flag_choices"),
    ("auth", "0012_alter_user_first_name_max_length"),
    ("django_q", "0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more"),
)
_A_RECORD = """
    INSERT INTO usage_record (user_id, request_id, credits, model, client, ts, day, hour, agent_purpose,
        prompt_truncated, first_seen_at, updated_at) VALUES (1, 'r', 2000000, 'glm', 'ide', '2026-09-01 10:00:00',
        '2026-09-01', 10, '', 0, '2026-09-01 10:00:00', '2026-09-01 10:00:00');
    INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free)
        VALUES (1, '2026-09-01', 'glm', 'ide', 2000000, 1, 0);
    INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free) VALUES (1, '2026-09-01', 10, 2000000, 1, 0);
"""


@pytest.mark.parametrize("size", [512, 65536])
def test_an_archive_with_pages_of_another_size_is_restored(size: int, backup: Path, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, f"PRAGMA journal_mode=DELETE; PRAGMA page_size={size}; VACUUM")
    restored(pack_store(tmp_path / "other.zip", other))
    assert [account.username for account in User.objects.all()] == ["root"]


def test_a_store_that_was_never_served_gets_its_row(backup: Path, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, "DELETE FROM accounts_store")
    restored(pack_store(tmp_path / "other.zip", other))
    assert Store.objects.get().time_zone == "Europe/Berlin"


def test_a_smaller_store_takes_the_place_of_a_larger_one(settled: None, tmp_path: Path) -> None:
    archive(user("alice"), *[call(f"r{number}", prompt="x" * 5000) for number in range(500)])
    # Includes the content of the write-ahead log.
    before = snapshot.expected_bytes()
    restored(pack_store(tmp_path / "small.zip", made_store(tmp_path / "small.sqlite3")))
    assert (Record.objects.count(), live().stat().st_size < before) == (0, True)


# What is left behind


def test_every_session_ends(backup: Path) -> None:
    before = ApiClient.signed_in(user("alice"))
    assert before.get("/api/status").status_code == 200
    restored(backup)
    assert (before.get("/api/status").status_code, Session.objects.count()) == (401, 0)


def test_a_session_of_the_archive_is_no_key_to_it(settled: None) -> None:
    old = ApiClient.signed_in(user("root"))
    path = backed_up()
    restored(path)
    assert old.get("/api/users").status_code == 401


def test_the_queue_captchas_lease_and_first_run_of_the_past_are_gone(settled: None) -> None:
    OrmQ.objects.create(key="archive", payload="x", lock=NOW)
    Task.objects.create(id="0" * 32, name="t", func="f", started=NOW, stopped=NOW, success=True)
    Captcha.objects.create(id="c", purpose="login", answer_hash="h", expires_at=NOW + timedelta(days=9999))
    Store.objects.update(first_run_token="t" * 64)
    path = backed_up()
    Task.objects.all().delete()
    alter(live(), "UPDATE collection_lease SET token = ''")
    restored(path)
    assert [model.objects.count() for model in (OrmQ, Task, Captcha)] == [0, 0, 0]
    assert Store.objects.get().first_run_token == ""
    assert lease.take()


def test_a_lease_that_was_held_when_the_backup_was_made_is_free(settled: None) -> None:
    token = lease.take_or_refuse()
    path = backed_up()
    lease.release(token)
    restored(path)
    held = Lease.objects.get()
    assert (held.token, held.holder, held.run_id, held.expires_at) == ("", "", None, None)


@pytest.mark.parametrize("status", ["queued", "running"])
def test_runs_that_were_under_way_are_interrupted(status: str, settled: None) -> None:
    run = Run.objects.create(user_id=2, trigger="manual", status=status, created_at=NOW, stored_detail="before\n")
    path = backed_up()
    Run.objects.all().delete()
    restored(path)
    run.refresh_from_db()
    assert (run.status, run.exit_code, run.finished_at is not None) == ("interrupted", 6, True)
    # The owner of the run learns of no backup.
    assert run.message == "Interrupted. The next run completes it."
    assert run.detail.startswith("before\n20")
    assert run.message in run.detail
    assert list(Run.objects.values_list("status", flat=True)) == ["ok", "interrupted"]


def test_schedules_and_the_workers_heartbeat_stay_as_they_are(settled: None) -> None:
    Schedule.objects.create(name="old", func="old.task")
    Heartbeat.objects.create(name="scheduler", at=NOW)
    path = backed_up()
    Schedule.objects.all().delete()
    Schedule.objects.create(name="tick", func="collection.tasks.tick", next_run=NOW)
    Heartbeat.objects.update(at=NOW + timedelta(hours=1))
    before = (list(Schedule.objects.values()), list(Heartbeat.objects.values()))
    restored(path)
    assert (list(Schedule.objects.values()), list(Heartbeat.objects.values())) == before


def test_the_queues_results_stay_as_they_are(settled: None) -> None:
    path = backed_up()
    Task.objects.create(id="0" * 32, name="t", func="f", started=NOW, stopped=NOW, success=True)
    before = list(Task.objects.values())
    restored(path)
    assert list(Task.objects.values()) == before


def test_when_the_last_automatic_backup_was_made_stays_as_it_is(settled: None) -> None:
    """`last_auto` belongs to the instance: restoring an older backup does not change it."""
    automatic.remember(NOW - timedelta(days=9))
    path = backed_up()
    automatic.remember(NOW - timedelta(days=1))
    restored(path)
    assert automatic.last_auto() == NOW - timedelta(days=1)


def test_the_store_is_another_one_each_time(backup: Path) -> None:
    ids: set[UUID] = {Store.objects.get().store_id}
    for _ in range(2):
        restored(backup)
        ids.add(Store.objects.get().store_id)
    assert len(ids) == 3


def test_what_was_answered_before_is_no_answer_now(backup: Path) -> None:
    visitor = ApiClient.signed_in(user("alice"))
    tag = visitor.get("/api/summary").headers["ETag"]
    restored(backup)
    again = ApiClient.signed_in(user("alice")).client.get("/api/summary", headers={"If-None-Match": tag})
    assert again.status_code == 200


# The key


def test_the_key_comes_with_the_archive(backup: Path) -> None:
    start_afresh()
    restored(backup)
    assert credential.reveal(user("alice").pk) == COOKIE
    assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()
    assert not settings.DATA_FOLDER.staged_key.exists()
    assert settings.DATA_FOLDER.instance_key.stat().st_mode & 0o777 == 0o600


def test_without_it_the_key_stays_and_the_cookies_are_broken(backup: Path) -> None:
    start_afresh()
    before = settings.DATA_FOLDER.instance_key.read_bytes()
    restored(backup, include_instance=False)
    assert settings.DATA_FOLDER.instance_key.read_bytes() == before
    assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()
    answer = ApiClient.signed_in(user("alice")).get("/api/settings").json()
    assert (answer["cookie_broken"], answer["cookie_hint"]) == (True, "")


def test_without_it_cookies_of_the_same_key_go_on(backup: Path) -> None:
    restored(backup, include_instance=False)
    assert credential.reveal(user("alice").pk) == COOKIE


# The audit


def test_the_audit_goes_on(backup: Path) -> None:
    log.record("settings", actor="alice", user_id=user("alice").pk, detail="after the backup")
    log.record("logout", actor="root", user_id=user("root").pk)
    before = audit()
    restored(backup, user_id=user("root").pk)
    assert audit() == [*before, ("root", "backup_restore", user("root").pk)]
    told = Entry.objects.latest("id")
    assert (told.detail, told.ip) == (backup.name, "192.0.2.7")


def test_that_the_key_was_left_out_is_told(backup: Path) -> None:
    restored(backup, include_instance=False)
    assert Entry.objects.latest("id").detail == f"{backup.name}, without its key"


def test_entries_are_never_doubled(backup: Path) -> None:
    before = Entry.objects.count()
    for times in (1, 2, 3):
        restored(backup)
        assert Entry.objects.count() == before + times


def test_entries_of_the_live_store_come_after_the_archives_in_order_of_time(backup: Path) -> None:
    for hour in (5, 3, 4):
        Entry.objects.create(at=NOW + timedelta(hours=hour), actor="root", action=f"at {hour}")
    highest = Entry.objects.latest("id").pk
    restored(backup)
    merged = Entry.objects.filter(action__startswith="at ").order_by("id")
    assert [entry.action for entry in merged] == ["at 3", "at 4", "at 5"]
    assert min(entry.pk for entry in merged) > highest


def test_an_entry_keeps_its_account_only_where_id_and_name_agree(settled: None, tmp_path: Path) -> None:
    # In the archive the first account is root, and there is no second.
    other = made_store(tmp_path / "other.sqlite3")
    ids = {"root": user("root").pk, "alice": user("alice").pk}
    alter(other, f"UPDATE accounts_user SET id = {ids['root']}")
    alter(other, "INSERT INTO accounts_user SELECT "
          f"{ids['alice']}, password, 'mallory', 'mallory', 'm', email, 0, status, created_at, register_ip, "
          "last_login_at, last_login_ip, login_count, session_version, language, theme FROM accounts_user")  # fmt: skip
    restored(pack_store(tmp_path / "other.zip", other), actor="alice", user_id=ids["alice"])
    assert audit() == [("root", "login", ids["root"]), ("alice", "login", None), ("alice", "backup_restore", None)]


# Ids


def test_no_id_is_given_twice(backup: Path) -> None:
    bob = make_user("bob")
    archive(bob, call("c"))
    record = Record.objects.get(request_id="c").pk
    run = Run.objects.create(user_id=bob.pk, trigger="manual", status="ok", created_at=NOW).pk
    User.objects.filter(pk=bob.pk).delete()
    restored(backup)
    assert make_user("carol").pk > bob.pk
    archive(user("alice"), call("d"))
    assert Record.objects.get(request_id="d").pk > record
    assert Run.objects.create(user_id=1, trigger="manual", status="ok", created_at=NOW).pk > run


def test_ids_that_only_the_archive_gave_are_not_given_again(settled: None, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, "UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'accounts_user'")
    restored(pack_store(tmp_path / "other.zip", other))
    assert make_user("carol").pk == 5001


@pytest.mark.parametrize(
    "row",
    [
        "INSERT INTO audit_entry (uuid, at, actor, action, detail, search_text, ip, user_id) "
        "VALUES ('00000000000000000000000000000077', '2026-01-01 00:00:00', 'x', 'x', '', '', '', 77000)",
        "INSERT INTO accounts_setting (user_id, key, value, updated_at) "
        "VALUES (77000, 'timeout', '1', '2026-01-01 00:00:00')",
        "INSERT INTO collection_run (user_id, trigger, status, created_at, fetched, added, dup, total, conflicts, "
        "message, detail, stop_requested) VALUES (77000, 'cli', 'ok', '2026-01-01 00:00:00', 0, 0, 0, 0, 0, '', '', 0)",
        "INSERT INTO usage_dataversion (user_id, number, changed_at) VALUES (77000, 1, '2026-01-01 00:00:00')",
    ],
)
def test_an_id_that_only_other_rows_know_is_given_to_nobody(row: str, settled: None, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, row)
    restored(pack_store(tmp_path / "other.zip", other))
    assert make_user("carol").pk == 77001


def test_nor_is_one_that_only_rows_of_the_live_store_know(backup: Path) -> None:
    Entry.objects.create(at=NOW, actor="x", action="x", user_id=77000)
    restored(backup)
    assert make_user("carol").pk == 77001


def test_an_archive_that_would_use_up_the_ids_is_refused(settled: None, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'accounts_user'")
    path = pack_store(tmp_path / "other.zip", other)
    with pytest.raises(ApiError, match="has no ids left"):
        restored(path)
    with pytest.raises(backup_reader.InvalidArchive, match="has no ids left"):
        backup_reader.verify(path)


# Exports


def test_an_export_goes_where_its_id_is_another_persons(settled: None, tmp_path: Path) -> None:
    ids = {"root": user("root").pk, "alice": user("alice").pk}
    exports = settings.DATA_FOLDER.exports
    for folder, name in ((ids["root"], "root"), (ids["alice"], "alice"), (99, "gone")):
        (exports / str(folder)).mkdir()
        (exports / str(folder) / f"usage-{name}-20260901-100000.csv").write_text("theirs")
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, f"UPDATE accounts_user SET id = {ids['alice']}")
    restored(pack_store(tmp_path / "other.zip", other))
    # Now root has the old id of alice; the old id of root and 99 belong to no account.
    left = sorted(path.name for path in exports.rglob("*.csv"))
    assert left == ["usage-gone-20260901-100000.csv", "usage-root-20260901-100000.csv"]


def test_the_same_person_keeps_the_exports(backup: Path) -> None:
    path = settings.DATA_FOLDER.exports / str(user("alice").pk) / "usage-alice-20260901-100000.csv"
    path.parent.mkdir()
    path.write_text("hers")
    restored(backup)
    assert path.exists()


# Meanwhile


def test_who_reads_meanwhile_is_never_refused(backup: Path) -> None:
    """Connections that were open before, with statements prepared, read the old store, then the new one."""
    archive(user("alice"), call("c"))
    visitors = [ApiClient.signed_in(user("alice")) for _ in range(2)]
    both_read, done = threading.Barrier(3), threading.Event()
    counts: set[int] = set()
    statuses: set[int] = set()

    def read(visitor: ApiClient) -> None:
        counts.add(Record.objects.count())
        statuses.add(visitor.get("/api/summary").status_code)

    def keep_reading(visitor: ApiClient) -> None:
        read(visitor)
        both_read.wait()
        while not done.is_set():
            read(visitor)
        read(visitor)

    def restore_twice() -> None:
        both_read.wait()
        try:
            restored(backup)
            restored(backup)
        finally:
            done.set()

    outcomes = together(lambda: keep_reading(visitors[0]), lambda: keep_reading(visitors[1]), restore_twice)
    assert (outcomes, counts, statuses) == ([None] * 3, {2, 3}, {200, 401})


def test_who_knows_nothing_of_the_freeze_waits_and_writes_to_the_new_store(
    backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged, waits = threading.Event(), threading.Event()
    announce = store_switch.announce

    def announce_late(*arguments: Any) -> None:
        merged.set()
        assert waits.wait(20)
        announce(*arguments)

    def tell(execute: Any, *arguments: Any) -> Any:
        waits.set()
        return execute(*arguments)

    def write() -> None:
        Entry.objects.exists()
        assert merged.wait(20)
        with connection.execute_wrapper(tell), transaction.atomic():
            Entry.objects.create(at=NOW, actor="x", action="after the merge")

    monkeypatch.setattr(store_switch, "announce", announce_late)
    assert together(lambda: restored(backup) and None, write) == [None, None]
    assert Entry.objects.latest("id").action == "after the merge"
