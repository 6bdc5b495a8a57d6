"""The HTTP side of a simulated service: connections, and the manners of sending an answer."""

import ipaddress
import logging
import select
import socket
import struct
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Event, Lock, Thread
from typing import Any, Protocol, Self

logger = logging.getLogger(__name__)

BODY_BYTES = 1024 * 1024
CHUNK = b"a" * (1024 * 1024)
CLOSE_WITH_RESET = struct.pack("ii", 1, 0)
# How an answer may be sent, beside plainly.
MANNERS = ("reset", "hang", "drip", "huge_body", "gzip_bomb")


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer; `manner` is how it is sent: empty for plainly, else one of `MANNERS`.

    `around` is the JSON before and behind the text of an answer that is huge.
    """

    status: int
    body: bytes
    content_type: str = "application/json; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    manner: str = ""
    around: tuple[bytes, bytes] = (b'"', b'"')


class Manners(Protocol):
    """The seconds between the bytes of an answer that drips, and the bytes of one that is huge."""

    drip_seconds: float
    huge_bytes: int


def check_loopback(host: str) -> str:
    """Returns the loopback address that `host` names. Raises ValueError for any other."""
    address = "127.0.0.1" if host == "localhost" else host
    try:
        if ipaddress.ip_address(address).is_loopback:
            return address
    except ValueError:
        pass
    raise ValueError(f"the simulator listens on a loopback address only, not on {host!r}")


class RunningSimulator:
    """A simulator that answers on loopback in a thread, from `start` to `stop`, or within a `with`."""

    def __init__(self, host: str, port: int) -> None:
        """`start` opens the port (0: any free one). Raises ValueError if `host` is not loopback."""
        self._host, self._port = check_loopback(host), port
        self._server: SimulatorServer | None = None
        self._thread: Thread | None = None
        self.stopping = Event()

    @property
    def faults(self) -> Manners:
        raise NotImplementedError

    def respond(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        """The answer to one request."""
        raise NotImplementedError

    def start(self) -> None:
        """Opens the port and answers in a separate thread; after `stop`, reopens the same port. Raises OSError."""
        self.stopping.clear()
        self._server = SimulatorServer((self._host, self._port), self)
        self._port = self._server.server_address[1]
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), name="simulator", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Closes the port and every connection, answered or not. Does nothing if not started."""
        self.stopping.set()
        if self._server and self._thread:
            self._server.shutdown()
            self._server.drop_connections()
            self._server.server_close()
            self._thread.join()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """Scheme, host and port; known once started."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"


class SimulatorServer(ThreadingHTTPServer):
    """A thread per connection; it keeps a list of open connections, so that stopping ends them all."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], simulated: RunningSimulator) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.simulated = simulated
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
        self._send(self.server.simulated.respond(self.command, self.path, headers, self._body()))

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
                self._stream(reply, self._huge_body(reply))
            case "gzip_bomb":
                self._stream(reply, _gzip(self._huge_body(reply)), "gzip")
            case _:
                self._head(reply, ("Content-Length", str(len(reply.body))))
                self.wfile.write(b"" if self.command == "HEAD" else reply.body)

    def _head(self, reply: Reply, *more: tuple[str, str]) -> None:
        self.send_response(reply.status)
        for name, value in (
            ("Content-Type", reply.content_type),
            *reply.headers,
            *more,
        ):
            self.send_header(name, value)
        self.end_headers()

    def _hang(self) -> None:
        self.close_connection = True
        while not self.server.simulated.stopping.wait(0.05):
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
            if self.server.simulated.stopping.wait(self.server.simulated.faults.drip_seconds):
                return

    def _stream(self, reply: Reply, chunks: Iterator[bytes], encoding: str = "") -> None:
        more = [("Content-Encoding", encoding)] if encoding else []
        self._head(reply, ("Transfer-Encoding", "chunked"), *more)
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def _huge_body(self, reply: Reply) -> Iterator[bytes]:
        """Valid JSON with one text of `huge_bytes`, rounded up to whole MiB."""
        yield reply.around[0]
        for _ in range(0, self.server.simulated.faults.huge_bytes, len(CHUNK)):
            yield CHUNK
        yield reply.around[1]


def _gzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    yield from filter(None, map(packer.compress, chunks))
    yield packer.flush()
