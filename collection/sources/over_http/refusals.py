"""The failures that services of several kinds share (docs/sources.md#the-interface). Pure functions."""

from collections.abc import Iterable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

from archive_site.lib.stored_message import Message
from collection.sources.over_http.answer_json import payload_of
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.unusable import broken, looks_like_html
from collection.sources.source import SourceFailure, UnusableAnswer
from usage.incoming.values import text


class Refusal(Protocol):
    """What a kind makes of an answer: the failure that follows from it; None if its JSON can be read."""

    def __call__(
        self, answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str], /
    ) -> SourceFailure | None: ...


def usable_payload(answer: Answer, refusal: Refusal, secrets: Iterable[str]) -> dict[str, object]:
    """The JSON object of an answer, whose numbers are texts. Raises the failure that its kind makes of it, and
    UnusableAnswer where it is no object, or too large."""
    if answer.over_cap:
        raise broken(Message("row_too_large"))
    payload = payload_of(answer.body)
    failure = refusal(answer, payload, secrets)
    if failure or payload is None:
        raise failure or broken(Message("answer_not_object"))
    return payload


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


def refusal_of_keyed(service: str, *, forbidden: Message) -> Refusal:
    """What a service that says under `error` what is wrong makes of an answer. `forbidden` says which key it asks for
    with 403."""

    def refusal(
        answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str], /
    ) -> SourceFailure | None:
        if answer.status == 401:
            return refused(service)
        if answer.status == 403:
            return SourceFailure("refused", forbidden, "refused")
        if 300 <= answer.status < 400:
            return moved(answer, service, secrets)
        if answer.status == 200 and not looks_like_html(answer.body):
            return None
        if answer.status in (200, 404, 405):
            return not_the_service(service)
        return plain_refusal(answer.status, concealed(words_of_error(payload), secrets), service)

    return refusal


def words_of_error(payload: Mapping[str, object] | None) -> str:
    """What an answer says of its failure under `error`."""
    error = payload.get("error") if payload else None
    return text(error.get("message")) if isinstance(error, dict) else ""
