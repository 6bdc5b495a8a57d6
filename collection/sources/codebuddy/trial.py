"""Trying a credential before it is saved: as it was typed or pasted, with one request."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext

from accounts.config import KEYS, InstanceSettings
from accounts.credentials import credential
from accounts.credentials.credential_forms import Pasted
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import as_text
from archive_site.lib.i18n import sentences
from archive_site.lib.stored_message import Message
from collection.api_types import FailingCredential, RefusedCredential
from collection.sources.codebuddy import credential_advice
from collection.sources.codebuddy.credential import stored_token_settings, token_settings, upstream_settings
from collection.sources.codebuddy.pasted_requests import read_pasted
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.token import FIELDS, Token
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.source import Page, SourceFailure

# Seconds for the one request: a person waits for it, and a restore may.
PATIENCE = 8.0


@dataclass(frozen=True)
class CookieTrial:
    """The test of a cookie; `given` is in normal form, `copied_from` the host of the pasted request, if known."""

    given: str = field(repr=False)
    copied_from: str
    asked: UpstreamSettings

    @property
    def fingerprint(self) -> str:
        return credential.fingerprint(self.asked.secrets, self.asked.user_agent)

    def ask(self) -> Page:
        with Upstream(self.asked, tries=1, now=clock.now) as upstream:
            return upstream.check()

    def telling(self, page: Page) -> str:
        return gettext("The token works.") if self.asked.token else credential_advice.telling(page)

    def diagnose(self, failure: SourceFailure, *, has_worked: bool) -> FailingCredential:
        if self.asked.token:
            words = gettext("The token is not accepted: it has ended, or is of another region or user.")
            is_refused = failure.outcome == "refused"
            return FailingCredential(False, failure.cause, words if is_refused else str(failure.message))
        return credential_advice.diagnose(failure, self.asked, self.copied_from, has_worked=has_worked)


def begun(archive_id: int, body: Mapping[str, object], instance: InstanceSettings) -> CookieTrial:
    """The test of a cookie and User-Agent, or of a token, given or stored: the settings of a collection with them, and
    a shorter timeout."""
    if FIELDS[0] in body:
        return _of_token(archive_id, body, instance)
    given = _read(body, instance)
    try:
        asked = upstream_settings(archive_id, instance, cookie=given.secret, user_agent=given.user_agent)
    except SourceFailure as failure:
        if failure.outcome != "missing":
            raise
        asked = stored_token_settings(archive_id, instance)
    return CookieTrial(given.secret, given.host, replace(asked, timeout=min(asked.timeout, PATIENCE)))


def _of_token(archive_id: int, body: Mapping[str, object], instance: InstanceSettings) -> CookieTrial:
    token = Token.given({name: body[name] for name in FIELDS if name in body})
    asked = token_settings(archive_id, instance, token)
    return CookieTrial(token.token, "", replace(asked, timeout=min(asked.timeout, PATIENCE)))


def _read(body: Mapping[str, object], instance: InstanceSettings) -> Pasted:
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
        raise ApiError(400, "invalid", sentences(errors), more=RefusedCredential(errors, []))
    return Pasted(cookie, agent, pasted.host)


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
