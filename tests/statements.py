"""Which statements and locks tests use on PostgreSQL: read from the server's log, written to a file, compared.

`.ci/run` repeats on PostgreSQL only the tests marked `engine`. `make test-all` records their statements and those of
all tests: `python -m tests.statements ENGINE ALL` fails for each that no `engine` test uses, and names its tests.
"""

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# Set for the processes of tests while their statements are recorded.
RECORDING = "TESTS_RECORDED"
# A line of the log begins with these, and holds the name of the test.
_BEGIN, _NAMED = "\x1e", "\x1f"
SETTINGS = {
    "log_statement": "all", "log_parameter_max_length": 0, "log_min_messages": "log", "log_checkpoints": "off",
    "log_line_prefix": f"{_BEGIN}%a{_NAMED}",
}  # fmt: skip
_STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): (.*)", re.DOTALL)
_TEXT = re.compile(r"'(?:[^']|'')*'")
# Digits anywhere: they number savepoints, temporary tables and databases, too.
_NUMBER = re.compile(r"\$?\d+(?:\.\d+)?")
_LIST = re.compile(r"\?(?:, ?\?)+")
_ROWS = re.compile(r"(\([^()]*\))(?:, ?\1)+")
_LOCK = re.compile(r"advisory\w*\((?:hashtextextended\()?'([^']*)'")
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


@contextmanager
def recorded(file: Path) -> Iterator[int]:
    """A descriptor for the log of a server. The file has what came, once the block has ended."""
    source, target = os.pipe()
    found: Found = {}
    with os.fdopen(source, errors="replace") as log:
        reader = threading.Thread(target=_read, args=[log, found])
        reader.start()
        try:
            yield target
        finally:
            os.close(target)
            reader.join()
    file.write_text(json.dumps(found, indent=1, sort_keys=True))


def shape(statement: str) -> str:
    """A statement without its values, which has the name of the lock that it takes, if any."""
    lock = _LOCK.search(statement)
    bare = _NUMBER.sub("?", _TEXT.sub("?", " ".join(statement.split())))
    bare = _ROWS.sub(r"\1", _LIST.sub("?", bare))
    return f"{bare} -- {_NUMBER.sub('?', lock[1])}" if lock else bare


def _read(log: IO[str], found: Found) -> None:
    lines: list[str] = []
    for line in log:
        if line.startswith(_BEGIN):
            _note("".join(lines), found)
            lines.clear()
        lines.append(line)
    _note("".join(lines), found)


def _note(entry: str, found: Found) -> None:
    name, _, said = entry.removeprefix(_BEGIN).partition(_NAMED)
    statement = _STATEMENT.match(said)
    if statement:
        names = found.setdefault(shape(statement[1]), [])
        if len(names) < _NAMES and name not in names:
            names.append(name)


def main(engine: Path, everything: Path) -> int:
    known, used = json.loads(engine.read_text()), json.loads(everything.read_text())
    missing = {statement: names for statement, names in used.items() if statement not in known}
    for statement, names in missing.items():
        print(f"{statement}\n  used by {', '.join(names)}")
    print(f"{len(used)} distinct statements and locks, {len(missing)} of them in no test marked 'engine'.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
