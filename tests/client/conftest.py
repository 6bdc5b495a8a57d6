"""The command as a process of its own, over a real server on loopback."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Any

import pytest

from accounts.models import User
from tests.process_stores import environment
from tests.tokens import make_token

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "archive_site.command_line")
Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def command(tmp_path: Path, running_clock: None) -> Run:
    """Run the command with these words; variables of the environment by name."""

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words], cwd=ROOT, env=environment(tmp_path / "none", **variables),
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    return run


@pytest.fixture
def client(command: Run, live_server: Any, alice: User) -> Run:
    """The command with a token of alice for all scopes, or for those of `scopes`."""

    def run(*words: str, scopes: tuple[str, ...] = (), **variables: str) -> subprocess.CompletedProcess[str]:
        token = make_token(alice, *scopes)[1]
        access = {"USAGE_ARCHIVE_SERVER": live_server.url, "USAGE_ARCHIVE_TOKEN": token}
        return command(*words, **{**access, **variables})

    return run


@pytest.fixture
def start(tmp_path: Path, running_clock: None) -> Iterator[Start]:
    """Start the command with these words, and variables by name. It writes to pipes, or to the file `stdout`."""
    with ExitStack() as running:

        def begin(*words: str, stdout: int = subprocess.PIPE, **variables: str) -> subprocess.Popen[str]:
            process = running.enter_context(
                subprocess.Popen(
                    [*COMMAND, *words], cwd=ROOT, env=environment(tmp_path / "none", **variables),
                    stdout=stdout, stderr=subprocess.PIPE, text=True,
                )
            )  # fmt: skip
            running.callback(process.kill)
            return process

        yield begin


class Scripted(BaseHTTPRequestHandler):
    """Sends the next of the answers that a test wrote, byte by byte as written. The last one may never end."""

    server: "ScriptedServer"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_last = len(self.server.answers) == 1
        # First, since who gets the answer may look at once.
        self.server.seen.append(dict(self.headers))
        self.wfile.write(self.server.answers[0] if is_last else self.server.answers.pop(0))
        self.server.asked.put(self.path)
        if is_last and self.server.hangs:
            self.server.is_over.wait()
        self.close_connection = True

    do_POST = do_GET

    def log_message(self, *words: object) -> None:
        pass


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Scripted)
        self.answers: list[bytes] = []
        self.seen: list[dict[str, str]] = []
        self.hangs = False
        self.is_over = Event()
        # The path of each request, when the answer to it has been written.
        self.asked = Queue[str]()

    def wait_until_asked(self, path: str) -> None:
        """Wait for the first request of this path, or of one below it."""
        while not self.asked.get(timeout=30).startswith(path):
            pass

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.is_over.set()
        server.shutdown()
