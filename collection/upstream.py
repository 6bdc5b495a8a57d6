"""The upstream's wire: pages of plain records over HTTPS. The only network code of the project (design 6)."""

import json
import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from collection.upstream_rows import (
    Answer,
    UpstreamFailure,
    is_past_the_end,
    is_worth_another_try,
    read_answer,
    session_expiry,
)
from usage.incoming import IncomingRecord

__all__ = ["Page", "Upstream", "UpstreamFailure", "UpstreamSettings", "UpstreamStopped", "session_expiry"]

DEFAULT_USER_AGENT = "usage-archive/0.1.0"
MAX_BODY = 32 * 1024 * 1024
CHUNK = 64 * 1024
WAITS = (2.0, 4.0, 8.0, 16.0)
TRIES = len(WAITS) + 1
MAX_RETRY_AFTER = 60.0
GLANCE = 0.5

TRUST = "check that api_base is right, or turn ssl_verify off if you know who answers there"


class UpstreamStopped(Exception):
    """The caller's `should_stop` ended the exchange."""


@dataclass(frozen=True)
class UpstreamSettings:
    """How one account's usage is asked for; `timeout` is in seconds and holds for each request as a whole."""

    api_base: str
    api_path: str
    cookie: str = field(repr=False)
    user_agent: str
    page_size: int
    timeout: float
    ssl_verify: bool
    server_zone: ZoneInfo
    upstream_zone: ZoneInfo


@dataclass(frozen=True)
class Page:
    """One page of a window: `received` counts its rows, those of `skipped` (why, each) among them.

    `total` is what the upstream counts in the window, `ended` says that the page lies past the last one, and
    `asked_at` is the aware moment at which it was asked for.
    """

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[str]
    ended: bool
    asked_at: datetime


