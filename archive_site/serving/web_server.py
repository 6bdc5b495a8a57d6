"""The web server of `manage.py up`: waitress, with a stop that finishes what runs (docs/decisions/web.md#waitress)."""

import logging
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.urls import get_resolver
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from archive_site.lib import allocator, cpus
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.service_path import own_path
from archive_site.lib.storage import lock_wait
from archive_site.serving.bind_address import BACKLOG
from archive_site.serving.fair_queue import FairQueue
from archive_site.serving.places import Places
from archive_site.serving.slow_clients import IN_ALL, Connection
from archive_site.serving.uploads import Uploads

THREADS = 8
# Answered by a thread of their own, so that they do not wait for those of others.
_PROBES = ("/healthz", "/readyz")
# Seconds that a thread computes while others wait: with Python's five milliseconds, a request beside three that compute
# waits for fifteen at each of its calls of the system, and so does the main loop.
_SWITCH_INTERVAL = 0.0005
# Connections that are taken one after the other, and bytes that are read at once: the main loop looks at each
# connection between two of them.
_TAKEN_AT_ONCE = 32
_READ_AT_ONCE = 64 * 1024
# Large bodies that are received or in work at once.
_BODIES, _BODIES_OF_A_SOURCE = 64, 4
# Seconds that running requests get at a stop.
STOP_PATIENCE = 7.0
_MEGABYTE = 1024 * 1024
# A stream waits for its client when this much of it is not sent; of a whole answer more is kept in a file.
_UNSENT = _MEGABYTE
# What the system keeps of an answer for a client that does not read.
_SEND_BUFFER = 256 * 1024
# Files and sockets of this process that are no connections.
_OTHER_FILES = 128
_MOST_FILES = 4096
_POLL_SECONDS = 0.5
# Seconds between two looks at the speed of connections.
LOOK_INTERVAL = 1.0


class WebServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Serves an application on a socket that listens, until `stop`, which closes it."""

    channel_class = Connection

    def __init__(
        self, application: Callable[..., Any], listener: socket.socket, *, now: Callable[[], float] = time.monotonic
    ):
        """`now` gives the seconds by which all waiting for clients is measured."""
        self.now = now
        self.places = Places(IN_ALL)
        self.uploads = Uploads()
        self.bodies = Places(_BODIES, _BODIES_OF_A_SOURCE)
        self._probes = ThreadedTaskDispatcher()
        self._probes.set_thread_count(1)
        self._stop_at: float | None = None
        self._next_look = 0.0
        self._listens = True
        about = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(application, _sock=listener, adj=_adjustments(), sockinfo=about, bind_socket=False)
        self.task_dispatcher.queue = FairQueue()

    def set_socket_options(self, conn: socket.socket) -> None:
        super().set_socket_options(conn)
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)

    def handle_accept(self) -> None:
        for _ in range(_TAKEN_AT_ONCE):
            before = len(self._map)
            super().handle_accept()
            if len(self._map) == before:
                return

    def add_task(self, task: Connection) -> None:
        is_probe = own_path(task.requests[0].path) in _PROBES
        (self._probes if is_probe else self.task_dispatcher).add_task(task)

    def requests_wait(self) -> bool:
        """Whether all threads have work, and requests wait for one."""
        return bool(self.task_dispatcher.queue)

    def stop(self) -> None:
        """Take no more connections; `run` returns when the running requests are answered, or after seven seconds."""
        self._stop_at = self.now() + STOP_PATIENCE
        self.pull_trigger()

    def run(self) -> None:
        while not self._is_over():
            wasyncore.loop(timeout=min(_POLL_SECONDS, LOOK_INTERVAL), use_poll=True, map=self._map, count=1)
            now = self.now()
            if now >= self._next_look:
                self._next_look = now + LOOK_INTERVAL
                self.look_at_connections(now)
                allocator.trim()
        for dispatcher in (self.task_dispatcher, self._probes):
            dispatcher.shutdown(timeout=0.2)

    def look_at_connections(self, now: float) -> None:
        for connection in list(self.active_channels.values()):
            connection.look_at_speed(now)

    def _is_over(self) -> bool:
        if self._stop_at is None:
            return False
        if self._listens:
            self._listens = False
            self.accepting = False
            self.del_channel()
            self.socket.close()
        busy = any(one.is_busy for one in list(self.active_channels.values()))
        return not busy or self.now() > self._stop_at


def load() -> Callable[..., Any]:
    """The project's application with all its pages."""
    from archive_site.wsgi import application

    # Their modules would be loaded with the first request.
    _ = get_resolver().url_patterns
    return application


def require_files() -> None:
    """Raises ConfigurationError where the system lets the process open too few files to serve anybody."""
    allowed = _files_allowed()
    if allowed <= _OTHER_FILES:
        raise ConfigurationError(
            f"The system allows this process {allowed} open files (ulimit -n): it needs more than {_OTHER_FILES}"
        )


def run(listener: socket.socket) -> None:
    """What the process of the web server does."""
    allocator.return_memory()
    lock_wait.wait_as_requests()
    serve(load(), listener)


def serve(application: Callable[..., Any], listener: socket.socket) -> None:
    """Serve an application until SIGTERM or Ctrl-C."""
    for name in ("waitress", "waitress.queue"):
        logging.getLogger(name).setLevel(logging.ERROR)
    cpus.stay_on_one()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    server = WebServer(application, listener)

    def end(number: int, frame: FrameType | None) -> None:
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    server.run()


def _adjustments() -> Adjustments:
    return Adjustments(
        threads=THREADS,
        backlog=BACKLOG,
        connection_limit=_files_allowed() - _OTHER_FILES,
        channel_timeout=60,
        cleanup_interval=5,
        # The application decides which forwarded headers count: docs/decisions/web.md#client-address.
        clear_untrusted_proxy_headers=False,
        ident="",
        max_request_header_size=64 * 1024,
        recv_bytes=_READ_AT_ONCE,
        inbuf_overflow=2 * _MEGABYTE,
        outbuf_overflow=_UNSENT,
        outbuf_high_watermark=_UNSENT,
    )


def _files_allowed() -> int:
    """How many files the process may open, after raising the system's soft limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return min(soft, _MOST_FILES)
