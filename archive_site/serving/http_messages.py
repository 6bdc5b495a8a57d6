"""Requests and answers of the web server where waitress differs from what the service promises
(docs/decisions/web.md#waitress)."""

import json
from typing import Any

from django.conf import settings
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask, WSGITask

from archive_site.lib.http.account_turns import COME_AGAIN, WHEN_SENT
from archive_site.lib.http.body_limits import limit_of
from archive_site.lib.http.client_address import address_in
from archive_site.lib.http.download_places import PLACE_IS_FREE
from archive_site.lib.http.service_path import own_path
from archive_site.lib.http.waiting_requests import REQUESTS_WAIT

# Bytes of a body that are received as they come; more is read in the turn of its source.
_SMALL_BODY = 64 * 1024
# Parsing these takes the square of their length; what is longer is no client's.
_LONGEST = {"CONTENT_TYPE": 1_000, "ACCEPT": 4_000}
_CODES = {500: "internal", 413: "too_large", 431: "too_large", 503: "unavailable", 507: "no_space"}
_WORDS = {
    500: "Something went wrong on this side.",
    413: "The request is too large.",
    431: "The headers of the request are too large.",
    501: "This way of sending a request is not supported.",
}


class Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request that keeps what the application needs to refuse a body: the length, or that the length is unknown.

    Such a body is not read; the connection is closed after the answer.
    """

    chunked: bool
    content_length: int
    path = ""
    body_is_refused = False
    # The account whose headers an upload has, 0 for a stranger's; None until that is found out.
    sender: int | None = None
    # What came after the end of the request, and begins the next one.
    rest = b""

    def received(self, data: bytes) -> int:
        consumed = int(super().received(data))
        if self.completed:
            self.rest, consumed = data[consumed:], len(data)
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # A length of thousands of digits, or a host in the address that is none.
            raise ParsingError("The request line or a header is invalid") from error
        if any(len(self.headers.get(name, "")) > most for name, most in _LONGEST.items()):
            raise ParsingError("A header is too long")
        if "\\" in (cookies := self.headers.get("COOKIE", "")):
            # No cookie of this service has one, and Python decodes them in the square of their number.
            self.headers["COOKIE"] = ";".join(each for each in cookies.split(";") if "\\" not in each)
        if self.chunked or self.content_length > limit_of(own_path(self.path), self.headers.get("CONTENT_TYPE", "")):
            self.body_is_refused = True
            self.headers |= {"CONNECTION": "close"} | ({"TRANSFER_ENCODING": "chunked"} if self.chunked else {})
            self.chunked, self.content_length, self.body_rcv = False, 0, None
        if not self.chunked and not self.content_length:
            # Without a body the request is complete; waitress would wait for what follows its 100.
            self.expect_continue = False

    @property
    def is_upload(self) -> bool:
        """Whether the body is larger than those of other requests; waitress keeps it in a file."""
        return int(self.content_length) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE

    @property
    def has_large_body(self) -> bool:
        """Whether the body, which is no file, is received in the turn of its source."""
        return bool(self.headers_finished) and int(self.content_length) > _SMALL_BODY and not self.is_upload

    @property
    def lane(self) -> str:
        """Who sends the request, as far as its headers say; the same for all that say nothing."""
        return f"{self.headers.get('AUTHORIZATION')} {self.headers.get('COOKIE')}"

    def client_address(self, peer: str) -> str:
        """The client's address; empty where a proxy's headers, which name it, are not complete."""
        if settings.TRUSTED_PROXIES and not self.headers_finished:
            return ""
        return address_in({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": self.headers.get("X_FORWARDED_FOR", "")})


class Answer(WSGITask):  # type: ignore[misc]  # waitress has no types
    """An answer that keeps the connection where its end is known, and has no body for HEAD."""

    def start(self) -> None:
        super().start()
        self.channel.answered_to = self.request.client_address(self.channel.addr[0])
        self.channel.lingers = self.request.body_is_refused

    def set_close_on_finish(self) -> None:
        asked = self.request.headers.get("CONNECTION", "").lower()
        if self.has_body or self.version != "1.1" or asked == "close":
            super().set_close_on_finish()

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        # Waitress merges slashes at the beginning of a path; such a path is nothing of ours.
        environ["PATH_INFO"] = self.request.path
        environ[PLACE_IS_FREE] = self.channel.place_is_free
        environ[REQUESTS_WAIT] = self.channel.server.requests_wait
        environ[COME_AGAIN] = self.channel.come_again
        environ[WHEN_SENT] = self.channel.call_when_sent.append
        # A write that has waited for its turn has read its body before.
        environ["wsgi.input"].seek(0)
        if self.request.command == "HEAD":
            environ.pop("wsgi.file_wrapper", None)
        return environ

    def build_response_header(self) -> bytes:
        # Django begins the value of a cookie's header with a blank.
        self.response_headers[:] = [(name, value.strip()) for name, value in self.response_headers]
        return bytes(super().build_response_header())

    def write(self, data: bytes) -> None:
        # What is whole waits in one file for its client, not in a thread.
        self.channel.answer_is_whole = self.content_length is not None
        if self.channel.answer_is_whole and self.wrote_header:
            self.channel.current_outbuf_count = 0
        super().write(b"" if self.request.command == "HEAD" else data)


class Refusal(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """The answer to a request that never reaches the application: JSON as everywhere (docs/api.md#errors)."""

    def execute(self) -> None:
        error = self.request.error
        self.channel.lingers = True
        headers, body = refusal(error.code, _WORDS.get(error.code, "This request cannot be understood."))
        self.status = f"{error.code} {error.reason}"
        self.response_headers.extend(headers)
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


def refusal(status: int, message: str, **headers: str) -> tuple[list[tuple[str, str]], bytes]:
    """Headers and body of an answer that the server itself gives."""
    code = _CODES.get(status, "bad_request")
    body = json.dumps({"ok": False, "error": code, "message": message}).encode()
    fields = {"Content-Type": "application/json", "Cache-Control": "no-store", **headers}
    return list(fields.items()), body
