"""Backup files with a hostile or damaged store: each is refused with one sentence and leaves nothing on the disk."""

import struct
from pathlib import Path

import pytest

from backups.restore import backup_reader
from tests.backups.backup_files import alter
from tests.backups.forged_backups import Forge, refusal

pytestmark = [pytest.mark.thorough, pytest.mark.django_db]


_EVIL = [
    ("CREATE TRIGGER evil AFTER INSERT ON accounts_user BEGIN DELETE FROM usage_record; END", "'trigger' 'evil'"),
    ("CREATE VIEW evil AS SELECT * FROM accounts_user", "'view' 'evil'"),
    ("CREATE TABLE evil (id INTEGER)", "'table' 'evil'"),
    ("CREATE VIRTUAL TABLE evil USING fts5(text)", "'table' 'evil'"),
    ("CREATE INDEX evil ON usage_record (model)", "'index' 'evil'"),
    ("CREATE UNIQUE INDEX evil ON usage_record (abs(credits))", "'index' 'evil'"),
    ("ALTER TABLE usage_record ADD COLUMN evil TEXT", "'table' 'usage_record'"),
    ("ALTER TABLE usage_record ADD COLUMN evil AS (hex(model))", "'table' 'usage_record'"),
    ("DROP INDEX record_by_time", "'index' 'record_by_time'"),
    ("DROP TABLE usage_record", "'index' 'record_by_credits'"),
    ("DROP INDEX record_by_time; CREATE INDEX record_by_time ON usage_record (credits)", "'index' 'record_by_time'"),
    ("DROP TABLE accounts_session; CREATE VIEW accounts_session AS SELECT 1", "'view' 'accounts_session'"),
    ("DELETE FROM django_migrations WHERE app = 'usage' AND name LIKE '0004%'", "lacks migrations"),
    ("DELETE FROM django_migrations WHERE app = 'audit'", "'index' 'audit_by_action'"),
    ("DELETE FROM django_migrations", "something that its version does not have"),
    ("INSERT INTO django_migrations (app, name, applied) VALUES ('usage', '9999_later', '')", "a newer version"),
    ("INSERT INTO django_migrations (app, name, applied) VALUES ('other', '0001_initial', '')", "a newer version"),
    ("UPDATE accounts_store SET time_zone = 'Asia/Shanghai'", "time zone 'Asia/Shanghai', not Europe/Berlin"),
    ("INSERT INTO usage_prompt (text, record_id) VALUES ('of no record', 77)", "Its store is damaged."),
]


@pytest.mark.parametrize(("change", "words"), _EVIL)
def test_a_store_that_is_not_as_its_migrations_make_it_is_refused(change: str, words: str, forge: Forge) -> None:
    assert words in refusal(forge.with_store(change))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', 'NOT  NULL') WHERE name = 'usage_record'",
        "UPDATE sqlite_master SET name = 'sqlite_evil' WHERE name = 'record_by_time'",
        "INSERT INTO sqlite_master VALUES ('trigger', 'sqlite_stat1', 'usage_record', 0, 'CREATE TRIGGER x')",
        "UPDATE sqlite_master SET sql = 'not sql' WHERE name = 'usage_record'",
        "UPDATE sqlite_master SET sql = NULL WHERE name = 'usage_record'",
        "UPDATE sqlite_master SET type = NULL, name = 7, tbl_name = x'00' WHERE name = 'record_by_time'",
    ],
)
def test_a_schema_that_was_written_by_hand_is_refused(change: str, forge: Forge) -> None:
    assert "Its store" in refusal(forge.with_store(f"PRAGMA writable_schema = ON; {change}"))


def test_what_sqlite_counts_for_its_planner_is_no_harm(forge: Forge) -> None:
    assert backup_reader.verify(forge.with_store("ANALYZE"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "Its store is not an SQLite file."),
        (b"no store at all" * 1000, "Its store is not an SQLite file."),
        (b"SQLite format 3\0" + b"\xff" * 5000, "Its store is damaged."),
        (b"SQLite format 3\0", "Its store is damaged."),
    ],
)
def test_a_store_that_is_none_is_refused(content: bytes, words: str, forge: Forge) -> None:
    forge.store.write_bytes(content)
    assert words == refusal(forge.right())


def test_the_sqlite_file_of_something_else_is_refused(forge: Forge) -> None:
    forge.store.unlink()
    assert (
        refusal(forge.with_store("CREATE TABLE bookmarks (url)")) == "Its store is the SQLite file of another program."
    )
    forge.store.unlink()
    assert "SQLite file of another program" in refusal(forge.with_store("VACUUM"))


def test_a_store_in_another_encoding_is_refused(forge: Forge) -> None:
    content = bytearray(forge.content)
    assert content[56:60] == b"\0\0\0\1"
    forge.store.write_bytes(content[:59] + b"\2" + content[60:])
    assert refusal(forge.right()).startswith("It")


@pytest.mark.parametrize("page", [2, 5, 20])
def test_a_damaged_page_is_found(page: int, forge: Forge) -> None:
    content = bytearray(forge.content)
    size = struct.unpack(">H", content[16:18])[0]
    content[size * (page - 1) : size * page] = b"\xff" * size
    forge.store.write_bytes(content)
    assert refusal(forge.right()) == "Its store is damaged."


def test_a_damaged_chain_of_pages_is_found(forge: Forge) -> None:
    alter(forge.store, f"{_ROWS}; INSERT INTO usage_prompt (record_id, text) VALUES (1, '{'x' * 20_000}')")
    content = bytearray(forge.content)
    # A page in the midst of the text begins with the number of the next.
    place = content.index(b"x" * 4092) - 4
    assert place % 4096 == 0
    content[place : place + 4] = b"\0\0\xff\xff"
    forge.store.write_bytes(content)
    assert refusal(forge.right()) == "Its store is damaged."


@pytest.mark.parametrize("index", ["audit_by_actor", "record_by_time"])
def test_an_index_that_lacks_a_row_is_found(index: str, forge: Forge) -> None:
    changed = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = {} WHERE name = '{}'"
    alter(forge.store, changed.format("sql || ' WHERE 0'", index))
    alter(forge.store, _ROWS)
    alter(forge.store, changed.format("replace(sql, ' WHERE 0', '')", index))
    assert refusal(forge.right()) == "Its store is damaged."


_ROWS = """
    INSERT INTO audit_entry (uuid, at, actor, action, detail, search_text, ip)
        VALUES ('00', '2026-09-01 00:00:00', 'root', 'login', '', '', '');
    INSERT INTO usage_record (user_id, request_id, credits, model, client, ts, day, hour, agent_purpose,
        prompt_truncated, first_seen_at, updated_at) VALUES (1, 'r', 0, '', '', '', '', 0, '', 0, '', '');
"""


def test_a_store_that_was_copied_with_its_log_is_accepted(forge: Forge) -> None:
    assert backup_reader.verify(forge.with_store("PRAGMA journal_mode=WAL"))


def test_what_is_unpacked_is_its_owners_alone(forge: Forge) -> None:
    modes: list[int] = []

    def look(store: Path) -> None:
        modes.extend(path.stat().st_mode & 0o777 for path in (store.parent, *store.parent.iterdir()))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("backups.restore.schema_check.check", look)
        backup_reader.verify(forge.right())
    assert sorted(map(oct, modes)) == sorted(map(oct, [0o700, 0o600, 0o600, 0o600]))
