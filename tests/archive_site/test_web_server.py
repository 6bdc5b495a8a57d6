"""The messages and the stop of the web server, over real connections: docs/decisions/web.md#slow-clients."""

from typing import Any

import pytest

from archive_site.serving import web_server
from tests.archive_site.commands import wait_until
from tests.archive_site.small_site import HUGE, UNFINISHED, Site, everything

# An exception in the main loop would end the server.
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")


def test_names_with_underscores_are_dropped(site: Site) -> None:
    head = b"GET /headers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX_Forwarded_For: 1\r\n"
    assert everything(site.connect(head + b"\r\n")).endswith(b"[]")
    assert everything(site.connect(head + b"X-Forwarded-For: 2\r\n\r\n")).endswith(b"['HTTP_X_FORWARDED_FOR']")


def test_a_view_can_ask_whether_requests_wait_for_a_thread(site: Site) -> None:
    assert site.get("/waiting").endswith(b"False")
    for _ in range(web_server.THREADS):
        site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    site.wait_for_answers(web_server.THREADS)
    assert not site.server.requests_wait()
    site.connect(b"GET /page HTTP/1.1\r\nHost: x\r\n\r\n")
    wait_until(site.server.requests_wait)


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
    connection.sendall(b"x" * 100_000)
    # The rest of the answer, and its end: the first read may have had its head only.
    head, _, body = (answer + everything(connection)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"Connection: close" in head
    assert body == (b"None chunked 0" if "chunked" in fields else b"99999999 None 0")


@pytest.mark.parametrize("fields", ["", "Content-Length: 0\r\n"])
def test_a_request_without_a_body_is_answered_at_once_also_where_it_would_ask_before_one(
    site: Site, fields: str
) -> None:
    head = f"GET /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n{fields}\r\n"
    assert everything(site.connect(head.encode())).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "said",
    [
        b"GE T / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 4400 + b"\r\n\r\n",
        b'GET / HTTP/1.1\r\nContent-Type: a/b; c="' + b";" * 1_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nAccept: " + b"a/b," * 1_001 + b"\r\n\r\n",
        b"GET http://[x/login HTTP/1.1\r\n\r\n",
        b"GET http://[zz]/login HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_in_json(site: Site, said: bytes) -> None:
    answer = everything(site.connect(said))
    assert answer.split()[1] == b"400"
    assert b'"error": "bad_request"' in answer
    assert b"Server" not in answer


def test_cookies_with_escapes_are_left_out(site: Site) -> None:
    head = b'GET /cookies HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: a=1; b="\\000"; c="2"\r\n\r\n'
    assert everything(site.connect(head)).endswith(b'\r\n\r\na=1; c="2"')


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


def test_a_stop_finishes_what_runs_and_takes_nothing_more(site: Site) -> None:
    connection = site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    wait_until(lambda: site.pages.streams == 1)
    site.server.stop()
    wait_until(lambda: site.server.socket.fileno() == -1)
    with pytest.raises(ConnectionError):
        site.connect()
    assert len(everything(connection)) > HUGE
    site.thread.join(60)
    assert not site.thread.is_alive()


def test_a_stop_does_not_wait_for_slow_clients(site: Site) -> None:
    site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    site.connect(UNFINISHED["a body"])
    wait_until(lambda: site.pages.streams == 1)
    site.server.stop()
    site.let_pass(web_server.STOP_PATIENCE)
    wait_until(lambda: site.server.socket.fileno() == -1)
    assert site.thread.is_alive()
    site.let_pass(0.1)
    site.thread.join(60)
    assert not site.thread.is_alive()


def test_a_probe_is_answered_while_all_threads_have_work(site: Site) -> None:
    for _ in range(web_server.THREADS):
        site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    site.wait_for_answers(web_server.THREADS)
    for path in ("/healthz", "/readyz"):
        assert site.get(path).endswith(b"ok")


def test_who_has_many_requests_keeps_one_of_another_for_one_of_them_only(site: Site) -> None:
    for _ in range(web_server.THREADS):
        site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    site.wait_for_answers(web_server.THREADS)
    for number in range(20):
        site.connect(f"GET /page?{number} HTTP/1.1\r\nHost: x\r\nCookie: many\r\n\r\n".encode())
    queue = site.server.task_dispatcher.queue
    wait_until(lambda: len(queue) == 20)
    site.connect(b"GET /page?one HTTP/1.1\r\nHost: x\r\nCookie: few\r\n\r\n")
    wait_until(lambda: len(queue) == 21)
    with site.server.task_dispatcher.lock:
        order = [queue.popleft().requests[0].query for _ in range(len(queue))]
    assert order.index("one") == 1


def test_of_large_bodies_a_source_has_a_few_in_memory(site: Site, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20
    head = f"POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {2**20}\r\n\r\n".encode()
    most = web_server._BODIES_OF_A_SOURCE
    begun = [site.connect(head + b"x" * 1000) for _ in range(most + 4)]
    site.wait_for_requests(most + 4)
    wait_until(lambda: site.server.bodies.taken == most)
    assert site.get("/page").endswith(b"ok")
    for connection in begun[:4]:
        connection.sendall(b"x" * (2**20 - 1000))
        assert everything(connection).endswith(f"{2**20} None {2**20}".encode())
    # What waited is read now, and its time begins.
    for connection in begun[4:]:
        connection.sendall(b"x" * (2**20 - 1000))
        assert everything(connection).endswith(f"{2**20} None {2**20}".encode())
    wait_until(lambda: site.server.bodies.taken == 0)


@pytest.mark.parametrize("is_read", [True, False])
def test_it_says_once_when_an_answer_is_sent_or_its_client_gone(site: Site, is_read: bool) -> None:
    connection = site.connect(b"GET /sent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    site.wait_for_answers(1)
    assert site.pages.sent == []
    if is_read:
        assert len(everything(connection)) > HUGE
    else:
        connection.close()
    wait_until(lambda: site.pages.sent)
    wait_until(lambda: not site.connections)
    assert site.pages.sent == ["sent"]
