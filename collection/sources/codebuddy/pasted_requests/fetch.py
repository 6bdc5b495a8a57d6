"""Calls of fetch, as browsers copy them. Only those for Node.js hold the cookie."""

import re
from collections.abc import Iterator
from typing import Any

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form, host_of, of_headers
from collection.sources.codebuddy.pasted_requests.json_text import member, text_in, value_at

_CALL = re.compile(r"(?:await\s+)?\bfetch\s*\(")
_BEGINS = re.compile(r"(?:(?:const|let|var)\s+\w+\s*=\s*)?(?:await\s+)?fetch\s*\(")


def _requests(text: str, _: str) -> Iterator[CopiedRequest]:
    position = 0
    while call := _CALL.search(text, position):
        url, position = value_at(text, call.end())
        options: Any = None
        if text.startswith(",", position):
            options, position = value_at(text, position + 1)
        headers = member(options, "headers")
        names = headers if isinstance(headers, dict) else ()
        yield of_headers(host_of(str(url)), [(name, text_in(headers, name)) for name in names])


FORM = Form(_BEGINS.match, _requests)
