"""A small proxy that serves an instance, under a path of its host or at another address, over real connections."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PATH = "/usage"
_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@contextmanager
def proxied(url: str, *, strips: bool) -> Iterator[str]:
    """The address of the service behind a proxy that keeps the path or strips it; all else there is 404.

    `url` is that of the instance.
    """
    with proxy(PATH, strips=strips) as before:
        before.lead_to(url)
        yield f"http://127.0.0.1:{before.port}{PATH}"


@contextmanager
def proxy(path: str = "", *, strips: bool = False) -> Iterator["Proxy"]:
    """A proxy whose port is known before the instance that it leads to."""
    handler = type("Handler", (_Forwarder,), {"path_of_service": path, "strips": strips})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield Proxy(server.server_address[1], handler)
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Proxy:
    port: int
    handler: type["_Forwarder"]

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"

    def lead_to(self, url: str) -> None:
        self.handler.port = urlsplit(url).port or 80


class _Forwarder(BaseHTTPRequestHandler):
    port: int
    path_of_service: str
    strips: bool

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not f"{self.path.partition('?')[0]}/".startswith(f"{self.path_of_service}/"):
            self.send_error(404)
            return
        path = self.path.removeprefix(self.path_of_service) if self.strips else self.path
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as upstream:
            upstream.request(self.command, path if path.startswith("/") else f"/{path}", body, dict(self.headers))
            answer = upstream.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            if answer.status not in (204, 304):
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    do_GET = do_POST = do_HEAD = _forward

    def log_message(self, format: str, *values: object) -> None:
        pass
