"""Compression of answers (docs/decisions.md#compression)."""

import gzip
import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers

# Compressing a shorter answer does not save a packet.
_WORTH_COMPRESSING = 1024
# Level 6, which Django's middleware uses, takes four times as long and saves only a tenth to a quarter of the bytes.
_LEVEL = 1
_LEVEL_OF_PAGES = 6
_REFUSED = re.compile(r"\bgzip\s*;\s*q=0(\.0*)?\s*(,|$)")


def compressed(request: HttpRequest, response: HttpResponse, level: int = _LEVEL) -> HttpResponse:
    """The answer, compressed if the client accepts gzip. It must not have a secret beside what a stranger can choose:
    lengths would reveal the secret."""
    codings = request.headers.get("Accept-Encoding", "")
    accepted = re_accepts_gzip.search(codings) and not _REFUSED.search(codings)
    if accepted and len(response.content) >= _WORTH_COMPRESSING:
        response.content = gzip.compress(response.content, compresslevel=level, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    return response


def compress_pages(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Compress pages: the only secret in them is the token against forged requests, masked anew in each answer."""

    def compress(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if not is_page or response.streaming or response.has_header("Content-Encoding"):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        compressed(request, response, _LEVEL_OF_PAGES)
        if response.has_header("Content-Length"):
            response.headers["Content-Length"] = str(len(response.content))
        return response

    return compress
