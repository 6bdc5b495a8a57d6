"""The HTTP side of the upstream simulator: connections, and the manners of sending an answer."""

import ipaddress
import logging
import select
import socket
import struct
import sys
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Event, Lock
from typing import Any, Protocol

from collection.sources.codebuddy.simulator.answers import Reply
from collection.sources.codebuddy.simulator.faults import Faults

logger = logging.getLogger(__name__)

BODY_BYTES = 1024 * 1024
CHUNK = b"a" * (1024 * 1024)
CLEARED_COOKIE = "session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly"
CLOSE_WITH_RESET = struct.pack("ii", 1, 0)


class Upstream(Protocol):
    """What the server uses of the simulator."""

    faults: Faults
    stopping: Event

    def respond(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply: ...


def check_loopback(host: str) -> str:
    """Returns the loopback address that `host` names. Raises ValueError for any other."""
    address = "127.0.0.1" if host == "localhost" else host
    try:
        if ipaddress.ip_address(address).is_loopback:
            return address
    except ValueError:
        pass
    raise ValueError(f"the simulator listens on a loopback address only, not on {host!r}")


class SimulatorServer(ThreadingHTTPServer):
    """A thread per connection; it keeps a list of open connections, so that stopping ends them all."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], upstream: Upstream) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.upstream = upstream
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        super().__init__(address, SimulatorHandler)

    def server_bind(self) -> None:
        # HTTPServer would look up the host's name, which may take seconds and is not needed here.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._lock:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """Ends every open connection, even in the middle of an answer."""
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                logger.debug("connection was closed already")

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Many faults make the client give up in the middle.
        if not isinstance(sys.exception(), ConnectionError):
            logger.exception("the simulator could not answer")


class SimulatorHandler(BaseHTTPRequestHandler):
    """Reads requests, asks the simulator for replies, and sends each in its manner."""

    server: SimulatorServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def version_string(self) -> str:
        return "nginx"

    def log_message(self, format: str, *args: Any) -> None:
        logger.debug(format, *args)

    def do_POST(self) -> None:
        headers = dict(self.headers.items())
        self._send(self.server.upstream.respond(self.command, self.path, headers, self._body()))

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        size = int(length) if length.isdecimal() else 0
        if size > BODY_BYTES or "Transfer-Encoding" in self.headers:
            self.close_connection = True
        return self.rfile.read(min(size, BODY_BYTES))

    def _send(self, reply: Reply) -> None:
        match reply.manner:
            case "hang":
                self._hang()
            case "reset":
                self._reset(reply)
            case "drip":
                self._drip(reply)
            case "huge_body":
                self._stream(reply, _huge_body(self.server.upstream.faults.huge_bytes))
            case "gzip_bomb":
                self._stream(reply, _gzip(_huge_body(self.server.upstream.faults.huge_bytes)), "gzip")
            case _:
                self._head(reply, ("Content-Length", str(len(reply.body))))
                self.wfile.write(b"" if self.command == "HEAD" else reply.body)

    def _head(self, reply: Reply, *more: tuple[str, str]) -> None:
        self.send_response(reply.status)
        for name, value in (
            ("Content-Type", reply.content_type),
            ("Set-Cookie", CLEARED_COOKIE),
            *reply.headers,
            *more,
        ):
            self.send_header(name, value)
        self.end_headers()

    def _hang(self) -> None:
        self.close_connection = True
        while not self.server.upstream.stopping.wait(0.05):
            readable = select.select([self.connection], [], [], 0)[0]
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return

    def _reset(self, reply: Reply) -> None:
        self._head(reply, ("Content-Length", str(len(reply.body))))
        self.wfile.write(reply.body[: len(reply.body) // 2])
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, CLOSE_WITH_RESET)
        # The socket closes only after its reader is closed, and only closing it sends the reset.
        self.rfile.close()
        self.connection.close()

    def _drip(self, reply: Reply) -> None:
        self.close_connection = True
        self._head(reply, ("Content-Length", str(len(reply.body))))
        for byte in reply.body:
            self.wfile.write(bytes([byte]))
            if self.server.upstream.stopping.wait(self.server.upstream.faults.drip_seconds):
                return

    def _stream(self, reply: Reply, chunks: Iterator[bytes], encoding: str = "") -> None:
        more = [("Content-Encoding", encoding)] if encoding else []
        self._head(reply, ("Transfer-Encoding", "chunked"), *more)
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")


def _huge_body(size: int) -> Iterator[bytes]:
    """Valid JSON with one prompt of `size` bytes, rounded up to whole MiB."""
    yield b'{"code": 0, "msg": "OK", "data": {"total": 1, "data": [{"requestId": "0", "input": "'
    for _ in range(0, size, len(CHUNK)):
        yield CHUNK
    yield b'"}]}}'


def _gzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    yield from filter(None, map(packer.compress, chunks))
    yield packer.flush()
