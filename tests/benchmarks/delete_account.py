"""How long others wait while 1,000,000 records are deleted: `python -m tests.benchmarks.delete_account [RECORDS]`.

Two processes read and one writes meanwhile; none of them may wait a second:
docs/decisions/accounts.md#deleting-an-account.
"""

import os
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

RECORDS = 1_000_000
MOST_SECONDS = 1.0
PAGE = 200
FILL = """
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %s)
    INSERT INTO usage_record (user_id, request_id, credits, model, client, ts, day, hour, agent_purpose,
        prompt_truncated, first_seen_at, updated_at, run_id)
    SELECT %s, printf('%%032x', (i * 2654435761) %% 4294967296 * 1000003 + i), i %% 7 * 10000, 'model-' || i %% 8,
        'client-' || i %% 4, day || printf(' %%02d:00:00', i %% 24), day, i %% 24, 'purpose-' || i %% 5, 0,
        '2026-01-01 00:00:00', '2026-01-01 00:00:00', 1
    FROM (SELECT i, date('2024-01-01', '+' || (i * 700 / %s) || ' days') AS day FROM n)"""
PROMPTS = (
    "INSERT INTO usage_prompt (record_id, text) "
    "SELECT id, substr(hex(randomblob(200)), 1, 400) FROM usage_record WHERE user_id = %s"
)


def main() -> int:
    if len(sys.argv) > 2:
        return watch(sys.argv[1], Path(sys.argv[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ["ARCHIVE_HOME"] = home
        os.environ["DJANGO_SETTINGS_MODULE"] = "archive_site.settings"
        os.environ.setdefault("TZ", "Europe/Berlin")
        return measure(Path(home), int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS)


def measure(home: Path, records: int) -> int:
    import django

    django.setup()
    from accounts.actor import Actor
    from archive_site.account_deletion import delete_account, resume_erasures
    from usage.models import Prompt, Record

    leaver = fill(records)
    done = home / "done"
    roles = ("reader", "reader", "writer")
    others = [
        subprocess.Popen([sys.executable, "-m", __spec__.name, role, str(done)], stdout=subprocess.PIPE, text=True)
        for role in roles
    ]
    time.sleep(3)
    begun = time.perf_counter()
    delete_account(leaver, keep_data=False, actor=Actor("benchmark", None))
    print(f"the answer came after {time.perf_counter() - begun:.1f} s")
    while not resume_erasures():
        pass
    print(f"{records} records were deleted in {time.perf_counter() - begun:.1f} s")
    done.touch()
    waits = [float(other.communicate()[0]) for other in others]
    for role, wait in zip(roles, waits, strict=True):
        print(f"longest wait of a {role}: {wait * 1000:.0f} ms (at most {MOST_SECONDS * 1000:.0f})")
    assert not Record.objects.filter(archive_id=leaver).exists()
    assert Prompt.objects.count() == Record.objects.count()
    return 0 if max(waits) < MOST_SECONDS else 1


def fill(records: int) -> int:
    """Create two accounts, the first with all records; return its id."""
    from django.core.management import call_command
    from django.db import connection, transaction

    from tests.factories import make_user
    from usage.rollups.recompute import recount

    call_command("migrate", verbosity=0)
    leaver, _ = make_user("leaver"), make_user("stayer", is_admin=True)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(FILL, [records, leaver.pk, records])
        cursor.execute(PROMPTS, [leaver.pk])
    recount(leaver.pk)
    return leaver.pk


def watch(role: str, done: Path) -> int:
    """Read or write as the other account until the deletion is done; prints the longest wait in seconds."""
    import django

    django.setup()
    from accounts.models import User

    stayer = User.objects.get(username="stayer")
    longest, number = 0.0, 0
    while not done.exists():
        begun = time.perf_counter()
        if role == "reader":
            read(stayer.pk)
        else:
            write(stayer.pk, number)
        longest = max(longest, time.perf_counter() - begun)
        number += 1
        time.sleep(0.02)
    print(longest)
    return 0


def read(user_id: int) -> None:
    from archive_site.lib.http.parameter_parsing import Paging
    from usage.filters import RecordFilters
    from usage.reads import list_parts, queries
    from usage.rollups import read_sums

    filters = RecordFilters()
    list_parts.page_of_records(user_id, filters, "", Paging(1, 50), lean=False)
    queries.count_records(user_id, filters)
    read_sums.months(user_id)


def write(user_id: int, number: int) -> None:
    from usage.incoming.record import IncomingRecord
    from usage.ingest import take_in

    # Another day each time, since the sums of a day are computed from all of its records.
    ts = f"{date(2000, 1, 1) + timedelta(days=number)} 03:04:05"
    page = [IncomingRecord(f"{number}-{i}", 10000, "model", "client", ts, "a prompt", False, "") for i in range(PAGE)]
    take_in(user_id, page, run_id=None, max_prompt=1000)


if __name__ == "__main__":
    sys.exit(main())
