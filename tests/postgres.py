"""Runs the tests on a private PostgreSQL and Redis: `python -m tests.postgres [options of pytest]`."""

import os
import signal
import subprocess
import sys

from tests.private_servers import postgres, redis_server


def _end(*_: object) -> None:
    # `subprocess.run` then ends the tests, and the servers end after them.
    sys.exit(1)


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, _end)
    with postgres() as database, redis_server() as counters:
        servers = {"TESTS_DATABASE_URL": database, "TESTS_REDIS_URL": counters}
        return subprocess.run([sys.executable, "-m", "pytest", *arguments], env={**os.environ, **servers}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
