"""Backups of earlier releases: after a restore, the messages of runs and audit are unchanged and translated."""

import re
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
from django.conf import settings
from django.db.models import Sum
from django.utils import translation

from archive_site.lib import stored_message
from audit.models import Entry
from backups import offline_migration
from backups.backup_manifest import STORE
from collection.models import Run
from tests.backups.filled_instance import everything, restored, settle_in
from usage import stored_size
from usage.models import CoverageDay, DayTotal, Record
from usage.repeated import key_filling
from usage.repeated.prompt_key import prompt_key

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.landing]
RELEASE = Path(__file__).with_name("releases") / "0.1.0.zip"
NAME = "backup-20260908-120007-manual.zip"
# Texts that no release wrote; the last one belongs to another action.
UNKNOWN_RUNS = ['A sentence of some fork: 5 %(count)s {"code": 1}.']
UNKNOWN_DETAILS = ["by some fork: 100% of %(name)s", "unknown name"]
UNKNOWN_LINES = {
    "2026-09-08 12:00:07 a line of some fork: 100%",
    "without a time",
    "2026-09-08 12:00:07 2026-09-01 00:00:00 to 2026-09-07 23:59:59: left by a run that broke off",
    "2026-09-08 12:00:07 skipped row 2 of page 1: neither seconds nor milliseconds of this age",
}

# Sentences of the release that have other words now; the search still reads the old ones.
REWORDED = {
    "sign in to the service": "sign in there",
    "browser's user agent": "browser's User-Agent",
    "refused the user agent,": "refused the User-Agent,",
    "The upstream knows no such address": "CodeBuddy has no such address",
    "The upstream": "CodeBuddy",
    "the upstream": "CodeBuddy",
    "This database cleans up by itself.": "This database needs no compacting.",
    "The store is compact:": "The store is compacted:",
    "MiB were given back.": "MiB were freed.",
    "are mended.": "are repaired.",
    "everywhere else:": "other sessions ended:",
    "There is none too many.": "Nothing to prune.",
    "first administrator made": "first administrator created",
    "ts was '": "time was '",
    "check api_base, api_path, cookie and user_agent.": "check the address and the credential.",
    "check that api_base is right,": "check that the address is right,",
    ", ts_desc": ", newest first",
    ", by model, by q": ", by model, by text",
}


