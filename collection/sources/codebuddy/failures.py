"""Classifying answers of the upstream that are no page of rows (docs/upstream.md#failures). Pure functions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal
from urllib.parse import unquote, urlsplit

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.answer_json import code_of, payload_of
from collection.sources.source import SourceFailure, UnusableAnswer
from usage.incoming_values import text

MAX_WORDS = 200
# Stands for a letter of a secret until the text is cut.
_HIDDEN = "\0"

PASSING = {429, 500, 502, 503, 504}
COOKIE_CODE, USER_AGENT_CODE, PARAMETERS_CODE = "12153", "10085", "10001"
GONE = {404, 405, 410}
LOGIN_NAMES = {"login", "signin", "sign-in", "logon", "sso", "passport"}

TOO_LARGE = re.compile(rb"(?i)(cookie|header)[^<]*too large")

# The cause of an outcome. A plain 401 is `refused`: the cookie may be expired, or belong to another host.
Cause = Literal["refused", "expired", "user_agent_refused", "cookie_too_large", "api_moved", "network", "api"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; `body` is decompressed, and empty if it was `over_cap`."""

    status: int
    location: str
    retry_after: str
    body: bytes | bytearray = field(repr=False)
    over_cap: bool = False


def is_past_the_end(answer: Answer, number: int) -> bool:
    """Whether the answer to page `number` means that there are no more pages."""
    return answer.status == 400 and number > 1 and code_of(payload_of(answer.body)) == PARAMETERS_CODE


def is_worth_another_try(answer: Answer) -> bool:
    """Whether the answer means overload, which passes, and not a refusal with such a status."""
    return answer.status in PASSING and code_of(payload_of(answer.body)) not in (COOKIE_CODE, USER_AGENT_CODE)


def refusal(answer: Answer, code: str, cookie: str) -> SourceFailure | None:
    """Give the failure that follows from status, code or form of the answer; None if its JSON can be read."""
    looks_like_html = answer.body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    if code == COOKIE_CODE or answer.status == 401 or (answer.status == 200 and looks_like_html):
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
    message = _plain_refusal(answer.status, concealed(code, cookie)[:40])
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
    message = Message("address_moved", host=concealed(host, cookie), status=answer.status)
    return SourceFailure("api", message, "api_moved")


def _plain_refusal(status: int, code: str) -> Message:
    if status in GONE:
        return Message("address_unknown", status=status)
    if status == 403:
        return Message("request_forbidden")
    if code:
        return Message("request_refused_with_code", status=status, upstream_code=code)
    return Message("request_refused", status=status)


def broken(why: Message) -> SourceFailure:
    """Give the failure for an unusable answer, with the reason."""
    return UnusableAnswer("api", Message("answer_broken", why=why), "api_moved")


def unknown_form(why: Message, payload: Mapping[str, object], cookie: str) -> SourceFailure:
    """Give the failure for an answer without the form that is known, with the reason and the keys that came."""
    # Concealed before they are cut: a part of a value would not be found.
    named = ", ".join(concealed(text(key), cookie)[:40] for key in islice(_keys(payload), 20))[:MAX_WORDS] or "-"
    return UnusableAnswer("api", Message("answer_of_unknown_form", why=why, keys=named), "api_moved")


def _keys(found: object, outer: str = "") -> Iterator[str]:
    """The keys of an answer, of its `data`, and of the first row there, which is an object or not."""
    if isinstance(found, list):
        found = found[0] if found else None
    if isinstance(found, dict):
        yield from (f"{outer}{key}" for key in found)
        if outer.count(".") < 2:
            yield from _keys(found.get("data"), f"{outer}data.")


def concealed(words: str, cookie: str) -> str:
    """Give the text on one line, its first 200 characters, all printable, with each value of the cookie as `…`."""
    parts = sorted(_values(cookie), key=len, reverse=True)
    # As far as a value can reach that begins in what is shown: the rest may be megabytes.
    most = MAX_WORDS + len(parts[0]) if parts else MAX_WORDS
    words = " ".join(words.replace(_HIDDEN, " ").split(maxsplit=most))[:most]
    for part in parts:
        # As long as the value, so that the cut does not move.
        words = re.sub(re.escape(part), lambda found: _HIDDEN * len(found[0]), words, flags=re.IGNORECASE)
    words = re.sub(f"{_HIDDEN}+", "…", words[:MAX_WORDS])
    # A terminal would obey some of the others, and halves of characters cannot be stored.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


def _values(cookie: str) -> set[str]:
    """The values of a cookie, and the parts of these, that are long enough to be secret."""
    values = [pair.partition("=")[2].strip() or pair for pair in cookie.split(";")]
    parts = (part for value in values for part in re.split(r"[|,=\s]+", f"{value}|{unquote(value)}"))
    return {part for part in parts if len(part) >= 6}
