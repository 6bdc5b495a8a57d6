"""A loopback HTTP server that plays a script: one step for each request, the last one again and again."""

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

ROW: dict[str, Any] = {
    "requestId": "0123456789abcdef0123456789abcdef",
    "credit": 10.5,
    "model": "glm-5.3-flash",
    "client": "WorkBuddy",
    "requestTime": "2026-09-07 23:42:00",
    "inputTrunc": "first part …",
    "input": "the whole prompt",
    "agentPurpose": "conversation",
}


@dataclass(frozen=True)
class Received:
    """One request as it came over the wire, headers undecoded but for Latin-1."""

    line: str
    headers: dict[str, str]
    body: dict[str, Any]


class ScriptedUpstream:
    """Plays `steps`; keeps `requests` and counts `connections`.

    It sets `hangs` when a client waits in a step that never ends, and `left` when one leaves it.
    """

    def __init__(self, *steps: "Step", tls: ssl.SSLContext | None = None) -> None:
        self.steps = list(steps)
        self.requests: list[Received] = []
        self.connections = 0
        self.hangs = threading.Event()
        self.left = threading.Event()
        self.over = threading.Event()
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self.over.is_set():
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as sent:
                while received := _receive(sent):
                    self.requests.append(received)
                    self.steps[min(len(self.requests), len(self.steps)) - 1](connection, self)


Step = Callable[[socket.socket, ScriptedUpstream], None]


def _receive(sent: Any) -> Received | None:
    line = sent.readline().decode("latin-1").strip()
    headers: dict[str, str] = {}
    while line and (header := sent.readline().decode("latin-1").rstrip("\r\n")):
        name, _, value = header.partition(": ")
        headers[name] = value
    body = sent.read(int(headers.get("Content-Length", 0)))
    return Received(line, headers, json.loads(body or b"{}")) if line else None


def raw(data: bytes) -> Step:
    """Send these bytes and nothing else."""
    return lambda connection, server: connection.sendall(data)


def answer(status: int = 200, body: bytes | str = b"", **headers: str) -> Step:
    """Send one whole answer; an underscore in a header's name stands for a hyphen."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Scripted", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return raw("\r\n".join([*lines, "", ""]).encode("latin-1") + content)


def in_json(payload: object, status: int = 200) -> Step:
    """Send an answer in JSON."""
    return answer(status, json.dumps(payload), Content_Type="application/json")


def rows(*changes: dict[str, Any], total: object = None) -> Step:
    """Send a good answer with one row for each dict, which says what differs from ROW."""
    data = [{**ROW, **change} for change in changes]
    return in_json({"code": 0, "msg": "OK", "data": {"total": len(data) if total is None else total, "data": data}})


def hang(connection: socket.socket, server: ScriptedUpstream) -> None:
    """Answer nothing until the client leaves."""
    connection.settimeout(0.05)
    server.hangs.set()
    while not server.over.is_set():
        with suppress(TimeoutError):
            if not connection.recv(1):
                server.left.set()
                return


def drip(start: bytes) -> Step:
    """Send `start`, then a byte every 50 ms for as long as the client takes them."""

    def step(connection: socket.socket, server: ScriptedUpstream) -> None:
        try:
            connection.sendall(start)
            for number in count(1):
                if server.over.wait(0.05):
                    return
                connection.sendall(b"a")
                if number == 3:
                    server.hangs.set()
        except OSError:
            server.left.set()

    return step


def reset(connection: socket.socket, server: ScriptedUpstream) -> None:
    """Break the connection off with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()
