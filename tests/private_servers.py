"""A PostgreSQL cluster and a Redis of the tests' own: on sockets in a temporary folder, gone when the tests end.

The cluster sorts text by a language, so that a query that relies on bytewise order fails.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import redis

# PostgreSQL refuses to run as root.
_SERVER_USER = "postgres"
_START_SECONDS = 30
_INITDB = ("--username=archive", "--auth=trust", "--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US",
           "--locale=C.UTF-8", "--no-sync", "--no-instructions")  # fmt: skip
# Nothing of a test outlives the machine, so nothing waits for the disk.
_SETTINGS = {
    "listen_addresses": "", "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
    "max_connections": "200", "shared_buffers": "256MB", "max_wal_size": "2GB", "log_min_messages": "fatal",
}  # fmt: skip


class Cluster:
    """A cluster of its own in a folder; `url` is its address as `DATABASE_URL` takes it."""

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self.url = f"postgres://archive@{quote(str(folder), safe='')}/postgres"
        options = {**_SETTINGS, **settings, "unix_socket_directories": folder}
        self._data = folder / "data"
        self._command = [_program("postgres"), "-D", str(self._data)]
        self._command += [f"-c{name}={value}" for name, value in options.items()]

    def create(self) -> None:
        _run([_program("initdb"), f"--pgdata={self._data}", *_INITDB])

    def start(self) -> None:
        self._server = _start(self._command)
        _wait_for(lambda: psycopg.connect(self.url, connect_timeout=1).close(), psycopg.OperationalError, self._server)

    @property
    def pid(self) -> int:
        return self._server.pid

    def stop(self, *, crash: bool = False) -> None:
        """A fast shutdown, which waits for no client; or the end of all its processes at once, as in a crash."""
        self._server.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self._server.wait(_START_SECONDS)


@contextmanager
def cluster(**settings: object) -> Iterator[Cluster]:
    """A running cluster of its own, with these settings of PostgreSQL."""
    with _folder() as folder:
        made = Cluster(folder, settings)
        made.create()
        try:
            made.start()
            yield made
        finally:
            made.stop()


@contextmanager
def postgres(**settings: object) -> Iterator[str]:
    """The address of a running cluster of its own, with these settings, as `DATABASE_URL` takes it."""
    with cluster(**settings) as running:
        yield running.url


@contextmanager
def redis_server() -> Iterator[str]:
    """The address of a running Redis of its own, as `REDIS_URL` takes it."""
    with _folder() as folder:
        socket = folder / "redis.sock"
        # A database for each process of tests, and for each instance that they start (`tests/process_stores.py`).
        server = _start(["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder),
                         "--databases", "1024"])  # fmt: skip
        url = f"unix://{socket}"
        try:
            _wait_for(lambda: redis.Redis.from_url(url).ping(), redis.ConnectionError, server)
            yield url
        finally:
            server.terminate()
            server.wait(_START_SECONDS)


def _program(name: str) -> str:
    """A program of the newest installed PostgreSQL; Debian keeps them out of the path."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return str(installed[-1]) if installed else name


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="usage-archive-server-") as name:
        if os.geteuid() == 0:
            shutil.chown(name, _SERVER_USER)
        yield Path(name)


def _owner() -> str | None:
    return _SERVER_USER if os.geteuid() == 0 else None


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, user=_owner(), cwd="/", check=True, stdout=subprocess.DEVNULL)


def _start(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    # In a session of its own: Ctrl+C ends the tests first, which end the server.
    return subprocess.Popen(command, user=_owner(), cwd="/", stdout=subprocess.DEVNULL, start_new_session=True)


def _wait_for(reached: Callable[[], object], failure: type[Exception], server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            reached()
            return
        except failure:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
