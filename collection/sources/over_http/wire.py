"""One connection to a service, in a separate thread: it sends a request and gives an answer or a trouble."""

import re
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import copy_context
from http.client import HTTPException
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from archive_site.lib.stored_message import Message
from collection.sources.over_http import public_hosts
from collection.sources.over_http.exchange import Answer, Request, Trouble, late

# In memory an answer takes up to sixteen times its size, and up to 130 bytes for each value.
MAX_BODY = 4 * 1024 * 1024
MAX_VALUES = 250_000
CHUNK = 64 * 1024
# A sign before a value, or the end, with the texts before it. Possessive, so that it takes one step for each byte.
_SIGN = re.compile(rb'(?:[^",:\[{]++|"(?:[^"\\]++|\\.)*+"?)*+(?:[,:\[{]|\Z)', re.DOTALL)


class Wire(HTTPAdapter):
    """One pooled connection without cookie jar, proxies or netrc, and its thread.

    A socket's timeout restarts with every byte, so the exchange runs in a thread that the caller can abandon; `close`
    shuts down the remembered socket, which ends the thread.
    """

    def __init__(self, timeout: float, ssl_verify: bool, *, private_allowed: bool = True) -> None:
        self._timeout = timeout
        self._ssl_verify = ssl_verify
        self.private_allowed = private_allowed
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
        """Remember the newest socket; one that opens after `close` is shut down at once."""
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

    def ask(self, request: Request) -> Future[Answer | Trouble]:
        """Send a request in the wire's thread. Errors become Trouble, not raised: their texts quote headers."""
        # With the context, the log of the thread masks what the request guards.
        return self._thread.submit(copy_context().run, self._send, request)

    def _send(self, request: Request) -> Answer | Trouble:
        host = urlsplit(request.url).hostname
        try:
            sent = requests.Request(request.method, request.url, headers=request.headers, data=request.body).prepare()
            with closing(self.send(sent, True, self._timeout, self._ssl_verify)) as response:
                return _read(response)
        except ValueError:
            return Trouble(Message("request_not_sendable"), final=True, cause="api")
        except public_hosts.PrivateHost:
            return Trouble(Message("host_not_public", host=str(host)), final=True)
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            return late(self._timeout)
        except urllib3.exceptions.DecodeError:
            return Trouble(Message("answer_broken", why=Message("not_decompressed")), final=True, cause="api")
        except (requests.RequestException, urllib3.exceptions.HTTPError, HTTPException, OSError) as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                return Trouble(Message("certificate_not_trusted", host=str(host)), final=True)
            if "got more than" in str(error):
                return Trouble(Message("answer_broken", why=Message("headers_too_long")), final=True, cause="api")
            return Trouble(Message("connection_failed", host=str(host)))


class _Connection(HTTPConnection):
    wire: Wire

    def _new_conn(self) -> socket.socket:
        return _checked(self.wire, self.host, super()._new_conn)

    def connect(self) -> None:
        super().connect()
        self.wire.opened(self.sock)


class _SecureConnection(_Connection, HTTPSConnection):
    """The same with TLS."""


def _checked(wire: Wire, host: str, connect: Callable[[], socket.socket]) -> socket.socket:
    """Connect, unless the host is not public; checked again for the machine that answered, before anything is sent."""
    if wire.private_allowed:
        return connect()
    public_hosts.require(host)
    connected = connect()
    try:
        public_hosts.require_address(connected.getpeername()[0])
    except public_hosts.PrivateHost:
        connected.close()
        raise
    return connected


def _read(response: requests.Response) -> Answer:
    """Read a streamed answer, never inflating more than one chunk beyond the cap."""
    body = bytearray()
    for chunk in response.raw.stream(CHUNK, decode_content=True):
        body += chunk
        if len(body) > MAX_BODY:
            break
    over_cap = len(body) > MAX_BODY or _has_too_many_values(body)
    headers = response.headers
    return Answer(
        status=response.status_code,
        location=headers.get("Location", ""),
        retry_after=headers.get("Retry-After", ""),
        body=b"" if over_cap else body,
        over_cap=over_cap and response.status_code == 200,
        headers=headers,
    )


def _has_too_many_values(body: bytearray) -> bool:
    """Whether an upper bound of the number of JSON values is above the limit."""
    if sum(body.count(sign) for sign in (b",", b":", b"[", b"{")) <= MAX_VALUES:
        return False
    # Slower, without the signs in texts.
    return next(islice(_SIGN.finditer(body), MAX_VALUES, None), None) is not None
