"""The address at which the source of an archive is asked, as its owner gives it (docs/sources.md#addresses)."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from django.utils.translation import gettext

from accounts.archive_changes import WrongField
from archive_site.lib.public_addresses import is_public

LONGEST = 255
_PRINTABLE = re.compile(r"[!-~]+")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")


def normal_address(given: object, *, private_allowed: bool) -> str:
    """The root of a service in normal form: without the slash at its end, and without the `/v1` of its other routes.

    Raises WrongField for anything else, and for a host that is not public where that is not allowed. A name is looked
    up only when the source is asked: see `collection.sources.over_http.public_hosts`.
    """
    text = given.strip().rstrip("/") if isinstance(given, str) else ""
    parts = _parts(text) if len(text) <= LONGEST and _PRINTABLE.fullmatch(text) else None
    host = (parts.hostname or "") if parts else ""
    shown = f"[{host}]" if ":" in host else host
    if not parts or not _HOST.fullmatch(shown) or parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise WrongField("address", gettext("An address has the form https://gateway.example.org, with a path or not."))
    if parts.query or parts.fragment or not _PATH.fullmatch(parts.path) or ".." in parts.path:
        raise WrongField("address", gettext("An address has the form https://gateway.example.org, with a path or not."))
    if not private_allowed and (parts.scheme == "http" or _is_private(host)):
        raise WrongField("address", gettext("The address must be of a public host and begin with https://."))
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{shown}{port}{parts.path.removesuffix('/v1')}"


def usable_address(given: str, *, private_allowed: bool) -> str:
    """The address in normal form; empty where it is none, or not allowed here."""
    try:
        return normal_address(given, private_allowed=private_allowed)
    except WrongField:
        return ""


def _parts(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        return parts if parts.port != 0 else None
    except ValueError:
        return None


def _is_private(host: str) -> bool:
    """Whether a host is written as a numeric address that is not public, or has a name of this network alone."""
    try:
        return not is_public(str(ipaddress.ip_address(host)))
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan", ".home.arpa"))
