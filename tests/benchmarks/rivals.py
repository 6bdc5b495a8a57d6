"""The alternatives: plain `sqlite3` on the same file, DuckDB with its own table, Datasette.

The first two run in separate processes, which report their seconds and memory.
"""

import csv
import json
import multiprocessing
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, Self
from urllib.parse import urlencode

import psutil

from tests.benchmarks.questions import Rows
from tests.benchmarks.serving import Client, ended, port_said, resident, when_ready

COLUMNS = "user_id, request_id, credits, model, client, ts, day, hour, agent_purpose"
_TYPES = (
    "{'user_id': 'BIGINT', 'request_id': 'VARCHAR', 'credits': 'BIGINT', 'model': 'VARCHAR', 'client': 'VARCHAR', "
    "'ts': 'TIMESTAMP', 'day': 'DATE', 'hour': 'TINYINT', 'agent_purpose': 'VARCHAR'}"
)
DATASETTE_SETTINGS = {"sql_time_limit_ms": 600_000, "max_returned_rows": 1_000_000, "default_cache_ttl": 0}
Answer = tuple[float, list[Rows]]
Execute = Callable[[str, Sequence[Any]], Rows]


class Rival(Protocol):
    """A rival that runs SQL, and its memory."""

    def ask(self, statements: Sequence[str]) -> Answer: ...

    def resident(self) -> int: ...


class Library:
    """A database library in a separate process."""

    def __init__(self, opened: Callable[[Path], Execute], path: Path):
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_answer, args=(opened, path, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, statements: Sequence[str], values: Sequence[Any] = ()) -> Answer:
        """Seconds and rows of the statements, one after the other."""
        self._pipe.send((statements, values))
        seconds, rows = self._pipe.recv()
        return seconds, rows

    def resident(self) -> int:
        """Bytes of memory of its process."""
        return int(psutil.Process(self._process.pid).memory_info().rss)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pipe.close()
        self._process.join()


def plain_sqlite3(home: Path) -> Library:
    return Library(_sqlite3, home / "archive.sqlite3")


def duckdb(home: Path) -> Library:
    """DuckDB on its own file, loaded once from the records, without their prompts."""
    path = home / "records.duckdb"
    if not path.exists():
        _load(home / "archive.sqlite3", path)
    return Library(_duckdb, path)


class Datasette:
    """Datasette on the same file, without a cache and without limits of time or rows."""

    def __init__(self, home: Path):
        settings = [part for name, value in DATASETTE_SETTINGS.items() for part in ("--setting", name, str(value))]
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "datasette",
                "serve",
                str(home / "archive.sqlite3"),
                "--port",
                "0",
                *settings,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr is not None
        self.port = port_said(self.process, map(bytes.decode, self.process.stderr), "running on http://127.0.0.1:")
        # It also prints a line for each request.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.client = Client(self.port)

    def ask(self, statements: Sequence[str]) -> Answer:
        """Seconds and rows of its JSON over HTTP, one request for each statement."""
        answers = [
            self.client.get(f"/archive.json?{urlencode({'sql': statement, '_shape': 'arrays'})}")
            for statement in statements
        ]
        rows = [json.loads(answer.body)["rows"] for answer in answers]
        return sum(answer.seconds for answer in answers), rows

    def resident(self) -> int:
        return resident(self.process)

    def __enter__(self) -> Self:
        try:
            when_ready(self.client, "/-/versions.json", self.process)
        except BaseException:
            ended(self.process)
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        # On SIGTERM it would first finish a stream without a reader.
        self.process.kill()
        self.process.wait()


def _answer(opened: Callable[[Path], Execute], path: Path, pipe: Any) -> None:
    execute = opened(path)
    while True:
        try:
            statements, values = pipe.recv()
        except EOFError:
            return
        begun = time.perf_counter()
        rows = [execute(statement, values) for statement in statements]
        pipe.send((time.perf_counter() - begun, rows))


def _sqlite3(path: Path) -> Execute:
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    return lambda statement, values: store.execute(statement, values).fetchall()


def _duckdb(path: Path) -> Execute:
    import duckdb

    store = duckdb.connect(str(path), read_only=True)
    return lambda statement, values: store.execute(statement, list(values)).fetchall()


def _load(source: Path, path: Path) -> None:
    """Copy the records sorted by account, so that DuckDB skips the blocks of other accounts."""
    import duckdb

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        exported, part = Path(folder) / "records.csv", Path(folder) / "records.duckdb"
        with closing(sqlite3.connect(source)) as store, exported.open("w", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows(
                store.execute(f"SELECT {COLUMNS} FROM usage_record")
            )
        with duckdb.connect(str(part)) as copy:
            copy.execute(
                "CREATE TABLE usage_record AS SELECT * FROM "
                f"read_csv('{exported}', header = false, nullstr = '\\N', columns = {_TYPES}) ORDER BY user_id, ts"
            )
        part.rename(path)