@pytest.fixture
def before(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The store in the backup, as the release wrote it; the live store is the restored one."""
    kept = settings.DATA_FOLDER.instance_key.read_bytes()
    settle_in()
    path = settings.DATA_FOLDER.backups / NAME
    shutil.copy(RELEASE, path)
    restored(path)
    with zipfile.ZipFile(RELEASE) as archive:
        store = archive.extract(STORE, tmp_path)
    with closing(sqlite3.connect(store)) as opened:
        yield opened
    settings.DATA_FOLDER.instance_key.write_bytes(kept)


@pytest.mark.thorough
def test_in_english_everything_reads_as_it_did(before: sqlite3.Connection) -> None:
    runs = before.execute("SELECT id, message, detail FROM collection_run ORDER BY id").fetchall()
    assert len(runs) > 50
    worded = [(pk, worded_now(message), worded_now(detail)) for pk, message, detail in runs]
    # As programs read it.
    with translation.override(None):
        assert [(run.pk, run.message, run.detail) for run in Run.objects.order_by("pk")] == worded
    entries = before.execute("SELECT uuid, detail FROM audit_entry ORDER BY id").fetchall()
    assert len(entries) > 80
    kept = Entry.objects.filter(uuid__in=[uuid for uuid, _ in entries]).order_by("pk")
    with translation.override(None):
        shown = [(entry.uuid.hex, entry.detail, entry.search_text) for entry in kept]
    assert shown == [(uuid, worded_now(detail), detail) for uuid, detail in entries]


def worded_now(text: str) -> str:
    for old, new in REWORDED.items():
        text = text.replace(old, new)
    return re.sub(r"(?<![\d,.])1 (new record|row|call|record|day|window|prompt|run)s\b", r"1 \1", text)


def test_all_that_the_release_said_is_a_message_now(before: sqlite3.Connection) -> None:
    """File names are the same in all languages; texts that no release wrote stay unchanged."""
    plain = [run.stored_message for run in Run.objects.order_by("pk") if not stored_message.read(run.stored_message)]
    assert plain == UNKNOWN_RUNS
    lines = [line for run in Run.objects.order_by("pk") for line in run.stored_detail.splitlines()]
    assert {line for line in lines if not stored_message.read(line)} == UNKNOWN_LINES
    details = Entry.objects.exclude(stored_detail="").order_by("pk").values_list("stored_detail", flat=True)
    texts = [text for text in details if not stored_message.read(text)]
    assert [text for text in texts if not text.startswith("backup-")] == UNKNOWN_DETAILS


@pytest.mark.thorough
def test_in_chinese_its_runs_and_its_audit_are_in_chinese(before: sqlite3.Connection) -> None:
    runs = Run.objects.exclude(stored_message__in=UNKNOWN_RUNS)
    entries = Entry.objects.exclude(stored_detail="").exclude(stored_detail__in=UNKNOWN_DETAILS)
    with translation.override("zh-hans"):
        chinese = [(run.message, run.detail.splitlines()[-1]) for run in runs]
        details = [entry.detail for entry in entries if not entry.detail.startswith("backup-")]
    assert [texts for texts in chinese if not all(map(_is_chinese, texts))] == []
    assert [text for text in details if not _is_chinese(text)] == []


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


@pytest.mark.thorough
@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("audit.migrations.0003_details_as_messages", "stored_detail"),
        ("collection.migrations.0002_runs_as_messages", "stored_log"),
    ],
)
def test_a_migration_that_died_is_made_again(
    module: str, function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(RELEASE) as archive:
        straight, broken = (Path(archive.extract(STORE, tmp_path / name)) for name in ("straight", "broken"))
    convert, calls = getattr(import_module(module), function), count()

    def dying(*arguments: str) -> str:
        if next(calls) == 20:
            raise Died
        return str(convert(*arguments))

    with monkeypatch.context() as patch:
        patch.setattr(import_module(module), function, dying)
        with pytest.raises(Died):
            offline_migration.migrate(broken)
    for store in (straight, broken):
        offline_migration.migrate(store)
    tables = ("collection_run", "audit_entry")
    assert [everything(broken)[table] for table in tables] == [everything(straight)[table] for table in tables]


class Died(Exception):
    pass


@pytest.mark.thorough
def test_the_days_inside_the_windows_of_its_successful_runs_count_as_read(before: sqlite3.Connection) -> None:
    runs = before.execute(
        "SELECT user_id, MIN(win_from), MAX(MIN(win_to, started_at)) FROM collection_run WHERE status = 'ok' GROUP BY 1"
    ).fetchall()
    assert runs
    for user_id, first, last in runs:
        days = CoverageDay.objects.filter(archive_id=user_id)
        span = [
            str(datetime.fromisoformat(text).replace(tzinfo=UTC).astimezone(settings.SERVER_ZONE))
            for text in (first, last)
        ]
        assert span[0][:10] <= min(days.values_list("day", flat=True))
        assert max(days.values_list("day", flat=True)) < span[1][:10]
        assert not days.exclude(upstream=None).exists()
    totals = dict(DayTotal.objects.values_list("archive_id").annotate(Sum("without_prompt")))
    bare = before.execute(
        "SELECT user_id, COUNT(*) FROM usage_record WHERE id NOT IN (SELECT record_id FROM usage_prompt) GROUP BY 1"
    ).fetchall()
    assert {user_id: number for user_id, number in totals.items() if number} == dict(bare) != {}


def test_what_each_account_stores_is_counted(before: sqlite3.Connection) -> None:
    counted = before.execute(
        "SELECT user_id, SUM(1000 + COALESCE(LENGTH(CAST(text AS BLOB)), 0)) FROM usage_record "
        "LEFT JOIN usage_prompt ON record_id = id GROUP BY user_id"
    ).fetchall()
    assert counted
    assert {user_id: size for user_id, size in stored_size.of_all().items() if size} == dict(counted)


def test_the_keys_of_its_prompts_are_filled(before: sqlite3.Connection) -> None:
    assert set(Record.objects.values_list("prompt_key", flat=True)) == {None}
    assert key_filling.fill_all()
    texts = before.execute("SELECT id, COALESCE(text, '') FROM usage_record LEFT JOIN usage_prompt ON record_id = id")
    assert dict(Record.objects.values_list("pk", "prompt_key")) == {pk: prompt_key(text) for pk, text in texts}
