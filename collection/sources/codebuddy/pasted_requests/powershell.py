"""Copied as PowerShell: Invoke-WebRequest with a session whose cookies are added one by one, or with headers.

A cookie is made with name and value at once, or has them assigned.
"""

import re
from collections.abc import Iterator

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form, host_of, of_headers

_PROMPT = re.compile(r"^PS[ ][^>\n]*>\s*", re.MULTILINE)
# Also with the name of what it gives.
_BEGINS = re.compile(
    rf"""(?:{_PROMPT.pattern})?
      (?:\$[\w.]+\s*=\s*@\{{ | \$\w+\.(?:Name|Value|Domain|Path)\s*=\s*["'] | \$\w+\s*=\s*\[[\w.]+\](?:::new\(|@\{{)
        | (?:\$[\w.]+\s*(?:=\s*|\(+))?(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm|New-Object)\s
      )""",
    re.IGNORECASE | re.VERBOSE,
)


def _text(group: str) -> str:
    return rf"""(?P<{group}>"(?:[^"`]|`.)*"|'[^']*(?:''[^']*)*')"""


# The last two pass what is in texts, such as a body, and what is escaped outside.
_PART = re.compile(
    rf"""(?P<session>WebRequestSession\b)
      | (?P<call>Invoke-(?:WebRequest|RestMethod)\b|(?:\A|(?<=[\s>;]))(?:iwr|irm)(?=\s))
      | System\.Net\.Cookie\]?(?:::new)?\s*(?:-ArgumentList\s*)?(?:\(\s*)?
        {_text("cookie_name")}\s*,\s*{_text("cookie_value")}
      | System\.Net\.Cookie\]?\s*(?:-Property\s*)?@\{{(?P<table>(?:[^{{}}"']|"(?:[^"`]|`.)*"|'[^']*')*+)\}}
      | \$(?P<variable>\w+)\.(?P<property>Name|Value)\s*=\s*{_text("assigned")}
      | (?:\.UserAgent\s*=|-UserAgent[\s:])\s*{_text("agent")}
      | (?:(?P<quote>["'])|(?<=[\s{{;]))(?P<name>cookie|user-agent)(?(quote)(?P=quote)\s*[=,]|\s*=)\s*{_text("value")}
      | (?P<url>https?://[^\s"'`]+)
      | {_text("other")}
      | `.
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_PROPERTY = re.compile(rf"(?P<property>\b(?:Name|Value))\s*=\s*{_text('assigned')}", re.IGNORECASE | re.DOTALL)
_ESCAPE = re.compile(r"\$\(\[char\]([0-9]{1,5})\)|`(.)", re.DOTALL)


def _requests(text: str, _: str) -> Iterator[CopiedRequest]:
    host, headers, is_called = "", list[tuple[str, str]](), False
    cookies: dict[str, dict[str, str]] = {}
    for part in _PART.finditer(_PROMPT.sub("", text)):
        if part["session"] or part["call"]:
            if is_called:
                yield of_headers(host, headers)
                host, headers = "", []
            is_called = bool(part["call"])
        elif part["variable"]:
            headers += _assigned(cookies.setdefault(part["variable"].lower(), {}), part)
        elif header := _header(part):
            headers.append(header)
        elif is_called:
            # Later ones are of other headers.
            host = host or host_of(part["url"] or _plain(part["other"]))
    yield of_headers(host, headers)


def _header(part: re.Match[str]) -> tuple[str, str] | None:
    if part["cookie_name"]:
        return "cookie", f"{_plain(part['cookie_name'])}={_plain(part['cookie_value'])}"
    if part["table"]:
        cookie: dict[str, str] = {}
        return next((found for line in _PROPERTY.finditer(part["table"]) for found in _assigned(cookie, line)), None)
    if part["agent"]:
        return "user-agent", _plain(part["agent"])
    return (part["name"], _plain(part["value"])) if part["name"] else None


def _assigned(cookie: dict[str, str], part: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Set a property of a cookie; gives its header once it has name and value, and lets it begin anew."""
    cookie[part["property"].lower()] = _plain(part["assigned"])
    if len(cookie) == len(("name", "value")):
        yield "cookie", f"{cookie['name']}={cookie['value']}"
        cookie.clear()


def _plain(text: str | None) -> str:
    if not text:
        return ""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return _ESCAPE.sub(lambda found: chr(int(found[1])) if found[1] else found[2], text[1:-1])


FORM = Form(_BEGINS.match, _requests)
