"""Classifying answers of the upstream that are no page of rows (docs/upstream.md#failures). Pure functions."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal
from urllib.parse import unquote, urlsplit

from archive_site.lib.stored_message import Message
from collection.sources.over_http.answer_json import payload_of
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.unusable import broken, looks_like_html
from collection.sources.source import SourceFailure, UnusableAnswer

PASSING = {429, 500, 502, 503, 504}
COOKIE_CODE, USER_AGENT_CODE, PARAMETERS_CODE = "12153", "10085", "10001"
GONE = {404, 405, 410}
LOGIN_NAMES = {"login", "signin", "sign-in", "logon", "sso", "passport"}

TOO_LARGE = re.compile(rb"(?i)(cookie|header)[^<]*too large")

# The cause of an outcome. A plain 401 is `refused`: the cookie may be expired, or belong to another host.
Cause = Literal["refused", "expired", "user_agent_refused", "cookie_too_large", "api_moved", "network", "api"]


def code_of(payload: Mapping[str, object] | None) -> str:
    """Give the code of an answer as text, empty if it has none."""
    code = payload.get("code") if payload else None
    return code.strip() if isinstance(code, str) else ""


def is_past_the_end(answer: Answer, number: int) -> bool:
    """Whether the answer to page `number` means that there are no more pages."""
    return answer.status == 400 and number > 1 and code_of(payload_of(answer.body)) == PARAMETERS_CODE


def is_worth_another_try(answer: Answer) -> bool:
    """Whether the answer means overload, which passes, and not a refusal with such a status."""
    return answer.status in PASSING and code_of(payload_of(answer.body)) not in (COOKIE_CODE, USER_AGENT_CODE)


def refusal(answer: Answer, code: str, cookie: str) -> SourceFailure | None:
    """Give the failure that follows from status, code or form of the answer; None if its JSON can be read."""
    if code == COOKIE_CODE or answer.status == 401 or (answer.status == 200 and looks_like_html(answer.body)):
        is_expired = code == COOKIE_CODE or answer.status != 401
        return SourceFailure("refused", Message("cookie_refused"), "expired" if is_expired else "refused")
    if code == USER_AGENT_CODE:
        return _user_agent_refused()
    if answer.status == 200:
        return None
    if 300 <= answer.status < 400:
        return _redirected(answer, cookie)
    if answer.status == 431 or (answer.status == 400 and TOO_LARGE.search(answer.body)):
        return _cookie_too_large()
    if answer.status == 400 and code == PARAMETERS_CODE:
        return UnusableAnswer("api", Message("parameters_refused"))
    message = _plain_refusal(answer.status, concealed(code, secrets_of(cookie))[:40])
    return SourceFailure("api", message, "api_moved" if answer.status in GONE else "api")


def _user_agent_refused() -> SourceFailure:
    return SourceFailure("api", Message("user_agent_refused"), "user_agent_refused", concerns_credential=True)


def _cookie_too_large() -> SourceFailure:
    return SourceFailure("api", Message("cookie_too_large"), "cookie_too_large", concerns_credential=True)


def _redirected(answer: Answer, cookie: str) -> SourceFailure:
    try:
        target = urlsplit(answer.location)
        host = target.hostname or "itself"
    except ValueError:
        return broken(Message("redirect_unreadable", status=answer.status))
    names = {segment.partition(".")[0] for segment in target.path.lower().split("/")} | {host.partition(".")[0]}
    if "/auth/realms/" in target.path or names & LOGIN_NAMES:
        return SourceFailure("refused", Message("sign_in_asked"), "expired")
    if not answer.location:
        return SourceFailure("api", Message("address_leads_nowhere", status=answer.status), "api_moved")
    message = Message("address_moved", host=concealed(host, secrets_of(cookie)), status=answer.status)
    return SourceFailure("api", message, "api_moved")


def _plain_refusal(status: int, code: str) -> Message:
    if status in GONE:
        return Message("address_unknown", status=status)
    if status == 403:
        return Message("request_forbidden")
    if code:
        return Message("request_refused_with_code", status=status, upstream_code=code)
    return Message("request_refused", status=status)


def secrets_of(cookie: str) -> Iterator[str]:
    """The values of a cookie, and the parts of these, which no message may repeat."""
    for pair in cookie.split(";"):
        value = pair.partition("=")[2].strip() or pair
        yield from re.split(r"[|,=\s]+", f"{value}|{unquote(value)}")
