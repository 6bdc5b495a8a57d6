"""Trying a credential before it is saved: as it was typed or pasted, with one request."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from accounts.config import KEYS, InstanceSettings
from accounts.credential_forms import Pasted
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import as_text
from archive_site.lib.stored_message import Message
from collection.api_types import RefusedCredential
from collection.sources.codebuddy.credential import upstream_settings
from collection.sources.codebuddy.exchange import UpstreamSettings
from collection.sources.codebuddy.pasted_requests import read_pasted
from collection.sources.codebuddy.reader import Upstream
from collection.sources.source import Page

# Seconds for the one request: a person waits for it, and a restore may.
PATIENCE = 8.0


@dataclass(frozen=True)
class Typed:
    """A credential to be tested before it is saved, in normal form; `host` is that of the copied request."""

    cookie: str = field(default="", repr=False)
    user_agent: str = ""
    host: str = ""


def settings_of(archive_id: int, instance: InstanceSettings, typed: Typed) -> UpstreamSettings:
    """The upstream settings of a collection, but with the typed credential and a shorter timeout.

    Raises SourceFailure if a stored cookie is needed and missing or broken.
    """
    asked = upstream_settings(archive_id, instance, cookie=typed.cookie, user_agent=typed.user_agent)
    return replace(asked, timeout=min(asked.timeout, PATIENCE))


def newest(asked: UpstreamSettings) -> Page:
    """The page of the newest call. Raises SourceFailure."""
    with Upstream(asked, tries=1, now=clock.now) as upstream:
        return upstream.check()


def read_typed(body: Mapping[str, object], instance: InstanceSettings) -> Typed:
    """Cookie and User-Agent as the settings would store them. Raises ApiError 400 `invalid`."""
    errors: list[str] = []
    text, agent = (_text(body, name, errors) for name in ("cookie", "user_agent"))
    pasted = Pasted(secret="")
    try:
        if text:
            pasted = read_pasted(text, instance.api_base + instance.api_path)
    except ValueError as error:
        errors.append(f"cookie {error}")
    cookie = _normal("cookie", pasted.secret, errors)
    agent = _normal("user_agent", agent or pasted.user_agent, errors)
    if errors:
        raise ApiError(400, "invalid", " ".join(errors), more=RefusedCredential(errors, []))
    return Typed(cookie, agent, pasted.host)


def _text(body: Mapping[str, object], name: str, errors: list[str]) -> str:
    value = body.get(name)
    if isinstance(value, dict | list):
        errors.append(f"{name} {Message('not_a_plain_value')}")
        return ""
    return as_text(value).strip()


def _normal(name: str, text: str, errors: list[str]) -> str:
    try:
        return KEYS[name].normalise(text)
    except ValueError as error:
        errors.append(f"{name} {error}")
        return ""
