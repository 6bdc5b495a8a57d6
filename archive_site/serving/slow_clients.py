"""Connections of the web server: slow ones take one of few places, or are refused (docs/decisions.md#slow-clients).

The main loop reads and sends for all connections, so a slow one keeps no thread from others, except for a stream that
nobody reads. A connection is slow if a request is not complete after a second, or if its client takes nothing of an
answer for a second.
"""

import socket
import time
from contextlib import suppress
from typing import Any

from waitress.channel import HTTPChannel

from archive_site.lib.http.client_address import source_of
from archive_site.lib.http.download_places import RETRY_AFTER
from archive_site.serving.http_messages import Answer, Refusal, Request, refusal

IN_ALL = 32
OF_A_SOURCE = 2
# Seconds.
PATIENCE = 1.0
LONGEST_REQUEST = 60.0
LONGEST_SILENCE = 30.0
LINGER = 2.0
# Bytes a second, counted after the seconds beside them.
LEAST_RECEIVED, RECEIVED_AFTER = 1024, 10.0
LEAST_SENT, SENT_AFTER = 8 * 1024, 60.0

_REASONS = {408: "Request Timeout", 503: "Service Unavailable"}


class Places:
    """The places of slow connections, each with its client's source; a source that is not known yet is empty."""

    def __init__(self) -> None:
        self._sources: dict[object, str] = {}

    def take(self, holder: object, source: str) -> bool:
        """Take a place, or keep one; False if none is free."""
        if holder not in self._sources and not self.is_free(source):
            return False
        self._sources[holder] = source
        return True

    def free(self, holder: object) -> None:
        self._sources.pop(holder, None)

    def is_free(self, source: str) -> bool:
        taken = list(self._sources.values())
        return len(taken) < IN_ALL and (not source or taken.count(source) < OF_A_SOURCE)


class Connection(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that measures how fast its client sends and reads."""

    parser_class = Request
    task_class = Answer
    error_task_class = Refusal

    places: Places
    # The client's address of the request that was answered last.
    answered_to = ""
    # Whether the client may still be sending what was refused, and when the connection is closed all the same.
    lingers = False
    _closes_at = 0.0
    # Bytes of the request that is being received, and of the answer that is being sent.
    _received = 0
    _sent = 0
    _begun = 0.0
    _last_sent = 0.0
    _sending_since = 0.0

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self._begun, self._received = time.monotonic(), 0
        self._received += len(data)
        return bool(super().received(data))

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent = int(super().send(data, do_close) or 0)
        if sent:
            self._sent += sent
            self._last_sent = time.monotonic()
        return sent

    def write_soon(self, data: Any) -> int:
        if not self.total_outbufs_len:
            self._sent, self._sending_since = 0, time.monotonic()
            self._last_sent = self._sending_since
        return int(super().write_soon(data))

    def readable(self) -> bool:
        return self._closes_at > 0 or bool(super().readable())

    def handle_read(self) -> None:
        if not self._closes_at:
            super().handle_read()
            return
        with suppress(OSError):
            if self.recv(self.adj.recv_bytes):
                return
        self.handle_close()

    def handle_close(self) -> None:
        """Close the connection; after a refusal only this side of it, until the client has sent what it still sends.

        Closing with unread bytes resets the connection, and the client loses the answer.
        """
        self.places.free(self)
        if self.lingers and self.connected and not self._closes_at:
            self._closes_at = time.monotonic() + LINGER
            self.will_close = self.close_when_flushed = False
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
            return
        super().handle_close()

    def place_is_free(self) -> bool:
        return self.places.is_free(self._source())

    def look_at_speed(self, now: float) -> None:
        """Refuse or close the connection if it is slow and has no place, or is too slow to keep its place.

        The main loop calls it about once a second.
        """
        if self._closes_at:
            if now > self._closes_at:
                super().handle_close()
        elif self.total_outbufs_len:
            self._look_at_sending(now)
        elif self.request is not None and not self.requests and not self.close_when_flushed:
            self._look_at_receiving(now)
        else:
            self.places.free(self)

    def _look_at_receiving(self, now: float) -> None:
        seconds = now - self._begun
        if seconds < PATIENCE:
            return
        too_slow = seconds > RECEIVED_AFTER and self._received < LEAST_RECEIVED * seconds
        if too_slow or seconds > LONGEST_REQUEST:
            self._refuse(408, "The request took too long to arrive.")
        elif not self.places.take(self, self._source()):
            words = "Too many slow connections are open. Try again in a moment."
            self._refuse(503, words, **{"Retry-After": str(RETRY_AFTER)})

    def _look_at_sending(self, now: float) -> None:
        silence, seconds = now - self._last_sent, now - self._sending_since
        too_slow = seconds > SENT_AFTER and self._sent < LEAST_SENT * seconds
        if silence < PATIENCE and not too_slow:
            self.places.free(self)
        elif too_slow or silence > LONGEST_SILENCE or not self.places.take(self, self._source()):
            # The head of the answer is sent, so nothing can be said any more. A thread that waits for room ends.
            self.handle_close()

    def _refuse(self, status: int, message: str, **headers: str) -> None:
        fields, body = refusal(status, message, **headers)
        fields += [("Content-Length", str(len(body))), ("Connection", "close")]
        head = [f"HTTP/1.1 {status} {_REASONS[status]}", *(f"{name}: {value}" for name, value in fields)]
        self.places.free(self)
        self.lingers = True
        with self.requests_lock:
            self.request = None
            self.close_when_flushed = True
        self.write_soon("\r\n".join([*head, "", ""]).encode() + body)

    def _source(self) -> str:
        """The source of the client; empty where a proxy has not yet named the client's address."""
        request = self.request
        return source_of(self.answered_to if request is None else request.client_address(self.addr[0]))
