"""A small proxy that serves an instance under a path of its host, for tests over real connections."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
    handler = type("Handler", (_Forwarder,), {"port": urlsplit(url).port, "strips": strips})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{PATH}"
    finally:
        server.shutdown()
        server.server_close()


class _Forwarder(BaseHTTPRequestHandler):
    port: int
    strips: bool

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not f"{self.path.partition('?')[0]}/".startswith(f"{PATH}/"):
            self.send_error(404)
            return
        path = self.path.removeprefix(PATH) if self.strips else self.path
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
