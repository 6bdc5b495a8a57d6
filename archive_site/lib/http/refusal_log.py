"""What the log says of a host and of an origin that are refused: mostly a proxy or a variable is to be set
(docs/deploy.md#what-the-log-says-of-refusals).

Anybody can cause these lines, so each comes once a minute at most, with the beginning of what came.
"""

import logging
import re
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port

from archive_site.lib.environment import is_allowable_host
from archive_site.lib.seldom_log import shown, warn

log = logging.getLogger(__name__)
# The longest name of a host, and of an origin: a scheme before it and a port behind it.
_HOST_MOST = 253
_ORIGIN_MOST = len("https://") + _HOST_MOST + len(":65535")
_HIDDEN = "null"
# Mostly the name of a container, or of a group of servers in the settings of a proxy.
_WITH_UNDERSCORE = re.compile(r"(?=[^:]*_)[\w-]+(\.[\w-]+)*(:[0-9]+)?", re.ASCII)


def note_host(request: HttpRequest) -> None:
    """Log the host of a request that is not allowed, and the variable to set."""
    host = request.META.get("HTTP_HOST", "")
    warn(log, "host", "refused the host %s: %s", shown(host), _advice_for_host(host))


def _advice_for_host(host: str) -> str:
    domain, _ = split_domain_port(host)
    # A dot at its beginning would let all names below it in.
    if domain and len(domain) <= _HOST_MOST and is_allowable_host(domain) and not domain.startswith("."):
        return f"if it is one of this service, add {shown(domain, _HOST_MOST)} to ARCHIVE_ALLOWED_HOSTS"
    if _WITH_UNDERSCORE.fullmatch(host):
        return "no name with an underscore is accepted; let the proxy pass the Host header on as it came"
    return "that is no host name or address"


def note_origin(request: HttpRequest) -> None:
    """Log the origin of a write that is not trusted, and the variable or the header of the proxy to set."""
    came, own = _origin_of(request), f"{request.scheme}://{request.get_host()}"
    what = f"refused a write that came from {shown(came)} to {shown(own)}"
    warn(log, "origin", "%s: %s", what, _advice(came, own))


def _advice(came: str, own: str) -> str:
    if came in ("", _HIDDEN):
        return "without an origin; a proxy or a browser hides it (Referrer-Policy: no-referrer)"
    if came.partition("://")[2] == own.partition("://")[2]:
        counts = "" if settings.TRUSTED_PROXIES else ", and set ARCHIVE_TRUSTED_PROXIES to the number of proxies"
        return f"let the proxy name the scheme of the browser in X-Forwarded-Proto{counts}"
    if not _can_be_trusted(came):
        return "that is no website, and nothing makes this service trust it"
    return (
        "if both are this service, let the proxy pass the Host header on as it came, or add "
        f"{shown(came, _ORIGIN_MOST)} to ARCHIVE_TRUSTED_ORIGINS"
    )


def _can_be_trusted(origin: str) -> bool:
    """Whether ARCHIVE_TRUSTED_ORIGINS may have it; extensions of a browser, for example, have schemes of their own."""
    scheme, _, host = origin.partition("://")
    domain, _ = split_domain_port(host)
    return scheme in ("http", "https") and 0 < len(domain) <= _HOST_MOST


def _origin_of(request: HttpRequest) -> str:
    """The origin of a write, of its Origin or its Referer, without path or password.

    Empty where there is none, `null` where the browser hides it.
    """
    text: str = request.META.get("HTTP_ORIGIN") or request.META.get("HTTP_REFERER", "")
    if text == _HIDDEN:
        return text
    try:
        parts: SplitResult = urlsplit(text)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.scheme and parts.netloc else ""
