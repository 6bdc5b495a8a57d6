"""The JSON of cookie extensions (Cookie-Editor, EditThisCookie): a list, or an object that has it as `cookies`."""

import re
from collections.abc import Iterable, Iterator

from collection.sources.codebuddy.pasted_requests.cookie_jar import StoredCookie, requests_of
from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form
from collection.sources.codebuddy.pasted_requests.json_text import elements, member, text_in, value_at, value_in

_BEGINS = re.compile(r'\[\s*[{\]]|\{\s*"')


def _requests(text: str, upstream: str) -> Iterable[CopiedRequest]:
    return requests_of(_cookies(text), upstream)


def _cookies(text: str) -> Iterator[StoredCookie]:
    value, _ = value_at(text)
    for cookie in elements(member(value, "cookies") or value):
        domain, name = text_in(cookie, "domain"), text_in(cookie, "name")
        is_for_subdomains = domain.startswith(".") or member(cookie, "hostOnly") is False
        if name:
            yield StoredCookie(domain, is_for_subdomains, text_in(cookie, "path"), name, value_in(cookie))


FORM = Form(_BEGINS.match, _requests)
