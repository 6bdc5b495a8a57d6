"""The move from SQLite to PostgreSQL and back by `backup restore` (docs/deploy.md#move-to-postgresql-and-back)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backups import store_file
from tests.backups.compared_answers import LISTS, READS, answers_in, pages, script
from tests.backups.filled_instance import COOKIE
from tests.collection.running_instance import MAKE, Instance

pytestmark = pytest.mark.postgres_only

_BEGIN = """
import django
django.setup()
from datetime import UTC, datetime, timedelta
from archive_site.lib import clock
"""
FILL = f"""{_BEGIN}
from accounts import config
from accounts.credentials import credential
from accounts.models import FIRST_ARCHIVE, INSTANCE, Archive, User
from audit import log
from collection.models import Progress, Run, RunReport
from tests.usage.record_factories import archive, call
from usage.measures import Measures, Provenance, Tokens
from usage.models import Budget, CoverageDay, Reach, SavedView
NOW = datetime(2026, 9, 8, 10, 0, 0, 123000, tzinfo=UTC)
clock.now = lambda: NOW
alice, root = User.objects.get(username="alice"), User.objects.get(username="root")
config.write({{"page_size": 33, "timeout": 7}}, archive_id=INSTANCE, may_edit_instance=True)
config.write({{"slot_hour": 3}}, archive_id=alice.pk, may_edit_instance=False)
credential.store(alice.pk, {COOKIE!r})
TEXTS = ["", "How does it work?", "数据库的迁移", "ÄÖÜ ß", "a\\tb\\nc\\\\N \\"q\\"", "🙂 emoji", "x" * 5000, "\\\\."]
for owner in (alice, root):
    run = Run.objects.create(
        archive_id=owner.pk, trigger="manual", status="ok", exit_code=0, created_at=NOW, started_at=NOW,
        finished_at=NOW + timedelta(seconds=1), win_from=NOW - timedelta(days=1), win_to=NOW, duration_ms=1000, added=9,
    )
    RunReport.objects.create(run=run, text="day,calls\\n2026-09-01,3\\n")
    archive(owner, *[
        call(f"r{{i:03}}é", credits=i % 7 / 8, model=("glm-4", "Kimi", "kimi")[i % 3],
             client=("ide", "", "終")[i % 3], ts=f"2026-0{{6 + i % 4}}-{{1 + i % 28:02}} {{i % 24:02}}:00:0{{i % 10}}",
             prompt=TEXTS[i % len(TEXTS)], agent_purpose=("", "chat", "标题")[i % 3])
        for i in range(150)
    ], run_id=run.pk)
    SavedView.objects.create(user_id=owner.pk, name="mine", query="q=it&order=ts_asc")
    Budget.objects.create(archive_id=owner.pk, period="week", credits=5_000_000, model="终", thresholds="[80]")
    Progress.objects.create(archive_id=owner.pk, complete_through=NOW)
    Reach.objects.create(archive_id=owner.pk, first_day="2026-06-01")
    CoverageDay.objects.create(archive_id=owner.pk, day="2026-07-02", upstream=4, checked_at=NOW, empty=0, read_at=NOW)
further = Archive.objects.create(user_id=alice.pk, **FIRST_ARCHIVE)
archive(
    further.pk,
    call("of a further archive", prompt="数据库的第二个",
         measures=Measures(Provenance.ESTIMATED, Tokens(1, 2, 3, 2**40), NOW)),
)
log.record("login", actor="root", user_id=root.pk, detail="数据 'x'")
"""
_SEARCHES = ("model=kimi", "q=it", "q=数", "q=迁移", "q=ÄÖ", "q=%5C", "q=🙂", "q=xxx&order=credits_desc")
_MORE = ("/api/daily?model=kimi", "/api/records/r001é", "/api/records/r006é")
ASK = script(["root", "alice"], [*READS, *_MORE, *pages([*LISTS, *_SEARCHES], [1, 3], 20)])


def taken_over(instance: Instance, source: Instance) -> None:
    """The instance restores a new backup of another one."""
    assert source.run("backup", "create").returncode == 0
    newest = max((source.home / "backups").glob("*-manual.zip"), key=lambda path: path.stat().st_mtime_ns)
    done = instance.run("backup", "restore", str(newest), "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "is restored: 2 accounts, 301 records" in done.stdout


def on_sqlite(home: Path) -> Instance:
    """An instance with a store in its folder, though the tests run on PostgreSQL."""
    instance = Instance(home)
    instance.variables = {"DATABASE_URL": "", "REDIS_URL": ""}
    return instance


def test_all_answers_are_the_same_there_and_back(tmp_path: Path) -> None:
    before, back = on_sqlite(tmp_path / "before"), on_sqlite(tmp_path / "back")
    with before, Instance(tmp_path / "moved") as moved, back:
        before.python(MAKE)
        before.python(FILL)
        expected = answers_in(before.python(ASK))
        refused = {name for name, (status, _) in expected.items() if status != 200}
        assert refused == {"alice /api/users", "root /api/runs/1"}
        taken_over(moved, before)
        there = answers_in(moved.python(ASK))
        assert {name for name in expected if there[name] != expected[name]} == set()
        assert not moved.store.exists()
        taken_over(back, moved)
        again = answers_in(back.python(ASK))
        assert {name for name in expected if again[name] != expected[name]} == set()
        assert all_rows(back) == all_rows(before)


def all_rows(instance: Instance) -> dict[str, list[tuple[object, ...]]]:
    """The rows of every table with data of its own that a restore does not add to."""
    added = {"accounts_session", "accounts_store", "audit_entry", "sqlite_sequence", "collection_lease",
             "django_content_type", "auth_permission", "collection_heartbeat"}  # fmt: skip
    with closing(sqlite3.connect(instance.store)) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {
            table.name: sorted(store.execute(f"SELECT * FROM {table.name}").fetchall(), key=repr)
            for table in store_file.tables(store)
            if table.name not in added
        }
