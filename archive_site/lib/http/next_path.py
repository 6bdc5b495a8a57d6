"""Where a form leads to: the parameter or field `next` (docs/api.md#sign-in)."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_path(request: HttpRequest) -> str:
    """The target of `next`; empty unless it is a path of this origin."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    is_path = target.startswith("/") and target.isprintable()
    # Without allowed hosts, an address of any host is refused, also where a browser alone would read one (`/\x`).
    return target if is_path and url_has_allowed_host_and_scheme(target, allowed_hosts=None) else ""