class Upstream:
    """Pages of one account's usage, over one connection that is kept between them."""

    def __init__(
        self,
        settings: UpstreamSettings,
        *,
        should_stop: Callable[[], bool] = lambda: False,
        sleep: Callable[[float], None] = time.sleep,
        note: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`should_stop` is asked twice a second, in the caller's thread; `note` gets a line for each retry."""
        self._settings = settings
        self._should_stop = should_stop
        self._sleep = sleep
        self._note = note
        self._wire: _Wire | None = None
        if not settings.ssl_verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection; the next page opens another."""
        if self._wire:
            self._wire.close()
            self._wire = None

    def page(self, start: datetime, end: datetime, number: int, size: int | None = None) -> Page:
        """Give page `number` (from 1) of the aware instants `start` to `end`, both included.

        Raises UpstreamFailure (an outcome of specification 4.3 and its words) and UpstreamStopped.
        """
        size = size or self._settings.page_size
        zone = self._settings.upstream_zone
        body = {
            "startTime": _first_wall(start, zone),
            "endTime": _last_wall(end, zone),
            "pageNum": number,
            "pageSize": size,
        }
        answer, asked_at = self._ask(json.dumps(body).encode())
        if answer.over_cap:
            return self._in_parts(start, end, number, size)
        if is_past_the_end(answer, number):
            return Page([], 0, 0, [], True, asked_at)
        settings = self._settings
        rows = read_answer(answer, number, settings.upstream_zone, settings.server_zone, settings.cookie)
        return Page(rows.records, rows.total, rows.received, rows.skipped, False, asked_at)

    def _in_parts(self, start: datetime, end: datetime, number: int, size: int) -> Page:
        """Ask for the same rows in the fewest equal parts, so that they begin and end where the page does."""
        limit = f"{MAX_BODY // 1024**2} MiB"
        if size == 1:
            raise UpstreamFailure("api", f"The upstream's answer is broken: a single row is above {limit}.")
        parts = next(divisor for divisor in range(2, size + 1) if size % divisor == 0)
        self._note(f"page {number} is above {limit}, asked again as {parts} pages of {size // parts}")
        pages: list[Page] = []
        for part in range((number - 1) * parts + 1, number * parts + 1):
            page = self.page(start, end, part, size // parts)
            if page.ended and pages:
                break
            pages.append(page)
            if page.ended or part * (size // parts) >= page.total:
                break
        return Page(
            records=[record for page in pages for record in page.records],
            total=pages[-1].total,
            received=sum(page.received for page in pages),
            skipped=[why for page in pages for why in page.skipped],
            ended=pages[0].ended,
            asked_at=pages[0].asked_at,
        )

    def _ask(self, body: bytes) -> tuple[Answer, datetime]:
        """Send one request until it is answered, and say when the answered one was sent."""
        for tried in range(1, TRIES + 1):
            self._glance()
            asked_at = datetime.now(UTC)
            answer = self._exchange(body)
            if isinstance(answer, Answer) and not is_worth_another_try(answer):
                return answer, asked_at
            if isinstance(answer, _Trouble) and answer.final:
                raise UpstreamFailure("api", answer.words)
            words = f"HTTP {answer.status}" if isinstance(answer, Answer) else answer.words
            if tried < TRIES:
                seconds = _patience(answer, WAITS[tried - 1])
                self._note(f"{words}, waiting {seconds:.3g} s, try {tried + 1} of {TRIES}")
                self._wait(seconds)
        raise UpstreamFailure("api", f"The upstream gave no usable answer in {TRIES} tries ({words}): try again later.")

    def _exchange(self, body: bytes) -> "Answer | _Trouble":
        """Run one request in the wire's thread, and leave it there, broken, at its deadline or when asked to stop."""
        timeout = self._settings.timeout
        deadline = time.monotonic() + timeout
        wire = self._wire = self._wire or _Wire()
        answer = wire.ask(self._settings, body)
        try:
            while not answer.done() and (left := deadline - time.monotonic()) > 0:
                if not wait([answer], min(GLANCE, left)).done:
                    self._glance()
            return answer.result() if answer.done() else _late(timeout)
        finally:
            if not answer.done():
                self.close()

    def _wait(self, seconds: float) -> None:
        while seconds > 0:
            self._glance()
            self._sleep(min(GLANCE, seconds))
            seconds -= GLANCE

    def _glance(self) -> None:
        if self._should_stop():
            raise UpstreamStopped


@dataclass(frozen=True)
class _Trouble:
    """No answer came; `final` where another try would end the same way."""

    words: str
    final: bool = False


class _Wire(HTTPAdapter):
    """One pooled connection without cookie jar, proxies or netrc, and the thread that works it.

    A socket's own timeout starts again with every byte, so the exchange runs in a thread that can be left; the socket
    is remembered so that `close` can break it, and the thread ends.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="upstream")
        self._socket: socket.socket | None = None
        self._closed = False
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = {
            scheme: type("Pool", (pool,), {"ConnectionCls": type("Connection", (connection,), {"wire": self})})
            for scheme, pool, connection in (
                ("http", HTTPConnectionPool, _Connection),
                ("https", HTTPSConnectionPool, _SecureConnection),
            )
        }

    def opened(self, connected: socket.socket) -> None:
        """Remember the newest socket; one that opens after `close` is broken at once."""
        self._socket = connected
        if self._closed:
            self._break()

    def close(self) -> None:
        self._closed = True
        self._break()
        self._thread.shutdown(wait=False)
        super().close()

    def _break(self) -> None:
        if self._socket:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def ask(self, settings: UpstreamSettings, body: bytes) -> "Future[Answer | _Trouble]":
        """Post `body` in the wire's thread; what goes wrong on the way is told, not raised, as errors quote headers."""
        return self._thread.submit(self._post, settings, body)

    def _post(self, settings: UpstreamSettings, body: bytes) -> "Answer | _Trouble":
        host = urlsplit(settings.api_base).hostname
        try:
            url = settings.api_base.rstrip("/") + settings.api_path
            request = requests.Request("POST", url, headers=_headers(settings), data=body).prepare()
            with closing(self.send(request, True, settings.timeout, settings.ssl_verify)) as response:
                return _read(response)
        except ValueError:
            return _Trouble("The request cannot be sent: check api_base, api_path, cookie and user_agent.", final=True)
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            return _late(settings.timeout)
        except urllib3.exceptions.DecodeError:
            return _Trouble("The upstream's answer is broken: it cannot be decompressed.", final=True)
        except (requests.RequestException, urllib3.exceptions.HTTPError, HTTPException, OSError) as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                return _Trouble(f"The certificate of {host} is not trusted: {TRUST}.", final=True)
            return _Trouble(f"the connection to {host} failed or broke off")


class _Connection(HTTPConnection):
    wire: _Wire

    def connect(self) -> None:
        super().connect()
        self.wire.opened(self.sock)


class _SecureConnection(HTTPSConnection):
    wire: _Wire

    def connect(self) -> None:
        super().connect()
        self.wire.opened(self.sock)


def _headers(settings: UpstreamSettings) -> dict[str, str]:
    base = settings.api_base.rstrip("/")
    return {
        "Cookie": settings.cookie,
        "User-Agent": settings.user_agent or DEFAULT_USER_AGENT,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "Origin": base,
        "Referer": f"{base}/profile/plans-usage",
        "X-Client-Platform": "web",
    }


def _read(response: requests.Response) -> Answer:
    """Read a streamed answer, never inflating more than one chunk beyond the cap."""
    body = bytearray()
    for chunk in response.raw.stream(CHUNK, decode_content=True):
        body += chunk
        if len(body) > MAX_BODY:
            break
    over_cap = len(body) > MAX_BODY
    told = response.headers
    return Answer(
        status=response.status_code,
        location=told.get("Location", ""),
        retry_after=told.get("Retry-After", ""),
        body=b"" if over_cap else bytes(body),
        over_cap=over_cap and response.status_code == 200,
    )


def _late(timeout: float) -> _Trouble:
    return _Trouble(f"no whole answer within {timeout:g} s")


def _patience(answer: "Answer | _Trouble", own: float) -> float:
    """Give the seconds to wait: those of `Retry-After` (a number or an HTTP date), at most 60, else our own."""
    told = answer.retry_after.strip() if isinstance(answer, Answer) else ""
    if re.fullmatch(r"[0-9]{1,9}", told):
        return min(float(told), MAX_RETRY_AFTER)
    with suppress(ValueError):
        until = parsedate_to_datetime(told)
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        return min(max(seconds, 0.0), MAX_RETRY_AFTER)
    return own


def _repeated(local: datetime) -> timedelta:
    """Tell how much of the clock repeats around a moment: an hour in autumn's repeated hour, else nothing."""
    return (local.replace(fold=0).utcoffset() or timedelta()) - (local.replace(fold=1).utcoffset() or timedelta())


def _first_wall(start: datetime, zone: ZoneInfo) -> str:
    """Give the earliest wall clock that a row from `start` on may bear: of a repeated hour, its beginning."""
    local = start.astimezone(zone)
    return _wall(local if local.fold else local - _repeated(local))


def _last_wall(end: datetime, zone: ZoneInfo) -> str:
    """Give the latest wall clock that a row up to `end` may bear."""
    local = end.astimezone(zone)
    return _wall(local + _repeated(local) if local.fold else local)


def _wall(local: datetime) -> str:
    return local.replace(tzinfo=None).isoformat(" ", "seconds")
