"""Runs the tests on a private PostgreSQL and Redis: `python -m tests.postgres [--record FILE] [options of pytest]`.

`--record` writes each distinct statement and lock of the run (`tests/statements.py`).
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests import statements
from tests.private_servers import postgres, redis_server


def _end(*_: object) -> None:
    # `subprocess.run` then ends the tests, and the servers end after them.
    sys.exit(1)


def main(arguments: list[str]) -> int:
    record = Path(arguments[1]) if arguments[:1] == ["--record"] else None
    signal.signal(signal.SIGTERM, _end)
    with ExitStack() as stack:
        # A table that is analysed by the server meanwhile has other plans.
        settings: dict[str, object] = {"autovacuum": "off"}
        if record:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="usage-archive-log-")))
            settings |= stack.enter_context(statements.recorded(folder, record))
        database = stack.enter_context(postgres(**settings))
        servers = {"TESTS_DATABASE_URL": database, "TESTS_REDIS_URL": stack.enter_context(redis_server())}
        if record:
            servers[statements.RECORDING] = "1"
        command = [sys.executable, "-m", "pytest", *arguments[2 if record else 0 :]]
        return subprocess.run(command, env={**os.environ, **servers}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
