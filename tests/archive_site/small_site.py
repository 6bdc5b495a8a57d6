"""A web server with an application of its own, for tests over real connections."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from archive_site.lib.http.download_places import PLACE_IS_FREE
from archive_site.serving.web_server import WebServer

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
        self.large = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        path = environ["PATH_INFO"]
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

    def _body(self, environ: dict[str, Any]) -> bytes:
        if environ["PATH_INFO"] == "/place":
            return str(environ[PLACE_IS_FREE]()).encode()
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


class Site:
    def __init__(self) -> None:
        self.pages = Pages()
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(listener.getsockname()[1])
        self.server = WebServer(self.pages, listener)
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

    @property
    def places_taken(self) -> int:
        return len(self.server.places._sources)


def everything(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))
