"""Conditional answers: 304 without a body while nothing changed that an answer tells (design 5)."""

import gzip
import json
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language

from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.json_views import Body, JsonText, json_response
from usage import data_version

# Below this a compressed answer saves no packet.
_WORTH_COMPRESSING = 1024
# Django's own middleware compresses at level 6: four times the time for a tenth to a quarter fewer bytes.
_LEVEL = 1
_REFUSED = re.compile(r"\bgzip\s*;\s*q=0(\.0*)?\s*(,|$)")


def answer(request: AccountRequest, asked: Any, make: Callable[[], Body | list[Any] | JsonText]) -> HttpResponse:
    """What `make` gives as JSON, under a tag of all that it depends on; 304 where the client has it already.

    `asked` is what was asked for in its normal form (parameters, and whatever else the answer tells beyond the
    account's records and runs). The tag is read before the rows: at worst it is too old, and the next ask is
    answered in full.
    """
    tag = _tag(request, asked)
    known = get_conditional_response(request, etag=tag)
    if known and request.headers["If-None-Match"].strip() == "*":
        # It asks for anything that there is, which only the rows themselves tell.
        make()
    response = known or _compressed(request, json_response(make()))
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
    return response


def minute() -> str:
    """The present minute, for the tag of an answer that tells the time."""
    return clock.now().strftime("%Y-%m-%dT%H:%M%z")


def _tag(request: AccountRequest, asked: Any) -> str:
    user = request.user
    told = [
        data_version.state(user.pk), user.pk, user.role, clock.today(), settings.VERSION, request.path,
        get_language(), asked,
    ]  # fmt: skip
    # Keyed, so that nobody learns from a tag what it was made of.
    value = json.dumps(told, default=repr)
    return f'W/"{salted_hmac("usage.conditional", value, algorithm="sha256").hexdigest()[:32]}"'


def _compressed(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """No page, and no answer with a secret in it, comes here; so nothing can be guessed from its length."""
    codings = request.headers.get("Accept-Encoding", "")
    accepted = re_accepts_gzip.search(codings) and not _REFUSED.search(codings)
    if accepted and len(response.content) >= _WORTH_COMPRESSING:
        response.content = gzip.compress(response.content, compresslevel=_LEVEL, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    return response
