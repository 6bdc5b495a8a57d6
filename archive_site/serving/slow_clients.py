"""Connections of the web server: slow ones take one of few places, or are refused (docs/decisions/web.md#slow-clients).

The main loop reads and sends for all connections, so a slow one keeps no thread from others, except for a stream that
nobody reads; the next request of a connection waits until its answer is sent. A connection is slow if a request is not
complete after a second, or if its client takes nothing of an answer for a second.
"""

import logging
import socket
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel

from accounts.claims import claim_in
from archive_site.lib.http.account_turns import ComesAgain
from archive_site.lib.http.client_address import source_of
from archive_site.lib.http.download_places import RETRY_AFTER
from archive_site.lib.storage import disk_space
from archive_site.serving import client_state
from archive_site.serving.http_messages import Answer, Refusal, Request, refusal
from archive_site.serving.uploads import Question

log = logging.getLogger(__name__)

IN_ALL = 32
# Seconds.
PATIENCE = 1.0
LONGEST_REQUEST = 60.0
LONGEST_SILENCE = 30.0
# Without a place: long enough for a reader who takes little at a time.
SPARED_SILENCE = 4.0
LINGER = 2.0
# Bytes a second, counted after the seconds beside them.
LEAST_RECEIVED, RECEIVED_AFTER = 1024, 10.0
LEAST_OF_UPLOAD = 128 * 1024
LEAST_SENT, SENT_AFTER = 8 * 1024, 60.0


