"""What an answer of the upstream means when it is no page of rows. Pure functions, no network."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

MAX_WORDS = 200

PASSING = {429, 500, 502, 503, 504}
GOOD_CODES = {"0", "200"}
COOKIE_CODE, USER_AGENT_CODE, PARAMETERS_CODE = "12153", "10085", "10001"
GONE = {404, 405, 410}
LOGIN_NAMES = {"login", "signin", "sign-in", "logon", "sso", "passport"}

TOO_LARGE = re.compile(rb"(?i)(cookie|header)[^<]*too large")

PASTE_AGAIN = (
    "sign in to the service in your browser and paste the cookie again, "
    "together with that browser's user agent and from the host that api_base names"
)

# What lies behind an outcome. A plain 401 is `refused`: it does not say whether the cookie is too old or of elsewhere.
Cause = Literal["refused", "expired", "user_agent_refused", "cookie_too_large", "api_moved", "network", "api"]


class UpstreamFailure(Exception):
    """The upstream gave no usable answer. `message` is one sentence for the account's owner and holds no secret."""

    def __init__(self, outcome: Literal["cookie_expired", "api"], message: str, cause: Cause = "api") -> None:
        super().__init__(outcome, message)
        self.outcome = outcome
        self.message = message
        self.cause = cause

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; `body` is decompressed, and empty where it was `over_cap`."""

    status: int
    location: str
    retry_after: str
    body: bytes | bytearray = field(repr=False)
    over_cap: bool = False


def is_past_the_end(answer: Answer, number: int) -> bool:
    """Tell whether the answer to page `number` only means that the pages are over."""
    return answer.status == 400 and number > 1 and code_of(payload_of(answer.body)) == PARAMETERS_CODE


def is_worth_another_try(answer: Answer) -> bool:
    """Tell whether the answer means overload, which passes, and not a refusal under such a status."""
    return answer.status in PASSING and code_of(payload_of(answer.body)) not in (COOKIE_CODE, USER_AGENT_CODE)


def refusal(answer: Answer, code: str, cookie: str) -> UpstreamFailure | None:
    """Name the failure that status, code or form of the answer tell, None where its JSON is to be read."""
    looks_like_html = answer.body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    if code == COOKIE_CODE or answer.status == 401 or (answer.status == 200 and looks_like_html):
        is_told = code == COOKIE_CODE or answer.status != 401
        message = f"The upstream did not accept the cookie; {PASTE_AGAIN}."
        return UpstreamFailure("cookie_expired", message, "expired" if is_told else "refused")
    if code == USER_AGENT_CODE:
        return _user_agent_refused()
    if answer.status == 200:
        return None
    if 300 <= answer.status < 400:
        return _redirected(answer, cookie)
    if answer.status == 431 or (answer.status == 400 and TOO_LARGE.search(answer.body)):
        return _cookie_too_large()
    message = concealed(_plain_refusal(answer.status, code), cookie)
    return UpstreamFailure("api", message, "api_moved" if answer.status in GONE else "api")


def _user_agent_refused() -> UpstreamFailure:
    return UpstreamFailure(
        "api",
        "The upstream refused the user agent, not the cookie; "
        "user_agent must be exactly that of the browser which signed in (code 10085).",
        "user_agent_refused",
    )


def _cookie_too_large() -> UpstreamFailure:
    return UpstreamFailure(
        "api",
        "The cookie is too large for the upstream, which takes about 8 KB: paste it with the cookies session and "
        "session_2 and leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt).",
        "cookie_too_large",
    )


def _redirected(answer: Answer, cookie: str) -> UpstreamFailure:
    try:
        target = urlsplit(answer.location)
        host = target.hostname or "itself"
    except ValueError:
        return broken(f"HTTP {answer.status} leads to no readable address")
    names = {segment.partition(".")[0] for segment in target.path.lower().split("/")} | {host.partition(".")[0]}
    if "/auth/realms/" in target.path or names & LOGIN_NAMES:
        return UpstreamFailure("cookie_expired", f"The upstream asks for a new sign-in: {PASTE_AGAIN}.", "expired")
    leads = f"leads to {concealed(host, cookie)}" if answer.location else "leads nowhere"
    where = f"The upstream's answer {leads} (HTTP {answer.status}): check api_base and api_path."
    return UpstreamFailure("api", where, "api_moved")


def _plain_refusal(status: int, code: str) -> str:
    if status in GONE:
        return f"The upstream knows no such address (HTTP {status}): check api_path and the host in api_base."
    if status == 400 and code == PARAMETERS_CODE:
        return "The upstream calls the parameters of the request invalid (code 10001)."
    if status == 403:
        return (
            "The upstream forbids the request (HTTP 403): check user_agent, and that this machine is not blocked there."
        )
    return f"The upstream refused the request (HTTP {status}{f', code {code[:40]}' if code else ''})."


def broken(why: str) -> UpstreamFailure:
    """Name the failure of an answer that is no answer, and why."""
    return UpstreamFailure("api", f"The upstream's answer is broken: {why}.", "api_moved")


def concealed(text: str, cookie: str) -> str:
    """Give text on one line, at most 200 characters, without any value of the cookie."""
    for pair in cookie.split(";"):
        value = pair.partition("=")[2] or pair
        for part in re.split(r"[|,=\s]+", f"{value.strip()}|{unquote(value)}"):
            if len(part) >= 6:
                text = re.sub(re.escape(part), "…", text, flags=re.IGNORECASE)
    return " ".join(text.split())[:MAX_WORDS]


def payload_of(body: bytes | bytearray) -> dict[str, object] | None:
    """Read a JSON object; its numbers stay text, so that no size of number can break a page."""
    try:
        found = json.loads(
            body.decode("utf-8-sig", "replace"), strict=False, parse_float=str, parse_int=str, parse_constant=str
        )
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def code_of(payload: Mapping[str, object] | None) -> str:
    """Give the code of an answer as text, empty where it has none."""
    code = payload.get("code") if payload else None
    return code.strip() if isinstance(code, str) else ""
