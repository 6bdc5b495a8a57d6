"""Slow clients of the web server, over real connections: docs/decisions.md#slow-clients."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from archive_site.lib.http.download_places import PLACE_IS_FREE
from archive_site.serving import slow_clients, web_server
from archive_site.serving.slow_clients import Connection, Places
from archive_site.serving.web_server import THREADS, WebServer
from tests.archive_site.commands import free_port, wait_until

# An exception in the main loop would end the server.
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
LONGEST_BODY = 1000
# More than the buffers of both sides of a connection on this machine hold.
HUGE = 24 * 1024 * 1024
PIECE = b"x" * 65536
# More than a thread hands over before it waits.
LARGE = 2 * 1024 * 1024


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
        self.port = free_port()
        self.server = WebServer(self.pages, "127.0.0.1", self.port, longest_body=LONGEST_BODY)
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


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The server; a tenth of a second is what takes a second in service."""
    monkeypatch.setattr(slow_clients, "PATIENCE", 0.1)
    monkeypatch.setattr(slow_clients, "SPARED_SILENCE", 0.2)
    monkeypatch.setattr(web_server, "LOOK_INTERVAL", 0.05)
    made = Site()
    yield made
    made.open.close()
    made.server.stop()
    made.thread.join(10)
    assert not made.thread.is_alive()


UNFINISHED = {
    "a body": b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc",
    "headers": b"GET /page HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "a first line": b"GET /pa",
}


@pytest.mark.parametrize("said", UNFINISHED.values(), ids=UNFINISHED)
def test_of_many_unfinished_requests_two_of_a_source_stay_and_the_others_are_refused(site: Site, said: bytes) -> None:
    slow = [site.connect(said) for _ in range(THREADS * 3)]
    answers = []
    for connection in slow:
        connection.settimeout(0.02)
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE and len(site.server.active_channels) == 2)
    for connection in slow:
        try:
            answers.append(connection.recv(4096))
        except TimeoutError:
            answers.append(b"")
    refused = [answer for answer in answers if answer]
    assert len(refused) == len(slow) - slow_clients.OF_A_SOURCE
    assert all(answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n") for answer in refused)
    assert all(b"Retry-After: 10" in answer and b'"error": "unavailable"' in answer for answer in refused)
    assert site.get("/page").endswith(b"ok")


def test_two_hundred_slow_clients_of_as_many_sources_leave_room_for_others(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter(range(10_000))
    monkeypatch.setattr(Connection, "_source", lambda self: str(next(numbers)))
    slow = [site.connect(UNFINISHED["a body"]) for _ in range(200)]
    wait_until(lambda: site.places_taken == slow_clients.IN_ALL and len(site.server.active_channels) <= len(slow))
    assert site.get("/page").endswith(b"ok")
    wait_until(lambda: len(site.server.active_channels) == slow_clients.IN_ALL)
    assert site.places_taken == slow_clients.IN_ALL


@pytest.mark.parametrize("path", ["/stream", "/whole"])
def test_answers_that_nobody_reads_leave_the_threads_to_others(site: Site, path: str) -> None:
    for _ in range(THREADS - 1):
        site.connect(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE and len(site.server.active_channels) == 2)
    assert site.get("/place").endswith(b"False")
    assert site.pages.streams == (slow_clients.OF_A_SOURCE if path == "/stream" else 0)


def test_requests_sent_ahead_wait_for_their_answers_without_a_thread(site: Site) -> None:
    ahead = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 50
    for _ in range(THREADS * 2):
        site.connect(ahead)
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE)
    assert site.get("/page").endswith(b"ok")
    assert site.pages.large <= THREADS * 2


def test_requests_sent_ahead_are_answered_in_turn(site: Site) -> None:
    head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
    sent = "".join(f"{head}\r\n{number}" for number in range(5)) + f"{head}Connection: close\r\n\r\n5"
    answer = everything(site.connect(sent.encode()))
    assert [part[-1:] for part in answer.split(b"HTTP/1.1 200 OK")[1:]] == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_a_steady_reader_keeps_its_download_beside_others_without_a_place(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_clients, "PATIENCE", 0.5)
    monkeypatch.setattr(slow_clients, "SPARED_SILENCE", 2.0)
    for _ in range(slow_clients.OF_A_SOURCE):
        site.connect(b"GET /whole HTTP/1.1\r\nHost: x\r\n\r\n")
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE)
    steady = site.connect(b"GET /whole HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    received, until = 0, time.monotonic() + 4
    while time.monotonic() < until:
        received += len(steady.recv(200_000))
        threading.Event().wait(0.1)
    assert received + len(everything(steady)) > HUGE


def test_a_place_is_free_again_when_its_holder_reads_on(site: Site) -> None:
    connections = [site.connect(b"GET /whole HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(slow_clients.OF_A_SOURCE)]
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE)
    received = 0
    while received < HUGE:
        received += len(connections[0].recv(2**20))
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE - 1)
    assert site.get("/place").endswith(b"True")


def test_a_place_is_free_again_when_its_holder_leaves(site: Site) -> None:
    slow = [site.connect(UNFINISHED["headers"]) for _ in range(slow_clients.OF_A_SOURCE)]
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE)
    slow[0].close()
    wait_until(lambda: site.places_taken == slow_clients.OF_A_SOURCE - 1)


