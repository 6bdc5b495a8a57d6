"""The library: from an address to a service, and a notice sent by it. Only the child loads this module."""

import re
from importlib import import_module
from typing import Any
from urllib.parse import unquote

import apprise
from apprise.exception import AppriseException

from accounts.delivery.sending.answers import NOTHING, Answer
from accounts.delivery.sending.fitting import fitted
from accounts.delivery.sending.schemes import MOST_TARGETS, PARAMETERS, SCHEMES, TAKEN, UnusableError, scheme_of
from accounts.delivery.sending.utf8_mail import stand_in_for

_MAIL = "NotifyEmail"


def service_of(address: str, seconds: float, mailbox: str | None = None) -> Any:
    """The service that an address names. Each wait for its answer takes at most `seconds`.

    `mailbox`: the one receiver of its mails, in place of those that the address names.
    """
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
    if name == _MAIL:
        _set_receivers(service, f"{address} {parts.get('user')}@{parts.get('host')}", mailbox)
    elif mailbox:
        raise UnusableError("scheme")
    if len(service) > MOST_TARGETS:
        raise UnusableError("targets")
    service.socket_connect_timeout = service.socket_read_timeout = seconds
    # Seconds between two receivers of one address would use up the time of the notice.
    service.request_rate_per_sec = 0
    return service


def _set_receivers(service: Any, text: str, mailbox: str | None) -> None:
    """Let mails go to whom their address names and to nobody else: the library reads `o'brien@…` as `brien@…`."""
    if mailbox:
        service.targets = [(False, mailbox if mailbox.isascii() else stand_in_for(mailbox))]
        return
    named = unquote(text)
    for receiver in (*(receiver for _, receiver in service.targets), *service.cc, *service.bcc):
        if not re.search(rf"(?<![\w.!#$%'*+^`{{|}}~-]){re.escape(receiver)}(?![\w-]|\.\w)", named, re.IGNORECASE):
            raise UnusableError("form")


def answer_of(service: Any) -> Answer:
    """What its service answers."""
    return TAKEN.get(service.schema, NOTHING)


def notify(service: Any, title: str, body: str, identity: str) -> bool:
    """Send a notice; whether all receivers took it, as far as the library reads their answers."""
    text = fitted(body, title, identity, service.body_maxlen)
    return bool(
        service.notify(
            body=text, title=title, body_format=apprise.NotifyFormat.TEXT, overflow=apprise.OverflowMode.TRUNCATE
        )
    )


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
