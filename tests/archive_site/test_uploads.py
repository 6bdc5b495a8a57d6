"""Files that the web server receives: over real connections (docs/decisions.md#slow-clients)."""

import errno
from typing import Any

import pytest

from archive_site.serving import slow_clients
from tests.archive_site.commands import wait_until
from tests.archive_site.conftest import LONGEST_BODY
from tests.archive_site.small_site import Site, everything

FILE = 5 * LONGEST_BODY


@pytest.fixture(autouse=True)
def _limit(settings: Any) -> None:
    settings.IMPORT_MAX_BYTES = FILE


def head(path: str = "/api/import", length: int = FILE, kind: str = "multipart/form-data; boundary=x") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Type: {kind}", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


def test_a_file_is_received_whole(site: Site) -> None:
    answer = everything(site.connect(head() + b"x" * FILE))
    assert answer.endswith(b"x" * FILE)


@pytest.mark.parametrize(
    "said", [head("/api/collect"), head(kind="application/json"), head(length=FILE + 1), head("/api/import/")]
)
def test_another_body_of_that_length_is_not_received(site: Site, said: bytes) -> None:
    # The application sees no body; the middleware refuses its length.
    assert everything(site.connect(said)).endswith(b"\r\n\r\nok")


def test_more_files_than_places_are_refused(site: Site) -> None:
    sending = [site.connect(head() + b"x") for _ in range(slow_clients.OF_A_SOURCE)]
    wait_until(lambda: len(site.server.uploads._sources) == slow_clients.OF_A_SOURCE)
    assert everything(site.connect(head() + b"x")).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert site.get("/page").endswith(b"ok")
    sending[0].sendall(b"x" * (FILE - 1))
    assert everything(sending[0]).endswith(b"x" * FILE)
    sending[1].close()
    wait_until(lambda: not site.server.uploads._sources)


def test_a_file_for_which_the_disk_has_no_room_is_507(
    site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*asked: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("waitress.buffers.TempfileBasedBuffer.append", full)
    # More than is kept in memory; the client would send still more.
    settings.IMPORT_MAX_BYTES = large = 4 * 1024 * 1024
    answer = everything(site.connect(head(length=large) + b"x" * (large - 1000)))
    assert answer.startswith(b"HTTP/1.1 507 Insufficient Storage\r\n")
    assert b'"error": "no_space"' in answer
    assert site.get("/page").endswith(b"ok")
    wait_until(lambda: not site.server.uploads._sources)


def test_a_file_gets_more_time_than_another_request(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "LONGEST_REQUEST", 5.0)
    monkeypatch.setattr(slow_clients, "LEAST_OF_UPLOAD", FILE / 60)
    slow = site.connect(head() + b"x")
    site.wait_for_requests(1)
    site.pass_by(1)
    assert site.places_taken == 1
    other = site.connect(head("/page", 10) + b"x")
    site.wait_for_requests(2)
    site.pass_by(6)
    assert everything(other).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    slow.sendall(b"x" * (FILE - 1))
    assert everything(slow).endswith(b"x" * FILE)


def test_a_file_that_comes_too_slowly_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "LONGEST_REQUEST", 5.0)
    monkeypatch.setattr(slow_clients, "LEAST_OF_UPLOAD", FILE * 10)
    slow = site.connect(head() + b"x")
    site.wait_for_requests(1)
    site.pass_by(6)
    assert everything(slow).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
