"""Which statements and locks tests use on PostgreSQL: read from the server's log, written to a file, compared.

`.ci/run` repeats on PostgreSQL only the tests marked `engine`. `make test-all` records their statements and those of
all tests: `python -m tests.statements ENGINE ALL` fails for each that no `engine` test uses, and names its tests
(docs/architecture.md#tests).
"""

import csv
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from django.db import connection
from psycopg.pq import TransactionStatus

# Set for the tests, and for the processes that they start, while statements are recorded.
RECORDING = "RECORDED_STATEMENTS"
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
# With a backslash it begins with E, and psycopg puts a space before that.
_TEXT = re.compile(r"(?:(?:(?<=\() )?\bE)?'(?:[^']|'')*'")
# Random names, such as those of schemas; digits anywhere, which number savepoints, temporary tables and databases.
_RANDOM = re.compile(r"(?<=_)[0-9a-f]{8,}")
_NUMBER = re.compile(r"\$?\d+(?:\.\d+)?")
_VALUE = re.compile(r"(?:(?<=\()|(?<=[,=<>] )|(?<=LIMIT ))(?:NULL|TRUE|FALSE|-\?)(?!\w)", re.IGNORECASE)
_CAST = re.compile(r"\?(?:::[a-z][\w?]*(?:\[\])?)+")
_LIST = re.compile(r"\?(?:, ?\?)+")
_ROWS = re.compile(r"\(\?\)(?:, ?\(\?\))+")
_AGAIN = re.compile(r"(SELECT (?:(?! UNION ALL ).)+)(?: UNION ALL \1(?=$|\)| (?:UNION|ORDER|LIMIT)\b))+")
# Tests empty all tables in one statement, in any order.
_EMPTY = re.compile(r"TRUNCATE [\w.]+,.*")
_LOCK = re.compile(r"advisory\w*\((?:hashtextextended\()? ?E?'([a-z_.]*)")
_TABLE = re.compile(r"\b(?:FROM|INTO|JOIN|UPDATE) (?:[\w?]+\.)*([a-z]+_\w+)")
# Reads combine these filters in many ways, written by hand and by Django.
_COLUMN = r"(?:\w+\.)?(?:day|ts|hour|model|client|agent_purpose|credits|record_id)"
_TERM = rf"(?:(?:{_COLUMN}|SUBSTR\({_COLUMN}, \?\)) (?:[<=>]+ \?|IN \(\?\)|IS (?:NOT )?NULL)|(?:\w+\.)?without_prompt)"
_FILTER = re.compile(rf" AND ((?:NOT )?{_TERM}|NOT \({_TERM}\))(?=$|[ )])")
_PREFIX = re.compile(r"\w+\.")
# Django's parentheses around several conditions, where filters left one.
_ONE = re.compile(r"(?<=WHERE )\(([^ ()]+ = \?)\)")
# The most names of tests that are kept for a statement, beside those of properties.
_NAMES = 20
# A name of a program on the server has at most this length.
_LONGEST = 63
# Begins the name of a property, whose random examples are more in `make test-all`.
_PROPERTY = "property "
# The name of connections by which tests look at a store: the service does not send their statements.
OF_TESTS = "tests"
_TESTS = str(Path(__file__).parent)
_PROJECT = str(Path(__file__).parents[1])
_LIBRARIES = f"{os.sep}site-packages{os.sep}"
_QUEUE = f"{_LIBRARIES}django_q{os.sep}"

Found = dict[str, list[str]]


def name_of(nodeid: str, is_property: bool = False) -> str:
    """The name under which the statements of a test are logged: its function and the end of its file."""
    file, _, test = nodeid.partition("::")
    name = f"{_PROPERTY * is_property}{Path(file).stem}::{test.partition('[')[0]}"
    return name.encode("ascii", "replace").decode()[:_LONGEST]


def begin(nodeid: str, is_property: bool) -> None:
    """Name the connections of a test, and of the processes that it starts, while statements are recorded."""
    if RECORDING in os.environ:
        _name(name_of(nodeid, is_property))
        if _apart not in connection.execute_wrappers:
            connection.execute_wrappers.append(_apart)


