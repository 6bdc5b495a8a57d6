"""Copied as PowerShell: Invoke-WebRequest with a session whose cookies are added one by one, or with headers."""

import re
from collections.abc import Iterator

from accounts.pasted_requests.copied_request import CopiedRequest, Form, host_of, of_headers

# Also behind a prompt, or with the name of what it gives.
_BEGINS = re.compile(
    r"(?:PS [^>\n]*>\s*)?(?:\$[\w.]+\s*(?:=\s*|\(+))?(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm|New-Object)\s",
    re.IGNORECASE,
)
_TEXT = r"""("(?:[^"`]|`.)*"|'[^']*(?:''[^']*)*')"""
_PART = re.compile(
    rf"""(?P<session>WebRequestSession\b)
      | (?P<call>Invoke-(?:WebRequest|RestMethod)\b|(?:\A|(?<=[\s>;]))(?:iwr|irm)(?=\s))
      | System\.Net\.Cookie\(\s*{_TEXT}\s*,\s*{_TEXT}
      | \.UserAgent\s*=\s*{_TEXT}
      | ["'](?P<name>cookie|user-agent)["']\s*[=,]\s*{_TEXT}
      | (?P<url>https?://[^\s"'`]+)
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\$\(\[char\]([0-9]{1,5})\)|`(.)", re.DOTALL)


def _requests(text: str, _: str) -> Iterator[CopiedRequest]:
    host, headers, is_called = "", list[tuple[str, str]](), False
    for part in _PART.finditer(text):
        if part["session"] or part["call"]:
            if is_called:
                yield of_headers(host, headers)
                host, headers = "", []
            is_called = bool(part["call"])
        elif part["url"]:
            # Later ones are of other headers or of the body.
            host = host or (host_of(part["url"]) if is_called else "")
        else:
            headers.append(_header(part))
    yield of_headers(host, headers)


def _header(part: re.Match[str]) -> tuple[str, str]:
    cookie_name, cookie_value, agent, value = (_plain(text) for text in part.group(3, 4, 5, 7))
    if cookie_name:
        return "cookie", f"{cookie_name}={cookie_value}"
    return ("user-agent", agent) if part[5] else (part["name"], value)


def _plain(text: str | None) -> str:
    if not text:
        return ""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return _ESCAPE.sub(lambda found: chr(int(found[1])) if found[1] else found[2], text[1:-1])


FORM = Form(_BEGINS.match, _requests)
