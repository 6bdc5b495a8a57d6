"""Compression of answers (docs/decisions/web.md#compression)."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import chain
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string
from isal import isal_zlib

_REFUSED = re.compile(r"\bgzip\s*;\s*q=0(\.0*)?\s*(,|$)")
# Compressing a shorter answer does not save a packet.
WORTH_COMPRESSING = 1024
# As many bytes as level 1 of zlib gives, in a quarter of the time.
_LEVEL = 2
_GZIP = 16 + isal_zlib.MAX_WBITS
# Bytes.
_CHUNK = 128 * 1024
# As many random bytes blur the length of a page, in addition to the token, which is masked anew in each answer.
_MOST_RANDOM_BYTES = 100


def accepts_gzip(request: HttpRequest) -> bool:
    codings = request.headers.get("Accept-Encoding", "")
    return bool(re_accepts_gzip.search(codings) and not _REFUSED.search(codings))


def compressed(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Compress the page of a view for clients that accept gzip.

    For pages whose only secret is the CSRF token: others could be guessed from lengths, where a page shows input.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, ["Accept-Encoding"])
        if not isinstance(response, HttpResponse) or not accepts_gzip(request):
            return response
        if len(response.content) >= WORTH_COMPRESSING:
            response.content = compress_string(response.content, max_random_bytes=_MOST_RANDOM_BYTES)
            response.headers["Content-Encoding"] = "gzip"
        return response

    return answer


def in_gzip(pieces: Iterable[bytes]) -> tuple[Iterable[bytes], bool]:
    """The pieces of an answer without a secret, compressed while they are made, and whether they are: not few bytes."""
    rest, begin = iter(pieces), b""
    for piece in rest:
        begin += piece
        if len(begin) >= WORTH_COMPRESSING:
            return _packed(chain([begin], rest)), True
    return [begin], False


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = isal_zlib.compressobj(_LEVEL, wbits=_GZIP)
    yield from map(packer.compress, _chunks(pieces))
    yield packer.flush()


def _chunks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, joined to chunks: to hand over each would take longer than to pack it."""
    waiting, size = [], 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