def _apart(execute: Callable[..., Any], *statement: Any) -> Any:
    """Keep a statement out of the record that code of tests sends itself, not the service."""
    if not _is_asked_by_tests():
        return execute(*statement)
    connection.ensure_connection()
    _name_connection(OF_TESTS)
    try:
        return execute(*statement)
    finally:
        _name_connection(os.environ["PGAPPNAME"])


def _is_asked_by_tests() -> bool:
    frame: FrameType | None = sys._getframe(2)
    while frame and (_LIBRARIES in frame.f_code.co_filename or not frame.f_code.co_filename.startswith(_PROJECT)):
        # What the queue asks of its tables is the service's.
        if _QUEUE in frame.f_code.co_filename:
            return False
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_TESTS)


@contextmanager
def of_tests() -> Iterator[None]:
    """Keep what a block sends through Django's connection out of the record, as in a process that a test starts."""
    if RECORDING not in os.environ:
        yield
        return
    name = os.environ["PGAPPNAME"]
    _name(OF_TESTS)
    try:
        yield
    finally:
        _name(name)


def _name(name: str) -> None:
    os.environ["PGAPPNAME"] = name
    _name_connection(name)


def _name_connection(name: str) -> None:
    # A connection that is open already is kept. After a failure it takes nothing, and gets its earlier name back.
    if _takes_statements(connection.connection):
        connection.connection.execute(f"SET application_name = '{name}'")


def _takes_statements(open_one: Any) -> bool:
    return (
        open_one is not None and not open_one.closed and open_one.info.transaction_status != TransactionStatus.INERROR
    )


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
    """A statement without its values and filters, with the name of the lock that it takes; and each filter alone, with
    the first table of the statement: so a new combination of filters is no new statement."""
    lock = _LOCK.search(_RANDOM.sub("", statement))
    bare = _EMPTY.sub("TRUNCATE", _bare(statement))
    table = _TABLE.search(bare)
    filters = {_PREFIX.sub("", one) for one in _FILTER.findall(bare)}
    base = _AGAIN.sub(r"\1", _ONE.sub(r"\1", _FILTER.sub("", bare))) + (f" -- {lock[1]}" if lock else "")
    return [base, *(f"{table[1] if table else ''} -- {one}" for one in sorted(filters))]


def _bare(statement: str) -> str:
    """A statement without its values and quotation marks, in one line."""
    bare = " ".join(statement.split()).replace('"', "")
    for pattern in (_TEXT, _RANDOM, _NUMBER, _VALUE):
        bare = pattern.sub("?", bare)
    return _ROWS.sub("(?)", _LIST.sub("?", _CAST.sub("?", bare)))


def _read(log: Path, found: Found) -> None:
    csv.field_size_limit(2**30)
    with log.open(errors="replace", newline="") as lines:
        for row in csv.reader(lines):
            statement, name = _STATEMENT.match(row[_MESSAGE]), row[_NAME]
            for shape in shapes(statement[1]) if statement and name != OF_TESTS else ():
                names = found.setdefault(shape, [])
                if name not in names and (len(names) < _NAMES or name.startswith(_PROPERTY)):
                    names.append(name)


def compare(known: Found, used: Found) -> tuple[Found, Found]:
    """The statements that are used and not known, with their tests: those that fail the comparison, and those of only
    deeper examples, whose tests are all properties with known statements."""
    repeated = {name for names in known.values() for name in names if name.startswith(_PROPERTY)}
    missing = {statement: names for statement, names in used.items() if statement not in known}
    deeper = {
        statement: names for statement, names in missing.items() if len(names) < _NAMES and repeated.issuperset(names)
    }
    return {statement: names for statement, names in missing.items() if statement not in deeper}, deeper


def main(engine: Path, everything: Path) -> int:
    used = json.loads(everything.read_text())
    missing, deeper = compare(json.loads(engine.read_text()), used)
    for statement, names in missing.items():
        print(f"{statement}\n  used by {', '.join(names)}")
    print(f"{len(used)} distinct statements and locks, {len(missing)} of them in no test marked 'engine'.")
    print(f"{len(deeper)} more only by deeper examples of properties that are marked so.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
