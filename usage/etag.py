"""Conditional answers: 304 without a body while the answer stays the same (docs/api.md#conditional-reads)."""

import json
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.compression import accepts_gzip, in_gzip
from archive_site.lib.http.json_views import JsonBody, json_answer, json_pieces
from usage import data_version


def answer(request: AccountRequest, asked: Any, make: Callable[[], JsonBody]) -> HttpResponseBase:
    """Answer with the result of `make` as JSON and an ETag, or with 304 if the client already has this answer.

    `asked` is the normalized request: the parameters, and everything else that the answer depends on besides the
    account's records and runs. The tag is read before the rows: at worst it is too old, and the next request gets a
    full answer.
    """
    tag = _tag(request, asked)
    known = get_conditional_response(request, etag=tag)
    if known and request.headers["If-None-Match"].strip() == "*":
        # `*` matches any existing answer: `make` raises if there is none.
        make()
    response: HttpResponseBase = known or _full(request, make())
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
    return response


def minute() -> str:
    """The current minute, for the tag of an answer that contains the time."""
    return clock.now().strftime("%Y-%m-%dT%H:%M%z")


def _tag(request: AccountRequest, asked: Any) -> str:
    user, version = request.user, data_version.state(archives.of_request(request))
    computed_from: list[Any] = [
        version, user.pk, user.role, clock.today(), settings.VERSION, request.path, get_language(), asked,
    ]  # fmt: skip
    if archives.is_named(request):
        # Its answer has further fields.
        computed_from.append(archives.of_request(request))
    # The hash is keyed, so that a tag does not reveal what it is computed from.
    value = json.dumps(computed_from, default=repr)
    return f'W/"{salted_hmac("usage.conditional", value, algorithm="sha256").hexdigest()[:32]}"'


def _full(request: HttpRequest, body: JsonBody) -> HttpResponseBase:
    """The answer in full, compressed if the client accepts gzip. Safe because no answer with a secret comes here, so
    its length reveals nothing."""
    pieces, is_packed = in_gzip(json_pieces(body)) if accepts_gzip(request) else (json_pieces(body), False)
    response = json_answer(pieces)
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    return response
