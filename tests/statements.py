"""Which statements and locks tests use on PostgreSQL: read from the server's log, written to a file, compared.

`.ci/run` repeats on PostgreSQL only the tests marked `engine`. `make test-all` records their statements and those of
all tests: `python -m tests.statements ENGINE ALL` fails for each that no `engine` test uses, and names its tests.
"""

import csv
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

# Set for the processes of tests while their statements are recorded.
RECORDING = "TESTS_RECORDED"
_LOG = "statements"
# The collector of the server writes one line after the other, where its processes would write into each other's.
SETTINGS = {
    "log_statement": "all", "log_parameter_max_length": 0, "log_min_messages": "log", "log_checkpoints": "off",
    "logging_collector": "on", "log_destination": "csvlog", "log_rotation_age": 0, "log_rotation_size": 0,
    "log_filename": f"{_LOG}.log",
}  # fmt: skip
# Columns of the log (PostgreSQL's documentation, "Using CSV-Format Log Output").
_MESSAGE, _NAME = 13, 22
_STATEMENT = re.compile(r"(?:statement|execute [^:]*): (?!SET application_name)(.*)", re.DOTALL)
_TEXT = re.compile(r"(?:\bE)?'(?:[^']|'')*'")
# Random names, such as those of schemas; digits anywhere, which number savepoints, temporary tables and databases.
_RANDOM = re.compile(r"(?<=_)[0-9a-f]{8,}")
_NUMBER = re.compile(r"\$?\d+(?:\.\d+)?")
_NULL = re.compile(r"(?<=[(,=] )NULL|(?<=\()NULL")
_CAST = re.compile(r"\?(?:::[a-z]\w*(?:\[\])?)+")
_LIST = re.compile(r"\(?\?\)?(?:, ?\(?\?\)?)+")
_LOCK = re.compile(r"advisory\w*\((?:hashtextextended\()?'([a-z_.]*)")
# Reads combine these filters in many ways. Each is compared alone, so that a new combination is no new statement.
_FILTER = re.compile(r" AND (?:\w+\.)?((?:day|ts|hour|model|client|agent_purpose) (?:=|IN|>=|<=) (?:\(\?\)|\?))")
# The most names of tests that are kept for a statement.
_NAMES = 20
# A name of a program on the server has at most this length.
_LONGEST = 63

Found = dict[str, list[str]]


def name_of(nodeid: str) -> str:
    """The name under which the statements of a test are logged: its function and the end of its file."""
    file, _, test = nodeid.partition("::")
    name = f"{Path(file).stem}::{test.partition('[')[0]}"
    return name.encode("ascii", "replace").decode()[:_LONGEST]


def begin(nodeid: str) -> None:
    """Name the connections of a test, and of the processes that it starts, while statements are recorded."""
    if RECORDING not in os.environ:
        return
    os.environ["PGAPPNAME"] = name = name_of(nodeid)
    # A connection that earlier tests opened is kept.
    if connection.connection is not None and not connection.connection.closed:
        connection.connection.execute(f"SET application_name = '{name}'")


@contextmanager
def recorded(folder: Path, file: Path) -> Iterator[dict[str, object]]:
    """The settings of a server that logs to a folder. The file has what came, once the block and the server ended."""
    found: Found = {}
    log = folder / f"{_LOG}.csv"
    os.mkfifo(log)
    # The server has a user of its own.
    folder.chmod(0o777)
    log.chmod(0o666)
    with os.fdopen(os.open(log, os.O_RDWR), "r", errors="replace", newline="") as kept_open:
        reader = threading.Thread(target=_read, args=[log, found])
        reader.start()
        try:
            yield {**SETTINGS, "log_directory": folder}
        finally:
            kept_open.close()
            reader.join()
    file.write_text(json.dumps(found, indent=1, sort_keys=True))


def shapes(statement: str) -> list[str]:
    """A statement without its values and filters, with the name of the lock that it takes; and with each filter."""
    lock = _LOCK.search(statement)
    bare = _NUMBER.sub("?", _RANDOM.sub("?", _TEXT.sub("?", " ".join(statement.split()))))
    bare = _LIST.sub("?", _CAST.sub("?", _NULL.sub("?", bare)))
    base = _FILTER.sub("", bare) + (f" -- {lock[1]}" if lock else "")
    return [base, *(f"{base} -- {one}" for one in sorted(set(_FILTER.findall(bare))))]


def _read(log: Path, found: Found) -> None:
    csv.field_size_limit(2**30)
    with log.open(errors="replace", newline="") as lines:
        for row in csv.reader(lines):
            statement = _STATEMENT.match(row[_MESSAGE])
            for shape in shapes(statement[1]) if statement else ():
                names = found.setdefault(shape, [])
                if len(names) < _NAMES and row[_NAME] not in names:
                    names.append(row[_NAME])


def main(engine: Path, everything: Path) -> int:
    known, used = json.loads(engine.read_text()), json.loads(everything.read_text())
    missing = {statement: names for statement, names in used.items() if statement not in known}
    for statement, names in missing.items():
        print(f"{statement}\n  used by {', '.join(names)}")
    print(f"{len(used)} distinct statements and locks, {len(missing)} of them in no test marked 'engine'.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
