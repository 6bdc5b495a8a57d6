"""Receivers on loopback that a notice is sent to, and the child with a line changed."""

import json
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from ssl import SSLContext
from threading import Thread
from typing import Any

from tests.self_signed import self_signed_context

ROOT = Path(__file__).resolve().parents[4]
PUBLIC = "93.184.216.34"


class Receiver:
    """A web server that keeps what it is sent, and answers as the test sets it."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], object]) -> None:
        self.bodies: list[str] = []
        self.headers: list[Message] = []
        self.paths: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:  # noqa: N805 - the receiver is self
                self.paths.append(handler.path)
                self.headers.append(handler.headers)
                self.bodies.append(handler.rfile.read(int(handler.headers["Content-Length"])).decode())
                answer(handler)

            def log_message(handler, *_: Any) -> None:  # noqa: N805
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.address = f"json://127.0.0.1:{self.port}/hook"
        self.url = f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def receiving(
    answer: Callable[[BaseHTTPRequestHandler], object] | int = 200, tls: SSLContext | None = None
) -> Iterator[Receiver]:
    """A receiver that answers by a function, or with this status and nothing else."""
    receiver = Receiver(answer if callable(answer) else lambda handler: status(handler, answer))
    if tls:
        receiver.server.socket = tls.wrap_socket(receiver.server.socket, server_side=True)
    with running(receiver.server):
        yield receiver


@contextmanager
def running(server: ThreadingTCPServer | ThreadingHTTPServer) -> Iterator[None]:
    server.daemon_threads, server.block_on_close = True, False
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status(handler: BaseHTTPRequestHandler, code: int, **headers: str) -> None:
    """Answer with a status, headers and an empty body."""
    handler.send_response(code)
    for name, value in {"Content_Length": "0", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


@contextmanager
def mail_server(**refusals: str) -> Iterator[tuple[int, list[str]]]:
    """A mail server's port and the lines that it is sent. A refusal is an answer to a command, as in rcpt="550 No"."""
    lines: list[str] = []

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 here")
            in_message = False
            for raw in self.rfile:
                line = raw.decode().rstrip("\r\n")
                lines.append(line)
                in_message = in_message and line != "."
                if in_message:
                    continue
                word = line.partition(" ")[0].lower()
                self.say(refusals.get(word, {"data": "354 go on", "quit": "221 bye"}.get(word, "250 fine")))
                in_message = word == "data" and "data" not in refusals

        def say(self, answer: str) -> None:
            self.wfile.write(f"{answer}\r\n".encode())

    server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
    with running(server):
        yield server.server_address[1], lines


def child(question: dict[str, Any], *lines: str) -> tuple[Any, str]:
    """The answer of the child, with some lines run before it begins, and all else that it wrote."""
    script = "\n".join(["from accounts.delivery.sending import child", *lines, "child.main()"])
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT, input=json.dumps(question), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    first, _, rest = ended.stdout.partition("\n")
    return json.loads(first), rest + ended.stderr


@contextmanager
def every_host(
    folder: Path, names: Collection[str], answer: Callable[[BaseHTTPRequestHandler], object] | int = 200
) -> Iterator[tuple[Receiver, str]]:
    """A receiver that has a certificate for these names, and lines for the child that lead all names to it."""
    with receiving(answer, self_signed_context(folder, *names)) as receiver:
        yield (
            receiver,
            f"""
import socket
import requests.adapters
requests.adapters.DEFAULT_CA_BUNDLE_PATH = {str(folder / "server.pem")!r}
def resolve(host, port, *_, **__):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", {receiver.port}))]
socket.getaddrinfo = resolve""",
        )


def with_content(content: bytes, code: int = 200) -> Callable[[BaseHTTPRequestHandler], object]:
    """An answer with a status and a body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        status(handler, code, Content_Length=str(len(content)))
        handler.wfile.write(content)

    return answer


def question(address: str, *, private_allowed: bool = True) -> dict[str, Any]:
    texts = {"title": "Cookie ends", "body": "Tomorrow at noon.", "id": "1f3a"}
    return {"address": address, **texts, "private_allowed": private_allowed}
