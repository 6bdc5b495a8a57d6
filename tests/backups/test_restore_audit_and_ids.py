"""Restoring: the audit goes on, and no id is given twice (docs/api.md#restore-a-backup)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from accounts.models import FIRST_ARCHIVE, Archive, User
from archive_site.lib.http.api_error import ApiError
from audit import log
from audit.models import Entry
from backups.restore import backup_reader
from collection.models import Run
from tests.backups.backup_files import alter, made_store, pack_store
from tests.backups.filled_instance import restored, user
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import Record

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


def audit() -> list[tuple[str, str, int | None]]:
    return list(Entry.objects.order_by("id").values_list("actor", "action", "user_id"))


# The audit


def test_the_audit_goes_on(backup: Path) -> None:
    log.record("settings", actor="alice", user_id=user("alice").pk, detail="after the backup")
    log.record("logout", actor="root", user_id=user("root").pk)
    before = audit()
    restored(backup, user_id=user("root").pk)
    assert audit() == [*before, ("root", "backup_restore", user("root").pk)]
    entry = Entry.objects.latest("id")
    assert (entry.detail, entry.ip) == (backup.name, "192.0.2.7")


def test_that_the_key_was_left_out_is_in_the_audit_log(backup: Path) -> None:
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
          "last_login_at, last_login_ip, login_count, session_version, language, theme, second_factor "
          "FROM accounts_user")  # fmt: skip
    restored(pack_store(tmp_path / "other.zip", other), actor="alice", user_id=ids["alice"])
    assert audit() == [("root", "login", ids["root"]), ("alice", "login", None), ("alice", "backup_restore", None)]


# Ids


def test_no_id_is_given_twice(backup: Path) -> None:
    bob = make_user("bob")
    archive(bob, call("c"))
    record = Record.objects.get(request_id="c").pk
    run = Run.objects.create(archive_id=bob.pk, trigger="manual", status="ok", created_at=NOW).pk
    User.objects.filter(pk=bob.pk).delete()
    restored(backup)
    assert make_user("carol").pk > bob.pk
    archive(user("alice"), call("d"))
    assert Record.objects.get(request_id="d").pk > record
    assert Run.objects.create(archive_id=1, trigger="manual", status="ok", created_at=NOW).pk > run


def test_ids_that_only_the_archive_gave_are_not_given_again(settled: None, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, "UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'accounts_user'")
    restored(pack_store(tmp_path / "other.zip", other))
    assert make_user("carol").pk == 5001


@pytest.mark.thorough_after(1)
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


def test_an_id_that_only_rows_of_the_live_store_know_is_given_to_nobody(backup: Path) -> None:
    Entry.objects.create(at=NOW, actor="x", action="x", user_id=77000)
    restored(backup)
    assert make_user("carol").pk == 77001


def test_ids_of_further_archives_of_either_store_are_not_given_again(backup: Path) -> None:
    gone, kept = (Archive.objects.create(user_id=user("alice").pk, **FIRST_ARCHIVE).pk for _ in range(2))
    Archive.objects.filter(pk=gone).delete()
    archive(kept, call("of a further one"))
    restored(backup)
    # The backup is from before both; the ids of accounts go on as before.
    assert Archive.objects.create(user_id=user("alice").pk, **FIRST_ARCHIVE).pk == kept + 1
    assert make_user("carol").pk < Archive.FIRST_OF_FURTHER


@pytest.mark.parametrize("highest", [9223372036854775807, Archive.FIRST_OF_FURTHER])
def test_an_archive_that_would_use_up_the_ids_is_refused(highest: int, settled: None, tmp_path: Path) -> None:
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, f"UPDATE sqlite_sequence SET seq = {highest} WHERE name = 'accounts_user'")
    path = pack_store(tmp_path / "other.zip", other)
    with pytest.raises(ApiError, match="has no ids left"):
        restored(path)
    with pytest.raises(backup_reader.InvalidArchive, match="has no ids left"):
        backup_reader.verify(path)