class Connection(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that measures how fast its client sends and reads."""

    parser_class = Request
    task_class = Answer
    error_task_class = Refusal

    # The request that is being received.
    request: Request | None = None
    # The client's address of the request that was answered last.
    answered_to = ""
    # Whether the client may still be sending what was refused, and when the connection is closed all the same.
    lingers = False
    _closes_at = 0.0
    # Whether the length of the answer that is being written is known.
    answer_is_whole = False
    # Whether a thread finds out who sends the file that is being received.
    _is_asking = False
    _rest = b""
    # Bytes of the request that is being received; of the answer, those that the system has and those that arrived.
    _received = 0
    _sent = 0
    _taken = 0
    _begun = 0.0
    _last_taken = 0.0
    _sending_since = 0.0

    def __init__(self, *about: Any, **options: Any) -> None:
        super().__init__(*about, **options)
        # Called when the answer is sent, or its client is gone.
        self.call_when_sent: deque[Callable[[], None]] = deque()
        # Called when a request that had waited is answered, waits again, or is nobody's any more.
        self._call_next: Callable[[], None] | None = None

    def received(self, data: bytes) -> bool:
        """Take one request from the data; what follows it waits until the answer is sent, so that no thread does."""
        if self.request is None:
            self._begun, self._received = self.server.now(), 0
            self.request = self.parser_class(self.adj)
        request = self.request
        self._received += len(data)
        try:
            taken = bool(super().received(data))
        except OSError as error:
            # A large body is kept in a file.
            if not disk_space.is_full(error):
                raise
            log.warning("the disk is full, and a file could not be received")
            self._refuse(507, "The disk of the server is full.")
            return False
        self._rest = request.rest
        if request.is_upload and not request.completed:
            self._place_upload(request)
        return taken

    def _place_upload(self, request: Request) -> None:
        """Take the place of an upload, or refuse it; nothing more is read before it is known who sends it."""
        if request.sender is None:
            claim = claim_in(request.headers)
            if claim:
                self._is_asking = True
                self.server.task_dispatcher.add_task(Question(claim, partial(self._answer_question, request)))
                return
            request.sender = 0
        if not self.server.uploads.take(self, self._source(), request.sender):
            self._refuse(503, "Other files are being received.", **{"Retry-After": str(RETRY_AFTER)})

    def _answer_question(self, request: Request, sender: int) -> None:
        """A thread calls it; the main loop goes on from there."""

        def go_on() -> None:
            self._is_asking = False
            request.sender = sender
            if self.connected and request is self.request:
                self._begun = self.server.now()
                self._place_upload(request)

        self.server.trigger.pull_trigger(go_on)

    def service(self) -> None:
        """Answer one request; one that waits for its turn stays the next of this connection, and holds no thread."""
        # The client may send this request before the thread of the one before it found out that its answer was sent.
        self._call_all_when_sent()
        call_next, self._call_next = self._call_next, None
        try:
            with suppress(ComesAgain):
                super().service()
                self.server.bodies.free(self)
                self._note_sent()
        finally:
            if call_next:
                call_next()

    def come_again(self, call_next: Callable[[], None]) -> bool:
        """Put the request that waited in the queue once more; False if its client has left."""
        if client_state.has_left(self.socket):
            self.cancel()
            self.server.pull_trigger()
            return False
        self._call_next = call_next
        self.server.add_task(self)
        return True

    def handle_write(self) -> None:
        super().handle_write()
        self._note_sent()

    def _note_sent(self) -> None:
        """Both the thread that makes the answer and the main loop may find that it is sent."""
        if not self.requests and not (self.connected and self.total_outbufs_len):
            self._call_all_when_sent()

    def _call_all_when_sent(self) -> None:
        while True:
            try:
                then = self.call_when_sent.popleft()
            except IndexError:
                return
            then()

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent = int(super().send(data, do_close) or 0)
        self._sent += sent
        return sent

    def write_soon(self, data: Any) -> int:
        if not self.total_outbufs_len:
            self._sent = self._taken = 0
            self._sending_since = self._last_taken = self.server.now()
        return int(super().write_soon(data))

    def _flush_outbufs_below_high_watermark(self) -> None:
        if not self.answer_is_whole:
            super()._flush_outbufs_below_high_watermark()

    def readable(self) -> bool:
        if self._is_asking or self._waits_with_body():
            return False
        if self._rest and not self._closes_at and super().readable():
            # Nothing arrives that would announce it. This way a failure ends the connection, not the main loop.
            wasyncore.read(self)
        return self._closes_at > 0 or bool(super().readable())

    def _waits_with_body(self) -> bool:
        """Whether a large body is not read yet: a source may have a few in memory at once."""
        is_large = self.request is not None and self.request.has_large_body
        return is_large and not self.server.bodies.take(self, self._source())

    def handle_read(self) -> None:
        if self._closes_at:
            self._drop_what_arrived()
        elif self._rest:
            self.received(self._rest)
        else:
            super().handle_read()

    def _drop_what_arrived(self) -> None:
        with suppress(OSError):
            if self.recv(self.adj.recv_bytes):
                return
        self.handle_close()

    def handle_close(self) -> None:
        """Close the connection; after a refusal only this side of it, until the client has sent what it still sends.

        Closing with unread bytes resets the connection, and the client loses the answer.
        """
        self._free_places()
        if self.lingers and self.connected and not self._closes_at:
            self._closes_at = self.server.now() + LINGER
            self.will_close = self.close_when_flushed = False
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
            return
        super().handle_close()
        self._note_sent()

    def handle_error(self, exc_info: Any = None) -> None:
        """Log a defect of the main loop in one short line, and end the connection."""
        log.error("a connection failed: %r", exc_info or sys.exc_info()[1])
        self._free_places()
        super().handle_close()
        self._note_sent()

    def _free_places(self) -> None:
        for places in (self.server.places, self.server.uploads, self.server.bodies):
            places.free(self)

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered, or the connection is still to be closed after its answer."""
        return bool(self.requests or self.total_outbufs_len or self.close_when_flushed or self.will_close)

    def place_is_free(self) -> bool:
        return bool(self.server.places.is_free(self._source()))

    def look_at_speed(self, now: float) -> None:
        """Refuse or close the connection if it is slow and has no place, or is too slow to keep its place.

        The main loop calls it about once a second.
        """
        if not any(request.is_upload for request in (self.request, *self.requests) if request):
            self.server.uploads.free(self)
        if self._closes_at:
            if now > self._closes_at:
                super().handle_close()
        elif self.total_outbufs_len:
            self._look_at_sending(now)
        elif self.request is not None and not self.requests and not self.close_when_flushed:
            self._look_at_receiving(now)
        else:
            self.server.places.free(self)

    def _look_at_receiving(self, now: float) -> None:
        if self._waits_with_body():
            self._begun, self._received = now, 0
        seconds = now - self._begun
        if seconds < PATIENCE or self._is_asking:
            return
        too_slow = seconds > RECEIVED_AFTER and self._received < LEAST_RECEIVED * seconds
        if too_slow or seconds > self._longest():
            self._refuse(408, "The request took too long to arrive.")
        elif not self.server.places.take(self, self._source()):
            words = "Too many slow connections are open. Try again in a moment."
            self._refuse(503, words, **{"Retry-After": str(RETRY_AFTER)})

    def _longest(self) -> float:
        """The seconds that the request may take; the file of an account gets more, by its length."""
        request = self.request
        is_file = request is not None and request.is_upload and request.sender
        return LONGEST_REQUEST + (request.content_length / LEAST_OF_UPLOAD if request and is_file else 0)

    def _look_at_sending(self, now: float) -> None:
        taken = self.taken
        if taken > self._taken:
            self._taken, self._last_taken = taken, now
        silence, seconds = now - self._last_taken, now - self._sending_since
        too_slow = seconds > SENT_AFTER and taken < LEAST_SENT * seconds
        if silence < PATIENCE and not too_slow:
            self.server.places.free(self)
            return
        has_place = self.server.places.take(self, self._source())
        if too_slow or silence > (LONGEST_SILENCE if has_place else SPARED_SILENCE):
            # The head of the answer is sent, so nothing can be said any more. A thread that waits for room ends.
            self.handle_close()

    @property
    def taken(self) -> int:
        """Bytes of the answer that have arrived at the client."""
        return self._sent - client_state.on_the_way(self.socket)

    def _refuse(self, status: int, message: str, **headers: str) -> None:
        fields, body = refusal(status, message, **headers)
        fields += [("Content-Length", str(len(body))), ("Connection", "close")]
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in fields)]
        self.server.places.free(self)
        self.lingers = True
        with self.requests_lock:
            self.request = None
            self.close_when_flushed = True
        self.write_soon("\r\n".join([*head, "", ""]).encode() + body)

    def _source(self) -> str:
        """The source of the client; empty where a proxy has not yet named the client's address."""
        request = self.request
        return source_of(self.answered_to if request is None else request.client_address(self.addr[0]))