def test_a_request_that_trickles_too_slowly_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "RECEIVED_AFTER", 0.2)
    slow = site.connect(UNFINISHED["a body"])
    assert everything(slow).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_a_request_that_takes_too_long_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "LONGEST_REQUEST", 0.2)
    assert everything(site.connect(UNFINISHED["headers"])).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_a_slow_request_in_its_place_is_answered_when_it_is_whole(site: Site) -> None:
    slow = site.connect(b"POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\nabc")
    wait_until(lambda: site.places_taken == 1)
    slow.sendall(b"def")
    assert everything(slow).endswith(b"\r\n\r\nabcdef")
    assert site.places_taken == 0


@pytest.mark.parametrize("limit", ["LONGEST_SILENCE", "SENT_AFTER"])
def test_an_answer_that_is_read_too_slowly_is_broken_off(
    site: Site, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    wait_until(lambda: site.places_taken == 1)
    monkeypatch.setattr(slow_clients, limit, 0.1)
    monkeypatch.setattr(slow_clients, "LEAST_SENT", HUGE)
    wait_until(lambda: site.pages.streams == 0)
    assert site.places_taken == 0


def test_behind_a_proxy_the_source_is_the_client_that_the_proxy_names(site: Site, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    for number in range(4):
        head = f"POST /echo HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.{number}\r\nContent-Length: 9\r\n\r\n"
        site.connect(head.encode())
    wait_until(lambda: site.places_taken == 4)


def test_behind_a_proxy_unfinished_headers_count_in_all_only(site: Site, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    for _ in range(4):
        site.connect(UNFINISHED["headers"])
    wait_until(lambda: site.places_taken == 4)


def test_a_place_that_is_held_is_kept_even_if_no_other_is_free() -> None:
    places = Places()
    assert [places.take(holder, "a") for holder in "1231"] == [True, True, False, True]


# Requests and answers


def test_names_with_underscores_are_dropped(site: Site) -> None:
    head = b"GET /headers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX_Forwarded_For: 1\r\n"
    assert everything(site.connect(head + b"\r\n")).endswith(b"[]")
    assert everything(site.connect(head + b"X-Forwarded-For: 2\r\n\r\n")).endswith(b"['HTTP_X_FORWARDED_FOR']")


@pytest.mark.parametrize(
    ("fields", "body", "seen"),
    [
        ("Content-Length: 1000", b"x" * 1000, b"1000 None 1000"),
        ("Content-Length: 1001", b"x" * 1001, b"1001 None 0"),
        ("Transfer-Encoding: chunked", b"3\r\nabc\r\n0\r\n\r\n", b"None chunked 0"),
    ],
)
def test_a_body_that_will_be_refused_is_not_kept(site: Site, fields: str, body: bytes, seen: bytes) -> None:
    head = f"POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}\r\n\r\n".encode()
    assert everything(site.connect(head + body)).endswith(b"\r\n\r\n" + seen)


@pytest.mark.parametrize("fields", ["Content-Length: 99999999", "Transfer-Encoding: chunked"])
def test_a_body_that_will_be_refused_is_answered_while_its_client_still_sends(site: Site, fields: str) -> None:
    connection = site.connect(f"POST /length HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\nab".encode())
    answer = connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"Connection: close" in answer
    connection.sendall(b"x" * 100_000)
    # The rest of the answer, and its end.
    assert everything(connection) in (b"", answer.partition(b"\r\n\r\n")[2] or b"None chunked 0")


@pytest.mark.parametrize(
    "said",
    [
        b"GE T / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 4400 + b"\r\n\r\n",
        b"GET http://[x/login HTTP/1.1\r\n\r\n",
        b"GET http://[zz]/login HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_in_json(site: Site, said: bytes) -> None:
    answer = everything(site.connect(said))
    assert answer.split()[1] == b"400"
    assert b'"error": "bad_request"' in answer
    assert b"Server" not in answer


def test_headers_without_end_are_refused(site: Site) -> None:
    answer = everything(site.connect(b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000))
    assert answer.split()[1] == b"431"


def test_a_connection_is_kept_after_an_answer_without_body(site: Site) -> None:
    connection = site.connect(b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
    assert connection.recv(4096).startswith(b"HTTP/1.1 304 ")
    connection.sendall(b"HEAD /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = everything(connection)
    assert b"Content-Length: 2" in answer
    assert b"Set-Cookie: a=1" in answer
    assert answer.endswith(b"\r\n\r\n")


# The stop


def test_a_stop_finishes_what_runs_and_takes_nothing_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine may need more than the seconds of service.
    monkeypatch.setattr(web_server, "STOP_PATIENCE", 60.0)
    connection = site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    wait_until(lambda: site.pages.streams == 1)
    site.server.stop()
    wait_until(lambda: site.server.socket.fileno() == -1)
    with pytest.raises(ConnectionError):
        site.connect()
    assert len(everything(connection)) > HUGE
    site.thread.join(5)
    assert not site.thread.is_alive()


def test_a_stop_does_not_wait_for_slow_clients(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "STOP_PATIENCE", 0.3)
    site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    site.connect(UNFINISHED["a body"])
    wait_until(lambda: site.pages.streams == 1)
    begun = time.monotonic()
    site.server.stop()
    site.thread.join(5)
    assert time.monotonic() - begun < 3
