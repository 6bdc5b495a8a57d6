"""The library: from an address to a service, and a notice sent by it. Only the child loads this module."""

from importlib import import_module
from typing import Any

import apprise
from apprise.exception import AppriseException

from accounts.notices.sending.exchanges import ADDRESS, REFUSED_FOR_NOW, Exchanges, Failure
from accounts.notices.sending.schemes import MOST_TARGETS, PARAMETERS, SCHEMES, TAKEN, scheme_of

# Room for what a service puts around a text.
_MARGIN = 64


class UnusableError(ValueError):
    """An address that the library cannot use, or may not; `reason` is a code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def service_of(address: str, seconds: float) -> Any:
    """The service that an address names. Each wait for its answer takes at most `seconds`."""
    scheme = scheme_of(address)
    if scheme not in SCHEMES:
        raise UnusableError("scheme")
    module, name = SCHEMES[scheme]
    plugin = getattr(import_module(f"apprise.plugins.{module}"), name)
    try:
        parts = plugin.parse_url(address)
        if not parts:
            raise UnusableError("form")
        if not PARAMETERS.issuperset(parts["qsd"].keys() - _prefixed(parts)):
            raise UnusableError("parameter")
        service = plugin(**parts, asset=_asset())
    except UnusableError:
        raise
    # Parsers of the library fail in these ways on odd texts.
    except (AppriseException, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnusableError("form") from error
    if len(service) > MOST_TARGETS:
        raise UnusableError("targets")
    service.socket_connect_timeout = service.socket_read_timeout = seconds
    # Seconds between two receivers of one address would use up the time of the notice.
    service.request_rate_per_sec = 0
    return service


def notify(service: Any, title: str, body: str, identity: str, exchanges: Exchanges) -> Failure | None:
    """Send a notice; None where all receivers took it."""
    exchanges.taken = TAKEN.get(service.schema)
    text = _fitted(body, title, f"\n\nNotice {identity}", service.body_maxlen)
    taken = service.notify(
        body=text, title=title, body_format=apprise.NotifyFormat.TEXT, overflow=apprise.OverflowMode.TRUNCATE
    )
    if taken and not (exchanges.taken and exchanges.failure):
        return None
    # With status 200 the library has read in the answer that the service did not take the message, perhaps for now.
    return exchanges.failure or (REFUSED_FOR_NOW if exchanges.number else ADDRESS)


def _prefixed(parts: dict[str, Any]) -> set[str]:
    """Parameters such as `+X-Name`: headers, fields and query values, which only the receiver sees."""
    return {key for key in parts["qsd"] if key[:1] in "+-:"}


def _asset() -> apprise.AppriseAsset:
    """What the library puts into messages, and what it may do: no templates, no keys, no links to its own pictures."""
    asset = apprise.AppriseAsset(
        app_id="Usage archive", app_desc="Usage archive", app_url="", image_url_mask="", image_url_logo="",
        async_mode=False, http_redirects=False, pgp_autogen=False, pem_autogen=False, allow_templates=False,
        storage_mode="memory",
    )  # fmt: skip
    return asset


def _fitted(body: str, title: str, ending: str, most: int) -> str:
    """The body with its ending, cut so that the ending stays. Some services count bytes, so all are treated so."""
    room = most - _MARGIN - len(f"{title}{ending}".encode())
    text = body.encode()
    if len(text) > room:
        body = text[: max(0, room - 3)].decode(errors="ignore") + "…"
    return body + ending
