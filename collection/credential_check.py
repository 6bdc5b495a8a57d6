"""Testing a credential: request one row from the upstream and explain the result (docs/api.md#credential-test).

A test stores no run, no record and no audit entry; `last_answer` keeps its outcome.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from msgspec import UNSET, UnsetType, structs

from accounts import config, credential
from accounts.config import KEYS, InstanceSettings
from accounts.pasted_requests import Pasted, read_pasted
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.minimum_interval import minimum_interval
from archive_site.lib.http.parameters import as_text
from archive_site.lib.stored_message import Message
from audit.known_secrets import guard_in_request, masked
from collection.api_types import FailingCredential, FineCredential, NewestCall, RefusedCredential
from collection.credential_advice import diagnose, telling
from collection.last_answer import note_test
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import BY_SOURCE_FAILURE
from collection.sources.codebuddy.credential import upstream_settings
from collection.sources.codebuddy.exchange import UpstreamSettings
from collection.sources.codebuddy.reader import Upstream
from collection.sources.source import Page, SourceFailure
from usage.record_payloads import credits

Said = TypeVar("Said", FailingCredential, NewestCall)
INTERVAL = 10
# Seconds for the one request: a person waits for it, and a restore may.
PATIENCE = 8.0


@dataclass(frozen=True)
class Typed:
    """A credential to be tested before it is saved, in normal form; `host` is that of the copied request."""

    cookie: str = field(default="", repr=False)
    user_agent: str = ""
    host: str = ""


def check(archive_id: int, body: Mapping[str, object]) -> FineCredential | FailingCredential:
    """Test the cookie and User-Agent in `body`; what is missing there is taken from the account's stored credential.

    Raises ApiError: 400 `invalid`, 409 `no_cookie` and `cookie_broken`, 429 `too_frequent`.
    """
    instance = config.instance_settings()
    typed = read_typed(body, instance.api_base + instance.api_path)
    asked = _settings(archive_id, instance, typed)
    with minimum_interval(f"credential-test:{archive_id}", INTERVAL, failures_count=True):
        guard_in_request(typed.cookie)
        try:
            page = _newest(asked)
        except SourceFailure as failure:
            has_worked = not typed.cookie and _has_worked(archive_id)
            answer = diagnose(failure, asked, typed.host, has_worked=has_worked)
            note_test(asked.cookie, asked.user_agent, answer.outcome)
            return _masked(answer)
    note_test(asked.cookie, asked.user_agent, "fine")
    return FineCredential(True, "fine", telling(page), _newest_call(page))


def read_typed(body: Mapping[str, object], upstream: str) -> Typed:
    """Cookie and User-Agent as the settings would store them; `upstream` is the URL of the usage API.

    Raises ApiError 400 `invalid`.
    """
    errors: list[str] = []
    text, agent = (_text(body, name, errors) for name in ("cookie", "user_agent"))
    pasted = Pasted(cookie="")
    try:
        if text:
            pasted = read_pasted(text, upstream)
    except ValueError as error:
        errors.append(f"cookie {error}")
    cookie = _normal("cookie", pasted.cookie, errors)
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


def _settings(archive_id: int, instance: InstanceSettings, typed: Typed) -> UpstreamSettings:
    """The upstream settings of a collection, but with the typed credential and a shorter timeout."""
    try:
        asked = upstream_settings(archive_id, instance, cookie=typed.cookie, user_agent=typed.user_agent)
    except SourceFailure as failure:
        outcome = BY_SOURCE_FAILURE[failure.outcome]
        raise ApiError(outcome.http, outcome.error, str(failure.message)) from None
    return replace(asked, timeout=min(asked.timeout, PATIENCE))


def _has_worked(archive_id: int) -> bool:
    """Whether a collection succeeded with the stored cookie."""
    since = credential.cookie_set_at(archive_id)
    return (
        since is not None and runs.collections(archive_id).filter(status=Run.Status.OK, started_at__gt=since).exists()
    )


def _newest(asked: UpstreamSettings) -> Page:
    with Upstream(asked, tries=1, now=clock.now) as upstream:
        return upstream.check()


def _newest_call(page: Page) -> NewestCall | UnsetType:
    """The newest call, if there is one that can be read."""
    if not page.records:
        return UNSET
    call = page.records[0]
    return _masked(NewestCall(call.ts, call.model, call.client, credits(call.credits_micro)))


def _masked(answer: Said) -> Said:
    """The answer without the cookie, which the upstream may repeat."""
    texts = {name: masked(value) for name, value in structs.asdict(answer).items() if isinstance(value, str)}
    return structs.replace(answer, **texts)
