"""Warnings about a pasted cookie that the source will probably refuse (docs/api.md#pasted-cookies)."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest


def about(chosen: CopiedRequest, candidates: Iterable[CopiedRequest], host: str) -> Iterator[str]:
    """A sentence for each doubt about the chosen request; `candidates` could have been chosen as well."""
    if chosen.host and chosen.host != host:
        yield copied_elsewhere(chosen.host, host)
    if not sessions(chosen.cookie):
        yield gettext(
            "The cookie has no session=, without which CodeBuddy refuses it. Copy the whole cookie, or the request "
            "with “Copy as cURL”."
        )
    if len(set().union(*(sessions(request.cookie) for request in candidates))) > 1:
        yield gettext(
            "The pasted text has two different values of session=, perhaps of two accounts. Sign in to one account "
            "only, and copy the request again."
        )


def sessions(cookie: str) -> set[str]:
    """The different values of `session` in a cookie."""
    pairs = (part.partition("=") for part in cookie.split(";"))
    return {value.strip(' "') for name, _, value in pairs if name.strip() == "session"} - {""}


def copied_elsewhere(other: str, host: str) -> str:
    """The sentence about a request that was copied from another host than the source's."""
    return gettext(
        "The request was copied from %(other)s, but this instance collects from %(host)s, and a cookie of one host "
        "does not work at the other. Copy the request from %(host)s, or ask an administrator to set api_base to the "
        "host where you sign in."
    ) % {"host": host, "other": other}
