"""Hostile upstreams as steps of a script: the answers of each."""

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import repeat

from tests.collection.scripted_upstream import ROW, ScriptedUpstream, Step, answer, hang, raw, rows

MIB = 1024**2
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GOOD = b'{"code": 0, "data": {"total": 1, "data": ['


def flood(start: bytes, pieces: Callable[[], Iterator[bytes]]) -> Step:
    """Send `start`, then piece after piece for as long as the client takes them."""

    def step(connection: socket.socket, server: ScriptedUpstream) -> None:
        # A client that reads to the end may also close the connection.
        with suppress(OSError):
            connection.sendall(start)
            for piece in pieces():
                if server.over.is_set():
                    return
                connection.sendall(piece)
        server.left.set()

    return step


def each(seconds: float, start: bytes, piece: bytes) -> Step:
    """Send `start`, then one piece after each pause, for as long as the client stays."""

    def pieces() -> Iterator[bytes]:
        while True:
            time.sleep(seconds)
            yield piece

    return flood(start, pieces)


def endless_pages(connection: socket.socket, server: ScriptedUpstream) -> None:
    """Answer every page with new rows, and a `total` that is never reached."""
    asked = server.requests[-1].body
    number, size = asked["pageNum"], asked["pageSize"]
    changes = [{"requestId": f"{number:08x}{place:08x}{id(server):016x}"} for place in range(size)]
    rows(*changes, total=(number + 1) * size)(connection, server)


def redirect(connection: socket.socket, server: ScriptedUpstream) -> None:
    """Redirect to an address that redirects back."""
    answer(307, Location=f"{server.url}/again")(connection, server)


@cache
def bomb() -> bytes:
    """A gigabyte of letters in a row's prompt, compressed to a megabyte."""
    return gzip.compress(GOOD + b'{"requestId": "0", "input": "' + b"a" * 1024 * MIB + b'"}]}}', 1)


def compressed(connection: socket.socket, server: ScriptedUpstream) -> None:
    answer(200, bomb(), Content_Encoding="gzip")(connection, server)


def filled(piece: bytes, size: int = 3 * MIB) -> Step:
    """Send a whole answer of about `size` bytes, whose rows are the same piece again and again."""

    def step(connection: socket.socket, server: ScriptedUpstream) -> None:
        answer(200, GOOD + (piece + b",") * (size // (len(piece) + 1)) + piece + b"]}}")(connection, server)

    return step


def long_prompt(letter: str, size: int) -> Step:
    """Send one row whose prompt is `size` bytes of a letter, and a face: Python keeps all as wide as the widest."""

    def step(connection: socket.socket, server: ScriptedUpstream) -> None:
        row = {**ROW, "input": letter * (size // len(letter.encode())) + "😀"}
        body = json.dumps({"code": 0, "data": {"total": 1, "data": [row]}}, ensure_ascii=False)
        answer(200, body)(connection, server)

    return step


def cut_short(connection: socket.socket, server: ScriptedUpstream) -> None:
    """Promise more than is sent, and hang up."""
    connection.sendall(HEAD + b"Content-Length: 999\r\n\r\n" + GOOD)
    connection.shutdown(socket.SHUT_RDWR)


def gigabyte() -> Iterator[bytes]:
    return repeat(b"a" * MIB, 1024)


NESTED = b"[" * 100_000 + b"]" * 100_000
SILENT: dict[str, Step] = {
    "never answers": hang,
    "a byte a second": each(1, HEAD + b"Content-Length: 9999\r\n\r\n", b"{"),
    "a header a letter a second": each(1, HEAD + b"X-Slow: ", b"a"),
    "a chunk a byte a second": each(1, CHUNKED, b"1\r\n{\r\n"),
    "the length of a chunk without end": each(0.01, CHUNKED, b"0" * 1000),
    "continue, for ever": each(0.01, b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a length that is none": raw(HEAD + b"Content-Length: -1\r\n\r\n" + GOOD + b"]}}"),
    "more promised than sent, then silence": raw(HEAD + b"Content-Length: 999\r\n\r\n" + GOOD),
}
LOUD: dict[str, Step] = {
    "1 GB": flood(HEAD + b"Content-Length: 1073741824\r\n\r\n", gigabyte),
    "1 GB without a length": flood(HEAD + b"Connection: close\r\n\r\n", gigabyte),
    "chunks without end": flood(CHUNKED, lambda: repeat(b"10000\r\n" + b"a" * 65536 + b"\r\n")),
    "a chunk of 1 TB": flood(CHUNKED + b"10000000000\r\n", lambda: repeat(b"a" * MIB)),
    "a gzip bomb": compressed,
    "headers without end": flood(HEAD, lambda: repeat(b"X-More: and more\r\n" * 1000)),
    "a header without end": flood(HEAD + b"X-More: ", lambda: repeat(b"a" * MIB)),
    "redirects without end": redirect,
    "pages without end": endless_pages,
    "JSON 100,000 deep": answer(200, b'{"code": 0, "data": ' + NESTED + b"}"),
    "JSON 31 MiB deep": answer(200, b"[" * 31 * MIB),
    "3 MiB of empty lists": filled(b"[]"),
    "3 MiB of objects": filled(b'{"a":1}'),
    "3 MiB of numbers": filled(b"1"),
    "as many values as are read": filled(b'"abcdefg"', 10 * 200_000),
    "more promised than sent": cut_short,
    "less promised than sent": raw(HEAD + b"Content-Length: 30\r\n\r\n" + GOOD + b"]}}"),
}
# Valid answers that take the most memory.
HEAVY: dict[str, Step] = {
    "a prompt of 4 MiB, its letters wide": long_prompt("a", 4 * MIB - 999),
    "a prompt of 4 MiB in Chinese": long_prompt("中", 4 * MIB - 999),
}
