"""A request as a pasted text has it, and what each form of such a text declares.

The rules: docs/decisions/accounts.md#pasted-requests.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_URL = re.compile(
    r"\s*(?P<scheme>https?)://(?:[^/?#@\s]*@)?(?P<host>[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{0,5}))?"
    r"(?![^/?#\s])",
    re.IGNORECASE,
)
# Several values of Set-Cookie on one line; in a date no name follows the comma.
_SEVERAL = re.compile(r",[ \t]+(?=[^\s;,=]+=)")
_DELETES = re.compile(r"max-age\s*=\s*(?:0+|-[0-9]+)|expires\s*=.*\b(?:19[0-9]{2}|[0-9]{2}-70)\b.*", re.IGNORECASE)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class CopiedRequest:
    """The values of the Cookie and the User-Agent header, not checked; empty if the request has none.

    `host` is `<name>` or `<name>:<port>`, empty if unknown.
    """

    host: str
    cookie: str = field(repr=False)
    user_agent: str = field(default="", repr=False)


@dataclass(frozen=True)
class Form:
    """A form of copied requests: how its texts begin, and the requests in such a text.

    `requests` also gets the URL of the usage API, because a store of cookies has no request of its own. It raises
    ValueError with a message that follows "cookie".
    """

    begins: Callable[[str], object]
    requests: Callable[[str, str], Iterable[CopiedRequest]]


def of_headers(host: str, headers: Iterable[tuple[str, str]]) -> CopiedRequest:
    """The request with these headers, whose names may be of any case; without a cookie, the one with those they set."""
    cookies: list[str] = []
    set_cookies: list[str] = []
    agent = ""
    for name, value in headers:
        if name.lower() == "cookie":
            cookies.append(value.strip(" ;"))
        elif name.lower() == "set-cookie":
            set_cookies += _SEVERAL.split(value)
        elif name.lower() == "user-agent":
            agent = value.strip()
    return CopiedRequest(host, "; ".join(filter(None, cookies)) or _as_sent(set_cookies), agent)


def _as_sent(set_cookies: Iterable[str]) -> str:
    """What a browser sends after these values of Set-Cookie: of each name the last value, unless that is deleted."""
    values: dict[str, str] = {}
    for set_cookie in set_cookies:
        pair, *attributes = (part.strip() for part in set_cookie.split(";"))
        name, _, value = pair.partition("=")
        values[name] = "" if any(map(_DELETES.fullmatch, attributes)) else value
    return "; ".join(f"{name}={value}" for name, value in values.items() if name and value.strip('"'))


def host_of(url: str) -> str:
    """The host of an http or https URL in lower case, with its port unless that is the default one; else empty."""
    found = _URL.match(url)
    if not found:
        return ""
    host = found["host"].lower().rstrip(".")
    is_default = found["port"] in (None, "", _DEFAULT_PORTS[found["scheme"].lower()])
    return host if is_default else f"{host}:{found['port']}"
