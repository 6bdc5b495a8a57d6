"""The list of common passwords, for the pages on which one is chosen (docs/decisions/accounts.md#weak-passwords).

The browser looks a password up in it: what is typed is sent nowhere before the form.
"""

import gzip
from functools import cache

from django.contrib.auth.password_validation import CommonPasswordValidator
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from archive_site.lib.environment import PASSWORD_LEAST
from archive_site.lib.http.compression import accepts_gzip

# The same for everybody, until a new version of Django has another.
_KEPT = "public, max-age=86400"


@cache
def _list() -> tuple[bytes, bytes]:
    """Those that the policy allows in some case of their letters, one a line; plain and compressed."""
    common = CommonPasswordValidator().passwords
    allowed = sorted(one for one in common if len(one) >= PASSWORD_LEAST and not one.isdecimal())
    text = "\n".join(allowed).encode()
    return text, gzip.compress(text, mtime=0)


@require_safe
def common_passwords(request: HttpRequest) -> HttpResponse:
    """GET /common-passwords.txt: open to everybody, in lower case."""
    plain, compressed = _list()
    is_compressed = accepts_gzip(request)
    response = HttpResponse(compressed if is_compressed else plain, content_type="text/plain; charset=utf-8")
    response.headers["Cache-Control"] = _KEPT
    if is_compressed:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
