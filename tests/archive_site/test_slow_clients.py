"""Slow clients of the web server, over real connections: docs/decisions/web.md#slow-clients."""

from typing import Any

import pytest

from archive_site.serving import slow_clients
from archive_site.serving.places import OF_A_SOURCE, Places
from archive_site.serving.slow_clients import Connection
from archive_site.serving.web_server import THREADS
from tests.archive_site.commands import wait_until
from tests.archive_site.small_site import HUGE, UNFINISHED, Site, everything

# Seconds in which neither an unread answer nor an unfinished request in its place is ended.
MOST, FEW = int(slow_clients.LONGEST_SILENCE) - 5, int(slow_clients.RECEIVED_AFTER) - 2
# An exception in the main loop would end the server.
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.mark.thorough
@pytest.mark.parametrize("said", UNFINISHED.values(), ids=UNFINISHED)
def test_of_many_unfinished_requests_two_of_a_source_stay_and_the_others_are_refused(site: Site, said: bytes) -> None:
    slow = [site.connect(said) for _ in range(THREADS * 3)]
    answers = []
    for connection in slow:
        connection.settimeout(0.02)
    site.wait_for_requests(len(slow))
    site.pass_by(slow_clients.PATIENCE)
    assert site.places_taken == OF_A_SOURCE
    site.pass_by_until(lambda: len(site.connections) == 2, FEW)
    for connection in slow:
        try:
            answers.append(connection.recv(4096))
        except TimeoutError:
            answers.append(b"")
    refused = [answer for answer in answers if answer]
    assert len(refused) == len(slow) - OF_A_SOURCE
    assert all(answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n") for answer in refused)
    assert all(b"Retry-After: 10" in answer and b'"error": "unavailable"' in answer for answer in refused)
    assert site.get("/page").endswith(b"ok")


@pytest.mark.thorough
def test_two_hundred_slow_clients_of_as_many_sources_leave_room_for_others(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter(range(10_000))
    monkeypatch.setattr(Connection, "_source", lambda self: str(next(numbers)))
    slow = [site.connect(UNFINISHED["a body"]) for _ in range(200)]
    site.wait_for_requests(len(slow))
    site.pass_by(slow_clients.PATIENCE)
    assert site.places_taken == slow_clients.IN_ALL
    assert site.get("/page").endswith(b"ok")
    site.pass_by_until(lambda: len(site.connections) == slow_clients.IN_ALL, FEW)
    assert site.places_taken == slow_clients.IN_ALL


@pytest.mark.parametrize("path", ["/stream", "/whole"])
def test_answers_that_nobody_reads_leave_the_threads_to_others(site: Site, path: str) -> None:
    for _ in range(THREADS - 1):
        site.connect(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    site.wait_for_answers(THREADS - 1)
    site.pass_by_until(lambda: site.places_taken == OF_A_SOURCE and len(site.connections) == 2, MOST)
    assert site.get("/place").endswith(b"False")
    assert site.pages.streams == (OF_A_SOURCE if path == "/stream" else 0)


def test_requests_sent_ahead_wait_for_their_answers_without_a_thread(site: Site) -> None:
    ahead = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 50
    for _ in range(THREADS * 2):
        site.connect(ahead)
    site.wait_for_answers(THREADS * 2)
    site.pass_by_until(lambda: site.places_taken == OF_A_SOURCE, MOST)
    assert site.get("/page").endswith(b"ok")
    assert site.pages.large <= THREADS * 2


def test_requests_sent_ahead_are_answered_in_turn(site: Site) -> None:
    head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
    sent = "".join(f"{head}\r\n{number}" for number in range(5)) + f"{head}Connection: close\r\n\r\n5"
    answer = everything(site.connect(sent.encode()))
    assert [part[-1:] for part in answer.split(b"HTTP/1.1 200 OK")[1:]] == [b"0", b"1", b"2", b"3", b"4", b"5"]


@pytest.mark.thorough
def test_a_steady_reader_keeps_its_download_beside_others_without_a_place(site: Site) -> None:
    for _ in range(OF_A_SOURCE):
        site.connect(b"GET /whole HTTP/1.1\r\nHost: x\r\n\r\n")
    site.wait_for_answers(OF_A_SOURCE)
    site.pass_by_until(lambda: site.places_taken == OF_A_SOURCE, MOST)
    steady = site.connect(b"GET /whole HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    site.wait_for_answers(OF_A_SOURCE + 1)
    sending = site.connections[-1]
    received = 0
    for _ in range(5):
        # The system hands over what the client has read in larger steps than these.
        taken = sending.taken
        while sending.taken == taken:
            received += len(steady.recv(20_000))
        for _ in range(int(slow_clients.SPARED_SILENCE)):
            site.pass_by(1)
    assert received < HUGE / 2
    assert received + len(everything(steady)) > HUGE


def test_a_place_is_free_again_when_its_holder_reads_on(site: Site) -> None:
    connections = [site.connect(b"GET /whole HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(OF_A_SOURCE)]
    site.wait_for_answers(OF_A_SOURCE)
    site.pass_by_until(lambda: site.places_taken == OF_A_SOURCE, MOST)
    received = 0
    while received < HUGE:
        received += len(connections[0].recv(2**20))
    site.wait_for_answers(OF_A_SOURCE - 1)
    # The system may only now hand something over to the other one.
    site.pass_by_until(lambda: site.places_taken == OF_A_SOURCE - 1, MOST)
    assert site.get("/place").endswith(b"True")


def test_a_place_is_free_again_when_its_holder_leaves(site: Site) -> None:
    slow = [site.connect(UNFINISHED["headers"]) for _ in range(OF_A_SOURCE)]
    site.wait_for_requests(OF_A_SOURCE)
    site.pass_by(slow_clients.PATIENCE)
    assert site.places_taken == OF_A_SOURCE
    slow[0].close()
    wait_until(lambda: site.places_taken == OF_A_SOURCE - 1)


def test_a_request_that_trickles_too_slowly_is_ended(site: Site) -> None:
    slow = site.connect(UNFINISHED["a body"])
    site.wait_for_requests(1)
    site.pass_by(slow_clients.RECEIVED_AFTER)
    assert site.places_taken == 1
    site.pass_by(1)
    assert everything(slow).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_a_request_that_takes_too_long_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "LONGEST_REQUEST", 5.0)
    slow = site.connect(UNFINISHED["headers"])
    site.wait_for_requests(1)
    site.pass_by(5)
    assert site.places_taken == 1
    site.pass_by(1)
    assert everything(slow).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_a_slow_request_in_its_place_is_answered_when_it_is_whole(site: Site) -> None:
    slow = site.connect(b"POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\nabc")
    site.wait_for_requests(1)
    site.pass_by(slow_clients.PATIENCE)
    assert site.places_taken == 1
    slow.sendall(b"def")
    assert everything(slow).endswith(b"\r\n\r\nabcdef")
    assert site.places_taken == 0


@pytest.mark.parametrize("limit", ["LONGEST_SILENCE", "SENT_AFTER"])
def test_an_answer_that_is_read_too_slowly_is_broken_off(
    site: Site, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    site.connect(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    site.wait_for_answers(1)
    site.pass_by_until(lambda: site.places_taken == 1, MOST)
    monkeypatch.setattr(slow_clients, limit, 5.0)
    monkeypatch.setattr(slow_clients, "LEAST_SENT", HUGE)
    site.pass_by_until(lambda: not site.connections, MOST)
    wait_until(lambda: site.pages.streams == 0)
    assert site.places_taken == 0


def test_behind_a_proxy_the_source_is_the_client_that_the_proxy_names(site: Site, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    for number in range(4):
        head = f"POST /echo HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.{number}\r\nContent-Length: 9\r\n\r\n"
        site.connect(head.encode())
    site.wait_for_requests(4)
    site.pass_by(slow_clients.PATIENCE)
    assert site.places_taken == 4


def test_behind_a_proxy_unfinished_headers_count_in_all_only(site: Site, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    for _ in range(4):
        site.connect(UNFINISHED["headers"])
    site.wait_for_requests(4)
    site.pass_by(slow_clients.PATIENCE)
    assert site.places_taken == 4


def test_a_place_that_is_held_is_kept_even_if_no_other_is_free() -> None:
    places = Places(slow_clients.IN_ALL)
    assert [places.take(holder, "a") for holder in "1231"] == [True, True, False, True]
