"""The failures that services of several kinds share (docs/sources.md#the-interface). Pure functions."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from archive_site.lib.stored_message import Message
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.source import SourceFailure, UnusableAnswer


def moved(answer: Answer, service: str, secrets: Iterable[str]) -> SourceFailure:
    """The failure for an answer that leads elsewhere; a key is never sent there."""
    try:
        host = urlsplit(answer.location).hostname or "-"
    except ValueError:
        host = "-"
    message = Message("source_moved", service=service, host=concealed(host, secrets), status=answer.status)
    return SourceFailure("api", message, "api_moved")


def not_the_service(service: str) -> SourceFailure:
    """The failure for an answer of something else at the address."""
    return SourceFailure("api", Message("not_the_service", service=service), "api_moved")


def refused(service: str) -> SourceFailure:
    """The failure for a credential that is not accepted."""
    return SourceFailure("refused", Message("credential_refused", service=service), "refused")


def without_right(service: str) -> SourceFailure:
    """The failure for a credential that may not read the calls."""
    return SourceFailure("refused", Message("credential_without_right", service=service), "refused")


def plain_refusal(status: int, words: str, service: str) -> SourceFailure:
    """The failure for any other refusal, with its own words, from which secrets were taken."""
    if 400 <= status < 500:
        return UnusableAnswer("api", Message("source_refused", service=service, status=status, answer=words or "-"))
    return SourceFailure("api", Message("source_refused", service=service, status=status, answer=words or "-"))
