"""A HAR archive: every request of a page, as JSON (http://www.softwareishard.com/blog/har-12-spec/)."""

import re
from collections.abc import Iterator

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form, host_of, of_headers
from collection.sources.codebuddy.pasted_requests.json_text import elements, member, named_values, text_in, value_at

_BEGINS = re.compile(r'\{(?=[^{]{0,400}"log"\s*:\s*\{)')


def _requests(text: str, _: str) -> Iterator[CopiedRequest]:
    archive, _end = value_at(text)
    for entry in elements(member(archive, "log", "entries")):
        request = member(entry, "request")
        headers = list(named_values(member(request, "headers")))
        if not any(name.lower() == "cookie" for name, _ in headers):
            headers += [("cookie", f"{name}={value}") for name, value in named_values(member(request, "cookies"))]
        yield of_headers(host_of(text_in(request, "url")), headers)


FORM = Form(_BEGINS.match, _requests)
