"""A file cookies.txt in the format of Netscape (https://curl.se/docs/http-cookies.html)."""

import re
from collections.abc import Iterable, Iterator

from collection.sources.codebuddy.pasted_requests.cookie_jar import StoredCookie, requests_of
from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form

# Pasting may have turned its tabs into blanks.
_ROW = re.compile(
    r"(?:#HttpOnly_)?(?P<domain>[^\s#]+)\s+(?P<subdomains>TRUE|FALSE)\s+(?P<path>/\S*)\s+(?:TRUE|FALSE)\s+-?[0-9.]+\s+"
    r"(?P<name>\S+)(?:\s+(?P<value>.*))?",
    re.IGNORECASE,
)
_TITLE = re.compile(r"#[^\n]*\bHTTP Cookie File\b", re.IGNORECASE)


def _begins(text: str) -> object:
    return _TITLE.match(text) or _ROW.match(text)


def _requests(text: str, upstream: str) -> Iterable[CopiedRequest]:
    return requests_of(_cookies(text), upstream)


def _cookies(text: str) -> Iterator[StoredCookie]:
    for line in text.splitlines():
        if row := _ROW.match(line):
            is_for_subdomains = row["subdomains"].upper() == "TRUE"
            yield StoredCookie(row["domain"], is_for_subdomains, row["path"], row["name"], (row["value"] or "").strip())


FORM = Form(_begins, _requests)
