"""One connection to the upstream, in a separate thread: it sends a request and gives an answer or a trouble."""

import re
import socket
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
from collection.sources.codebuddy.exchange import Trouble, UpstreamSettings, late
from collection.sources.codebuddy.failures import Answer
from collection.sources.codebuddy.traits import TRAITS

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

    def ask(self, settings: UpstreamSettings, body: bytes) -> Future[Answer | Trouble]:
        """Post `body` in the wire's thread. Errors become Trouble and are not raised, as their texts quote headers."""
        # With the context, the log of the thread masks what the request guards.
        return self._thread.submit(copy_context().run, self._post, settings, body)

    def _post(self, settings: UpstreamSettings, body: bytes) -> Answer | Trouble:
        host = urlsplit(settings.api_base).hostname
        try:
            url = settings.api_base.rstrip("/") + settings.api_path
            request = requests.Request("POST", url, headers=_headers(settings), data=body).prepare()
            with closing(self.send(request, True, settings.timeout, settings.ssl_verify)) as response:
                return _read(response)
        except ValueError:
            return Trouble(Message("request_not_sendable"), final=True, cause="api")
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            return late(settings.timeout)
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

    def connect(self) -> None:
        super().connect()
        self.wire.opened(self.sock)


class _SecureConnection(HTTPSConnection):
    wire: Wire

    def connect(self) -> None:
        super().connect()
        self.wire.opened(self.sock)


def _headers(settings: UpstreamSettings) -> dict[str, str]:
    base = settings.api_base.rstrip("/")
    return {
        "Cookie": settings.cookie,
        "User-Agent": settings.user_agent or settings.default_user_agent,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "Origin": base,
        "Referer": f"{base}{TRAITS.usage_page}",
        "X-Client-Platform": "web",
    }


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
    )


def _has_too_many_values(body: bytearray) -> bool:
    """Whether an upper bound of the number of JSON values is above the limit."""
    if sum(body.count(sign) for sign in (b",", b":", b"[", b"{")) <= MAX_VALUES:
        return False
    # Slower, without the signs in texts.
    return next(islice(_SIGN.finditer(body), MAX_VALUES, None), None) is not None
