"""Restoring: what comes from the backup (docs/api.md#restore-a-backup)."""

import os
import re
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.models import Store, User
from archive_site.lib.storage import engine
from backups import backup_zip, snapshot
from backups.backup_manifest import KEY, STORE
from backups.restore import store_switch
from tests.backups.backup_files import alter, made_store, pack_store
from tests.backups.filled_instance import everything, live, log_of, restored, start_afresh, stores, user
from tests.factories import PASSWORD, ApiClient, make_user
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.models import Record
from usage.search.sqlite.terms import NARROW, WIDE

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


def answers() -> dict[tuple[str, str], bytes]:
    paths = ["/api/bundle", "/api/records", "/api/records/a", "/api/runs", "/api/runs/1", "/api/settings",
             "/api/summary", "/api/users", "/api/manifest", "/records/export"]  # fmt: skip
    found = {}
    for name in ("root", "alice"):
        visitor = ApiClient.signed_in(user(name))
        for path in paths:
            response = visitor.get(path)
            content = b"".join(response.streaming_content) if response.streaming else response.content
            found[name, path] = content if engine.IS_SQLITE else _SIZE.sub(b"", content)
    return found


# PostgreSQL gives the size of the whole database, with what is left to vacuum.
_SIZE = re.compile(rb'"bytes": ?\d+')


def test_a_fresh_instance_answers_as_the_old_one_did(backup: Path, time: SetClock) -> None:
    time.now = NOW
    before = answers()
    start_afresh()
    restored(backup)
    assert answers() == before
    assert b"how does it work?" in before["alice", "/api/records"]


def test_every_table_comes_back_but_what_is_the_present_ones(backup: Path) -> None:
    of_sqlite = ("sqlite_sequence", "sqlite_stat1")
    present = ("accounts_session", "accounts_store", "audit_entry", "usage_nodefile", *of_sqlite)
    before = everything(but=present)
    start_afresh()
    restored(backup)
    assert everything(but=present) == before


@pytest.mark.sqlite_only
def test_the_store_is_sound_afterwards_and_its_log_empty(backup: Path) -> None:
    restored(backup)
    connection.close()
    with closing(sqlite3.connect(live())) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert stores() == [live().resolve().name]


@pytest.mark.sqlite_only
def test_it_is_a_file_of_its_own_which_the_old_name_leads_to(backup: Path) -> None:
    """The restored store can be copied with its folder, is owner-only, and leaves no files of the store before."""
    for _ in range(2):
        restored(backup)
        connection.close()
        file = f"store-{Store.objects.get().store_id.hex}.sqlite3"
        assert (os.readlink(live()), live().stat().st_mode & 0o777) == (file, 0o600)
        assert stores() == [file, f"{file}-shm", f"{file}-wal"]
        assert sorted(path.name for path in live().parent.glob(f"{live().name}*")) == [live().name]


@pytest.mark.sqlite_only
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


@pytest.mark.sqlite_only
def test_prompts_are_found_again_where_the_backup_has_an_empty_index(backup: Path, tmp_path: Path) -> None:
    """A backup of PostgreSQL has none."""
    with zipfile.ZipFile(backup) as archive:
        store, key = Path(archive.extract(STORE, tmp_path)), archive.read(KEY)
    for table in (NARROW, WIDE):
        alter(store, f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    restored(pack_store(tmp_path / "other.zip", store, key))
    for needle in ("does it", "do"):
        found = ApiClient.signed_in(user("alice")).get("/api/records", q=needle).json()
        assert [item["request_id"] for item in found["items"]] == ["a"]


def test_passwords_are_the_archives(backup: Path) -> None:
    alice = user("alice")
    alice.set_password("something Else 9")
    alice.save()
    restored(backup)
    assert user("alice").check_password(PASSWORD)


def test_the_message_names_both_backups(backup: Path) -> None:
    done = restored(backup)
    assert (done.manifest.accounts, done.manifest.records) == (2, 2)
    assert done.message.startswith(f"{backup.name} is restored: 2 accounts, 2 records.")
    assert done.pre_restore in done.message


def test_the_store_before_is_kept_and_can_be_restored(backup: Path) -> None:
    make_user("bob")
    kept = settings.DATA_FOLDER.backups / restored(backup).pre_restore
    assert backup_zip.read_manifest(kept).trigger == "pre_restore"
    assert not User.objects.filter(username="bob").exists()
    restored(kept)
    assert User.objects.filter(username="bob").exists()


@pytest.mark.thorough
def test_an_archive_of_an_older_version_is_brought_to_this_one(settled: None, tmp_path: Path) -> None:
    old = made_store(tmp_path / "old.sqlite3", _OLDER)
    alter(old, _A_RECORD)
    restored(pack_store(tmp_path / "old.zip", old))
    visitor = ApiClient.signed_in(user("root"))
    for params in ({}, {"purpose": "chat"}):
        days = visitor.get("/api/daily", **params).json()["days"]
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
        '2026-09-01', 10, 'chat', 0, '2026-09-01 10:00:00', '2026-09-01 10:00:00');
    INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free)
        VALUES (1, '2026-09-01', 'glm', 'ide', 2000000, 1, 0);
    INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free) VALUES (1, '2026-09-01', 10, 2000000, 1, 0);
"""


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("size", [512, 65536])
def test_an_archive_with_pages_of_another_size_is_restored(size: int, backup: Path, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, f"PRAGMA journal_mode=DELETE; PRAGMA page_size={size}; VACUUM")
    restored(pack_store(tmp_path / "other.zip", other))
    assert [account.username for account in User.objects.all()] == ["root"]


@pytest.mark.thorough
def test_a_store_that_was_never_served_gets_its_row(backup: Path, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, "DELETE FROM accounts_store")
    restored(pack_store(tmp_path / "other.zip", other))
    assert Store.objects.get().time_zone == "Europe/Berlin"


@pytest.mark.thorough
def test_a_smaller_store_takes_the_place_of_a_larger_one(settled: None, tmp_path: Path) -> None:
    archive(user("alice"), *[call(f"r{number}", prompt="x" * 5000) for number in range(500)])
    # Includes the content of the write-ahead log.
    before = snapshot.expected_bytes()
    restored(pack_store(tmp_path / "small.zip", made_store(tmp_path / "small.sqlite3")))
    assert (Record.objects.count(), snapshot.expected_bytes() < before) == (0, True)
