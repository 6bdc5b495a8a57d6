"""A web server with an application of its own, for tests over real connections."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from queue import Queue
from typing import Any

from archive_site.lib.http.account_turns import COME_AGAIN, WHEN_SENT, ComesAgain
from archive_site.lib.http.download_places import PLACE_IS_FREE
from archive_site.lib.http.waiting_requests import REQUESTS_WAIT
from archive_site.serving.slow_clients import Connection
from archive_site.serving.web_server import WebServer
from tests.archive_site.commands import wait_until

# More than the buffers of both sides of a connection on this machine hold.
HUGE = 24 * 1024 * 1024
PIECE = b"x" * 65536
# More than a thread hands over before it waits.
LARGE = 2 * 1024 * 1024
UNFINISHED = {
    "a body": b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc",
    "headers": b"GET /page HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "a first line": b"GET /pa",
}


class Pages:
    """An application with a short page, an echo, a stream and a plain answer; it counts what it still sends."""

    def __init__(self) -> None:
        self.streams = 0
        # Each request to /turn waits once for its turn; what puts it in the queue again.
        self.again: list[Callable[[Callable[[], None]], bool]] = []
        self.large = 0
        # The answers that were sent, or whose client left.
        self.sent: list[str] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        path = environ["PATH_INFO"]
        if path == "/turn" and self._waits(environ):
            environ["wsgi.input"].read()
            raise ComesAgain
        if path in ("/sent", "/short"):
            environ[WHEN_SENT](lambda: self.sent.append("sent"))
            path = "/whole" if path == "/sent" else path
        if path == "/stream":
            start("200 OK", [("Content-Type", "text/csv")])
            return self._stream()
        if path == "/large":
            self.large += 1
            start("200 OK", [("Content-Length", str(LARGE))])
            return [b"x" * LARGE]
        if path == "/whole":
            start("200 OK", [("Content-Length", str(HUGE))])
            return [b"x" * HUGE]
        if path == "/none":
            start("304 Not Modified", [])
            return []
        body = self._body(environ)
        start("200 OK", [("Content-Length", str(len(body))), ("Set-Cookie", " a=1")])
        return [body]

    def _waits(self, environ: dict[str, Any]) -> bool:
        again = environ[COME_AGAIN]
        if again in self.again:
            return False
        self.again.append(again)
        return True

    def _body(self, environ: dict[str, Any]) -> bytes:
        if environ["PATH_INFO"] == "/place":
            return str(environ[PLACE_IS_FREE]()).encode()
        if environ["PATH_INFO"] == "/cookies":
            return str(environ["HTTP_COOKIE"]).encode()
        if environ["PATH_INFO"] == "/turn":
            body = environ["wsgi.input"].read()
            return b"turn after " + body if body else b"turn"
        if environ["PATH_INFO"] == "/waiting":
            return str(environ[REQUESTS_WAIT]()).encode()
        if environ["PATH_INFO"] == "/length":
            kept = environ["wsgi.input"].read()
            return f"{environ.get('CONTENT_LENGTH')} {environ.get('HTTP_TRANSFER_ENCODING')} {len(kept)}".encode()
        if environ["PATH_INFO"] == "/headers":
            return repr(sorted(name for name in environ if name.startswith("HTTP_X"))).encode()
        return bytes(environ["wsgi.input"].read() or b"ok")

    def _stream(self) -> Iterator[bytes]:
        self.streams += 1
        try:
            for _ in range(HUGE // len(PIECE)):
                yield PIECE
        finally:
            self.streams -= 1


class WatchedServer(WebServer):
    """A server that shows when it has looked at the speed of its connections."""

    looks: Queue[float]

    def look_at_connections(self, now: float) -> None:
        super().look_at_connections(now)
        self.looks.put(now)


class Site:
    """The server; its time stands still unless a test lets it pass by."""

    def __init__(self) -> None:
        self.pages = Pages()
        self.seconds = 0.0
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(listener.getsockname()[1])
        self.server = WatchedServer(self.pages, listener, now=lambda: self.seconds)
        self.server.looks = Queue()
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        self.open = ExitStack()

    def connect(self, said: bytes = b"") -> socket.socket:
        made = self.open.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60))
        made.sendall(said)
        return made

    def get(self, path: str) -> bytes:
        """The answer to a request on a connection of its own."""
        return everything(self.connect(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()))

    def let_pass(self, seconds: float) -> None:
        self.seconds += seconds
        self.server.pull_trigger()

    def pass_by(self, seconds: float) -> None:
        """Let at least a second pass by, after which the server looks at the speed of its connections."""
        self.let_pass(seconds)
        while self.server.looks.get(timeout=60) < self.seconds:
            pass

    def pass_by_until(self, true: Callable[[], object], most: int) -> None:
        """Let second after second pass by, at most this many of them."""
        for _ in range(most):
            if true():
                return
            self.pass_by(1)
            # The system of this machine may take a moment to hand over what it has; its time does not stand still.
            threading.Event().wait(0.02)
        assert true()

    def wait_for_requests(self, number: int) -> None:
        """Wait until this many requests have begun to arrive, and are not whole."""
        wait_until(lambda: sum(one.request is not None and not one.requests for one in self.connections) == number)

    def wait_for_answers(self, number: int) -> None:
        """Wait until this many answers have begun to be sent, and are not all sent."""
        wait_until(lambda: sum(one.total_outbufs_len > 0 for one in self.connections) == number)

    @property
    def connections(self) -> list[Connection]:
        return list(self.server.active_channels.values())

    @property
    def places_taken(self) -> int:
        return self.server.places.taken


def everything(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))
