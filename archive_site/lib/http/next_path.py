"""Where a form leads to: the parameter or field `next` (docs/api.md#sign-in)."""

import posixpath
from urllib.parse import unquote

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_path(request: HttpRequest) -> str:
    """The target of `next`; empty unless it is a path of this service."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    is_path = target.startswith("/") and target.isprintable() and _is_own(target)
    # Without allowed hosts, an address of any host is refused, also where a browser alone would read one (`/\x`).
    return target if is_path and url_has_allowed_host_and_scheme(target, allowed_hosts=None) else ""


def _is_own(target: str) -> bool:
    """Whether a browser stays under the path of the service: it resolves dots, also where they are quoted."""
    resolved = posixpath.normpath(unquote(target.partition("?")[0]).replace("\\", "/"))
    return f"{resolved}/".startswith(f"{settings.SERVICE_PATH}/")
