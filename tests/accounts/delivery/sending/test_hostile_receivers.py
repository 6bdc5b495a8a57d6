"""Receivers that mean harm: they cost a bounded time and memory, and reach no other host."""

import gzip
import json
import time
from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest

from accounts.delivery.sending.send import Outcome, send
from tests.accounts.delivery.sending.receivers import PUBLIC, child, mail_server, question, receiving, status

MEGABYTE = 1024 * 1024
QUICK = "child.SECONDS = 1"
TIMEOUT = {"sent": False, "reason": "timeout", "again": True}


def resolver(*addresses: str) -> str:
    """A line for the child: the first name resolves to these addresses, further questions are an error."""
    return f"""
import socket
answers = iter([{addresses!r}])
def resolve(host, port, *_, **__):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (found, port)) for found in next(answers)]
socket.getaddrinfo = resolve"""


@pytest.mark.thorough
def test_a_receiver_that_never_answers_is_abandoned() -> None:
    over = Event()
    with receiving(lambda _: over.wait(60)) as receiver:
        began = time.monotonic()
        assert child(question(receiver.address), QUICK) == (TIMEOUT, "")
        assert time.monotonic() - began < 10
        over.set()


@pytest.mark.thorough
def test_who_answers_a_byte_at_a_time_is_left() -> None:
    over = Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not over.wait(0.05):
            handler.wfile.write(b"x")

    with receiving(drip) as receiver:
        assert child(question(receiver.address), QUICK) == (TIMEOUT, "")
        over.set()


@pytest.mark.thorough
@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("code", [200, 500])
def test_who_sends_a_gigabyte_back_gets_rid_of_little(code: int) -> None:
    gone, written = Event(), []

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(1024 * MEGABYTE))
        handler.end_headers()
        try:
            for _ in range(1024):
                handler.wfile.write(b"x" * MEGABYTE)
                written.append(MEGABYTE)
        except OSError:
            gone.set()

    with receiving(flood) as receiver:
        outcome = send(receiver.address, "title", "body", "1f3a")
        assert gone.wait(60)
    assert outcome == (Outcome(True) if code == 200 else Outcome(False, "failed", again=True))
    # What the buffers of both sockets hold.
    assert sum(written) < 64 * MEGABYTE


@pytest.mark.thorough
def test_a_gigabyte_in_a_compressed_answer_is_not_inflated() -> None:
    bomb = gzip.compress(b"\0" * 1024 * MEGABYTE, compresslevel=1)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        status(handler, 200, Content_Length=str(len(bomb)), Content_Encoding="gzip")
        handler.wfile.write(bomb)

    with receiving(answer) as receiver:
        assert child(question(receiver.address)) == ({"sent": True}, "")


@pytest.mark.thorough
def test_headers_without_end_are_not_read() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        for number in range(5000):
            handler.send_header(f"X-{number}", "x" * 1000)
        handler.end_headers()

    with receiving(answer) as receiver:
        answered, rest = child(question(receiver.address))
    assert (answered["sent"], answered["reason"], rest) == (False, "unreachable", "")


@pytest.mark.thorough
def test_a_mail_server_that_never_ends_an_answer_is_left() -> None:
    with mail_server(ehlo="250-" + "x" * 400 + "\r\n250-more" * 1000) as (port, _):
        address = f"mailto://127.0.0.1:{port}?from=archive@example.org&to=anna@example.org"
        assert child(question(address), QUICK) == (TIMEOUT, "")


@pytest.mark.thorough_after(1)
@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    with receiving() as other:

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            status(handler, code, Location=f"http://127.0.0.1:{other.port}/")

        with receiving(redirect) as receiver:
            assert send(receiver.address, "title", "body", "1f3a") == Outcome(False, "redirect", again=False)
    assert other.bodies == []


def test_a_host_that_is_not_public_is_not_asked() -> None:
    with receiving() as receiver:
        assert send(receiver.address, "title", "body", "1f3a") == Outcome(False, "private", again=False)
        assert send(receiver.address.replace("127.0.0.1", "localhost"), "t", "b", "1").reason == "private"
    assert receiver.bodies == []


@pytest.mark.thorough
def test_a_name_that_is_public_at_the_check_and_private_at_the_connection_is_refused() -> None:
    with receiving() as receiver:
        address = receiver.address.replace("127.0.0.1", "rebinding.example.org")
        checked, _ = child({"check": address, "private_allowed": False}, resolver(PUBLIC))
        answered, _ = child(question(address, private_allowed=False), resolver("127.0.0.1"))
    assert checked == {"usable": True}
    assert answered == {"sent": False, "reason": "private", "again": False}
    assert receiver.bodies == []


@pytest.mark.thorough
def test_a_name_with_a_public_and_a_private_address_is_refused() -> None:
    question_of_check = {"check": "json://both.example.org/", "private_allowed": False}
    assert child(question_of_check, resolver(PUBLIC, "10.0.0.1"))[0] == {"usable": False, "reason": "private"}


@pytest.mark.thorough
def test_a_name_is_resolved_once_for_a_connection() -> None:
    with receiving() as receiver:
        address = receiver.address.replace("127.0.0.1", "rebinding.example.org")
        assert child(question(address), resolver("127.0.0.1")) == ({"sent": True}, "")


@pytest.mark.thorough
def test_a_connection_that_goes_around_the_resolver_is_refused() -> None:
    with receiving() as receiver:
        around = f"""
from accounts.delivery.sending import services
def notify(*_):
    import socket
    plain = socket.socket()
    plain.connect(("127.0.0.1", {receiver.port}))
services.notify = notify"""
        with pytest.raises(json.JSONDecodeError):
            child(question(receiver.address, private_allowed=False), around)
        assert child(question(receiver.address), around)[0] == {"sent": True}


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "line", ["subprocess.run(['true'])", "os.system('true')", "os.fork()", "os.posix_spawn('/bin/true', ['true'], {})"]
)
def test_the_child_starts_no_program(line: str) -> None:
    attempt = f"""
import os, subprocess
from accounts.delivery.sending import guard, services
def notify(*_):
    try:
        {line}
    except guard.NotAllowedError:
        return services.REFUSED_FOR_NOW
services.notify = notify"""
    assert child(question("json://127.0.0.1/"), attempt)[0]["reason"] == "refused"


@pytest.mark.thorough
def test_the_child_takes_bounded_memory() -> None:
    hungry = """
from accounts.delivery.sending import services
def notify(*_):
    try:
        bytearray(child.MEMORY)
    except MemoryError:
        return services.REFUSED_FOR_NOW
services.notify = notify"""
    assert child(question("json://127.0.0.1/"), hungry)[0]["reason"] == "refused"


@pytest.mark.thorough
def test_the_child_writes_no_file() -> None:
    writing = """
import tempfile
from accounts.delivery.sending import services
def notify(*_):
    try:
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x")
            file.flush()
    except OSError:
        return services.REFUSED_FOR_NOW
services.notify = notify"""
    assert child(question("json://127.0.0.1/"), writing)[0]["reason"] == "refused"
