"""The archive that the benchmarks read: reproducible, generated once and kept.

    python -m tests.benchmarks.dataset [--home FOLDER] [--records 1000000] [--others 1000000]

One account has the records of a year, of 12 models and 6 clients, beside the records of 20 other accounts. Records are
written to a store of the first schema and then migrated like an old archive, so migrations create what they add later
(the search index).
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from tests.benchmarks.texts import prompt

# Raise it when the generated data changes, so that kept archives are generated again.
VERSION = 2
FIRST_TABLES = ("usage", "0002")
MARK = "dataset.json"
HOME = Path(tempfile.gettempdir()) / "usage-archive-benchmark"
ZONE = "Europe/Berlin"
# Fewer try the benchmarks out; their limits are for the million.
RECORDS = OTHERS = int(os.environ.get("BENCH_RECORDS", 1_000_000))
NAME, PASSWORD = "benchmark", "measured Twice 2"
ACCOUNT = 1
OTHER_ACCOUNTS = range(2, 22)
FIRST_DAY, DAYS, OLDEST_MONTH = date(2025, 10, 1), 365, 31
LAST_DAY = FIRST_DAY + timedelta(days=DAYS - 1)

MODELS = {f"model-{letter}": weight for letter, weight in zip("abcdefghijkl", range(24, 0, -2), strict=True)}
CLIENTS = {"WorkBuddy": 30, "CodeBuddy IDE": 24, "CodeBuddy CLI": 18, "VS Code": 14, "JetBrains": 10, "": 4}
# One of twenty records each, by the request id.
PURPOSES = (
    *["conversation"] * 13, *["conversation:compact"] * 2, *["subagent:explore"] * 2, "subagent:plan", "", "",
)  # fmt: skip
WEEKDAYS = (1.15, 1.2, 1.2, 1.2, 1.15, 0.6, 0.5)
HOURS = (3, 2, 1, 1, 1, 1, 2, 5, 12, 30, 40, 34, 16, 24, 38, 42, 40, 30, 18, 16, 22, 24, 16, 8)
FREE = 0.12

_RECORD = "INSERT INTO usage_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 1)"
_PROMPT = "INSERT INTO usage_prompt (record_id, text) VALUES (?, ?)"
_FIGURES = "SUM(credits), COUNT(*), SUM(credits = 0)"
_ROLLUPS = (
    "INSERT INTO usage_daygroup (user_id, day, model, client, credits, calls, free) "
    f"SELECT user_id, day, model, client, {_FIGURES} FROM usage_record GROUP BY user_id, day, model, client",
    "INSERT INTO usage_dayhour (user_id, day, hour, credits, calls, free) "
    f"SELECT user_id, day, hour, {_FIGURES} FROM usage_record GROUP BY user_id, day, hour",
)
_COLUMNS = [
    "id", "user_id", "request_id", "credits", "model", "client", "ts", "day", "hour", "agent_purpose",
    "prompt_truncated", "first_seen_at", "updated_at", "run_id",
]  # fmt: skip
Row = tuple[Any, ...]


def ensure(home: Path, records: int = RECORDS, others: int = OTHERS) -> None:
    """Generate the data set in this folder unless it exists, and migrate its tables.

    Once in a process: it sets Django up for this folder. Raises SystemExit if the folder holds something else.
    """
    wanted = {"version": VERSION, "records": records, "others": others}
    is_made = _made(home) == wanted
    if not is_made:
        _clear(home)
    use(home)
    from django.core.management import call_command
    from django.db import connection

    from usage.repeated import key_filling
    from usage.rollups import month_sums
    from usage.search import engine_index as search_index

    if not is_made:
        call_command("migrate", *FIRST_TABLES, verbosity=0)
        connection.close()
        _fill(home / "archive.sqlite3", records, others)
    call_command("migrate", verbosity=0)
    # As the housekeeping leaves it.
    month_sums.fill_all()
    while not key_filling.fill_all():
        pass
    while search_index.tidy():
        pass
    if not is_made:
        _make_accounts()
        (home / MARK).write_text(json.dumps(wanted))


def _made(home: Path) -> dict[str, int] | None:
    """The description of the data set in this folder; empty if its generation was interrupted."""
    mark = home / MARK
    return dict(json.loads(mark.read_text())) if mark.exists() else None


def _clear(home: Path) -> None:
    if _made(home) is None and home.exists() and any(home.iterdir()):
        sys.exit(f"{home} is not empty, and no data set of the benchmarks: it stays as it is")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / MARK).write_text("{}")


def use(home: Path) -> None:
    """Set Django up for the archive in this folder."""
    import django

    os.environ.update(environment(home))
    django.setup()


def environment(home: Path) -> dict[str, str]:
    """The environment of every process that works on the data set."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ARCHIVE_", "REDIS_", "DATABASE_"))
    }
    return {
        **kept, "ARCHIVE_HOME": str(home.absolute()), "TZ": ZONE, "DJANGO_SETTINGS_MODULE": "tests.benchmarks.settings"
    }  # fmt: skip


