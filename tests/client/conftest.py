"""The command as a process of its own, over a real server on loopback."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from accounts.models import User
from tests.process_stores import environment
from tests.tokens import make_token

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "archive_site.command_line")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(tmp_path: Path) -> Run:
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


class Scripted(BaseHTTPRequestHandler):
    """Sends the next of the answers that a test wrote, byte by byte as written."""

    server: "ScriptedServer"

    def do_GET(self) -> None:
        self.server.seen.append(dict(self.headers))
        self.wfile.write(self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0])
        self.close_connection = True

    def log_message(self, *words: object) -> None:
        pass


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Scripted)
        self.answers: list[bytes] = []
        self.seen: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()
