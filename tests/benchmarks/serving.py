"""Our server as `manage.py up` starts it, over the data set; and the HTTP client for all servers."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

import psutil

from tests.benchmarks.dataset import NAME, PASSWORD, environment

PROJECT = Path(__file__).parents[2]
PATIENCE = 60.0


@dataclass(frozen=True)
class Answer:
    """An answer, and the seconds from the request until its last byte."""

    seconds: float
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """One connection that is kept alive, with the cookies that the server set."""

    def __init__(self, port: int):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self._cookies: dict[str, str] = {}

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask("GET", path, None, headers)

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self._connection.close()

    def sign_in(self, name: str, password: str) -> None:
        self.get("/login")
        form = {"username": name, "password": password, "_csrf": self._cookies["archive_csrf"]}
        answer = self._ask("POST", "/login", urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
        if answer.status != 302:
            sys.exit(f"signing in was answered {answer.status}")

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        if self._cookies:
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()), **headers}
        try:
            return self._answer(method, path, body, headers)
        except ConnectionError:
            # A server may close an idle connection after some seconds; the request is then repeated on a new one.
            self._connection.close()
            return self._answer(method, path, body, headers)

    def _answer(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        begun = time.perf_counter()
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        seconds = time.perf_counter() - begun
        for line in response.headers.get_all("Set-Cookie", []):
            self._cookies |= {name: cookie.value for name, cookie in SimpleCookie(line).items()}
        return Answer(seconds, response.status, response.headers, content)


class Site:
    """Our server over a data set, and a client signed in as its account."""

    def __init__(self, home: Path):
        self.process, port = started(environment(home), "--no-worker")
        self.address = f"http://127.0.0.1:{port}"
        self.client = Client(port)

    def get(self, path: str, **headers: str) -> Answer:
        """Raises SystemExit if the answer is neither 200 nor 304."""
        answer = self.client.get(path, **headers)
        if answer.status not in (200, 304):
            sys.exit(f"{path} was answered {answer.status}: {answer.body[:200]!r}")
        return answer

    def resident(self) -> int:
        return resident(self.process)

    def __enter__(self) -> Self:
        try:
            when_ready(self.client, "/healthz", self.process)
            self.client.sign_in(NAME, PASSWORD)
        except BaseException:
            ended(self.process)
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        ended(self.process)


def started(variables: dict[str, str], *options: str) -> tuple["subprocess.Popen[bytes]", int]:
    """`manage.py up`, and the port that it printed."""
    command = [sys.executable, "manage.py", "up", "--bind", "127.0.0.1:0", *options]
    process = subprocess.Popen(command, cwd=PROJECT, env=variables, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, port_said(process, map(bytes.decode, process.stdout), "Serving on http://127.0.0.1:")


def port_said(process: "subprocess.Popen[Any]", lines: Iterable[str], words: str) -> int:
    """The port that a server prints after these words. Raises SystemExit if it ends before."""
    for line in lines:
        _, found, rest = line.partition(words)
        if found:
            return int(rest.split()[0])
    sys.exit(f"{process.args!r} does not say where it serves")


def resident(process: "subprocess.Popen[bytes]") -> int:
    """Bytes of memory of a process and all its children."""
    family = psutil.Process(process.pid)
    return sum(member.memory_info().rss for member in [family, *family.children(recursive=True)])


def when_ready(client: Client, path: str, process: "subprocess.Popen[Any]") -> None:
    """Wait until a server answers. Raises SystemExit if it ends or does not answer for a minute."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            if client.get(path).status == 200:
                return
        except OSError:
            client.close()
            time.sleep(0.1)
    sys.exit(f"{process.args!r} does not answer")


def ended(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.kill(process.pid, signal.SIGTERM)
    process.wait(PATIENCE)