def _fill(path: Path, records: int, others: int) -> None:
    """Write records, prompts and rollups; the secondary indexes are created afterwards, in one pass each."""
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        write_fast(store)
        columns = [row[1] for row in store.execute("PRAGMA table_info(usage_record)")]
        assert columns == _COLUMNS, columns
        indexes = store.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL AND tbl_name = 'usage_record'"
        ).fetchall()
        for name, _ in indexes:
            store.execute(f"DROP INDEX {name}")
        store.execute("BEGIN")
        for rows, prompts in days(records, others):
            store.executemany(_RECORD, rows)
            store.executemany(_PROMPT, prompts)
        for statement in [*(sql for _, sql in indexes), *_ROLLUPS]:
            store.execute(statement)
        store.execute("COMMIT")


def write_fast(store: sqlite3.Connection) -> None:
    """Let what is written be lost if the machine stops: it can be made again."""
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-1000000", "temp_store=MEMORY"):
        store.execute(f"PRAGMA {pragma}")


def days(records: int, others: int) -> Iterator[tuple[list[Row], list[Row]]]:
    """The rows of records and prompts, day by day, in the order of collections of the accounts in turn."""
    counts = {ACCOUNT: _per_day(records)}
    counts |= {account: _per_day(others // len(OTHER_ACCOUNTS)) for account in OTHER_ACCOUNTS}
    number = 0
    for index in range(DAYS):
        rows: list[Row] = []
        prompts: list[Row] = []
        for account, count in counts.items():
            for row, text in _day(account, index, count[index]):
                number += 1
                rows.append((number, *row))
                if text:
                    prompts.append((number, text))
        yield rows, prompts


def _per_day(records: int) -> list[int]:
    """The number of records of each day, by weekday; their sum is the given number."""
    weights = [WEEKDAYS[(FIRST_DAY + timedelta(days=index)).weekday()] for index in range(DAYS)]
    edges = [round(records * reached / sum(weights)) for reached in accumulate(weights, initial=0)]
    return [later - earlier for earlier, later in zip(edges, edges[1:], strict=False)]


def _day(account: int, index: int, count: int) -> Iterator[tuple[Row, str]]:
    dice = random.Random(f"{account}/{index}")
    day = (FIRST_DAY + timedelta(days=index)).isoformat()
    models = dice.choices(list(MODELS), list(MODELS.values()), k=count)
    clients = dice.choices(list(CLIENTS), list(CLIENTS.values()), k=count)
    seconds = sorted(hour * 3600 + dice.randrange(3600) for hour in dice.choices(range(24), HOURS, k=count))
    oldest_month, others = index < OLDEST_MONTH, account != ACCOUNT
    for model, client, second in zip(models, clients, seconds, strict=True):
        ts = f"{day} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        number = dice.getrandbits(128)
        purpose = PURPOSES[number % len(PURPOSES)]
        row = account, f"{number:032x}", _credits(dice), model, client, ts, day, second // 3600, purpose, ts, ts
        yield row, prompt(dice, oldest_month=oldest_month, others=others)


def _credits(dice: random.Random) -> int:
    """Whole millionths; half of them have two decimals, so that there are ties."""
    if dice.random() < FREE:
        return 0
    credits = dice.lognormvariate(0.6, 1.1)
    return int(round(credits, 2 if dice.random() < 0.5 else 6) * 1_000_000)


def _make_accounts() -> None:
    """The accounts of the records, which sign in without a captcha."""
    from accounts import config
    from accounts.account_creation import create_account
    from accounts.models import INSTANCE, Archive
    from accounts.store_identity import open_store
    from usage.data_version import raise_version

    open_store()
    # The migration takes the records for those of deleted accounts.
    Archive.objects.all().delete()
    config.write({"captcha_policy": "off"}, archive_id=INSTANCE, may_edit_instance=True)
    for number in (ACCOUNT, *OTHER_ACCOUNTS):
        user = create_account(NAME if number == ACCOUNT else f"other-{number}", PASSWORD, PASSWORD)
        assert user.pk == number
        raise_version(user.pk)


def described(home: Path) -> str:
    """The contents and sizes of the data set, in one line."""
    path = home / "archive.sqlite3"
    with closing(sqlite3.connect(path)) as store:
        own = store.execute("SELECT COUNT(*) FROM usage_record WHERE user_id = ?", [ACCOUNT]).fetchone()[0]
        everything, groups = store.execute(
            "SELECT (SELECT COUNT(*) FROM usage_record), (SELECT COUNT(*) FROM usage_daygroup WHERE user_id = ?)",
            [ACCOUNT],
        ).fetchone()
        prompts, size = store.execute("SELECT COUNT(*), SUM(length(CAST(text AS BLOB))) FROM usage_prompt").fetchone()
    return (
        f"{own:,} records of one account and {everything - own:,} of {len(OTHER_ACCOUNTS)} others; {groups:,} rows of "
        f"the rollup; prompts of {size / max(prompts, 1):.0f} bytes; {path.stat().st_size / 1e6:,.0f} MB, of which "
        f"prompts {size / path.stat().st_size:.0%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dataset")
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--others", type=int, default=OTHERS)
    options = parser.parse_args()
    begun = time.monotonic()
    ensure(options.home, options.records, options.others)
    print(f"{options.home}: {described(options.home)} ({time.monotonic() - begun:.0f} s)")


if __name__ == "__main__":
    main()
