"""Cookies as a browser stores them: which of them it sends to the source."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, host_of


class StoredCookie(NamedTuple):
    """A cookie; without a domain it is one of the source."""

    domain: str
    is_for_subdomains: bool
    path: str
    name: str
    value: str


def requests_of(cookies: Iterable[StoredCookie], upstream: str) -> Iterator[CopiedRequest]:
    """One request to the source, and one to each other domain, with the cookies that go there."""
    host, url = host_of(upstream), urlsplit(upstream)
    by_host: dict[str, list[str]] = defaultdict(list)
    for cookie in cookies:
        domain = cookie.domain.lstrip(".").lower()
        pair = f"{cookie.name}={cookie.value}"
        if not _covers(cookie, domain, url.hostname or ""):
            # A domain is compared and shown like the host of a URL.
            by_host[host_of(f"https://{domain}")].append(pair)
        elif _is_within(url.path, cookie.path):
            by_host[host].append(pair)
    for name, pairs in by_host.items():
        yield CopiedRequest(name, "; ".join(pairs))


def _covers(cookie: StoredCookie, domain: str, host: str) -> bool:
    return domain in ("", host) or (cookie.is_for_subdomains and host.endswith(f".{domain}"))


def _is_within(path: str, folder: str) -> bool:
    return f"{path}/".startswith(folder.rstrip("/") + "/")
