"""Random requests over all routes, methods, parameters, admin filters, headers and body shapes."""

import json
import random
import re
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from tests.fuzz import values

METHODS = ("GET",) * 12 + ("POST",) * 6 + ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "get", "PROPFIND")
NAMES = (
    "from", "to", "model", "client", "purpose", "no_model", "no_client", "no_purpose", "q", "page", "size", "order",
    "compare", "n", "limit", "dim",
    "action", "actor", "status", "trigger", "username", "password", "password2", "old", "new", "new2", "display_name",
    "email", "note", "name", "cookie", "user_agent", "timeout", "page_size", "schedule_times", "api_path", "language",
    "theme", "role", "is_admin", "next", "captcha", "max_prompt", "days", "keep", "include_instance", "lang", "period",
    "Refresh", "o", "p", "all", "e", "_facets", "_popup", "_to_field", "id", "columns", "sums",
    "free", "with_prompt", "credits_above", "tokens_above", "hour", "query",
)  # fmt: skip
CONTENT_TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                 "text/plain", "multipart/form-data", "application/json; charset=utf-16", "x" * 300, "")  # fmt: skip
ODD_HEADERS = ("If-None-Match", "If-Modified-Since", "Range", "X-Forwarded-For", "X_Forwarded_For", "X_Forwarded_Proto",
               "X-Forwarded-Proto", "X-Forwarded-Host", "Accept", "Accept-Language", "Accept-Encoding", "Referer",
               "Origin",
               "User-Agent", "X-Requested-With", "X-CSRF-Token", "Authorization", "X-HTTP-Method-Override")  # fmt: skip
# A parameter of a route: `<str:name>`, or a group of a regular expression.
_PARAMETER = re.compile(r"<[^>]+>|\(\?P<\w+>.*\)")
_GUESSED = 45
# The admin site has most of the routes, and answers them to administrators only.
_ADMIN_SHARE = 0.25


@dataclass
class Request:
    """What is sent, as bytes where a client of good manners would not send it."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def line(self) -> str:
        return f"{self.method} {self.path[:300]} {self.headers} {(self.body or b'')[:200]!r}"


class Shapes:
    """Makes requests from the routes and the admin site's columns of an instance."""

    def __init__(self, routes: list[str], columns: dict[str, list[str]], seed: int) -> None:
        self.dice = random.Random(seed)
        self.routes = [[route for route in routes if route.startswith("admin/") is admin] for admin in (False, True)]
        self.columns = columns

    def request(self, token: str) -> Request:
        """A random request; `token` is the CSRF token that most of the writes send."""
        route = self.dice.choice(self.routes[self.dice.random() < _ADMIN_SHARE])
        path = "/" + quote(self._path(route), safe="/:@!$&'()*+,;=~-._%", errors="surrogatepass")
        method = self.dice.choice(METHODS)
        query = self._query(route)
        headers = self._headers(token, writes=method not in ("GET", "HEAD"))
        body = self._body(headers) if method not in ("GET", "HEAD") or self.dice.random() < 0.02 else None
        return Request(method, f"{path}?{query}" if query else path, headers, body)

    def _path(self, route: str) -> str:
        def filled(match: re.Match[str]) -> str:
            # Ids of others, and of what is not there.
            return str(self.dice.randrange(_GUESSED)) if self.dice.random() < 0.5 else values.value(self.dice)

        path = _PARAMETER.sub(filled, route)
        return path if self.dice.random() < 0.97 else path + values.value(self.dice)

    def _query(self, route: str) -> str:
        columns = next((names for start, names in self.columns.items() if route.startswith(start)), [])
        pairs = []
        for _ in range(self.dice.choice((0, 0, 1, 1, 2, 3, 5))):
            admin = columns and self.dice.random() < 0.8
            name = self.dice.choice(columns) + self.dice.choice(values.LOOKUPS) if admin else self.dice.choice(NAMES)
            pairs.append((name, values.value(self.dice)))
        if self.dice.random() < 0.002:
            pairs *= 1200
        return urlencode(pairs, errors="surrogatepass")

    def _headers(self, token: str, *, writes: bool) -> dict[str, str]:
        headers = {"X-CSRF-Token": token} if writes and self.dice.random() < 0.9 else {}
        for _ in range(self.dice.choice((0, 0, 0, 1, 2))):
            text = values.value(self.dice).encode("utf-8", "replace").decode("latin-1")
            headers[self.dice.choice(ODD_HEADERS)] = re.sub(r"[\r\n\x00]", "", text)[:2000]
        return headers

    def _body(self, headers: dict[str, str]) -> bytes:
        kind = self.dice.random()
        fields = {self.dice.choice(NAMES): values.field(self.dice) for _ in range(self.dice.choice((0, 1, 2, 4, 12)))}
        if kind < 0.65:
            headers["Content-Type"] = "application/json"
            return json.dumps(fields).encode()
        headers["Content-Type"] = self.dice.choice(CONTENT_TYPES)
        if kind < 0.85:
            return urlencode({name: str(value) for name, value in fields.items()}, errors="surrogatepass").encode()
        if kind < 0.9:
            return self._multipart(fields)
        if kind < 0.905:
            return b"[" * 100_000
        if kind < 0.91:
            return b"x" * 1_100_000
        return self.dice.randbytes(self.dice.choice((1, 40, 4000)))

    def _multipart(self, fields: dict[str, object]) -> bytes:
        parts = [
            f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        return ("".join(parts) * self.dice.choice((1, 1, 60)) + "--x--\r\n").encode("utf-8", "replace")
