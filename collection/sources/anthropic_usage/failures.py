"""Classifying answers of Anthropic that are no data (docs/sources/anthropic-usage.md#failures). Pure functions."""

from collections.abc import Mapping

from archive_site.lib.stored_message import Message
from collection.sources.anthropic_usage.traits import TRAITS
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import moved, not_the_service, plain_refusal, refused
from collection.sources.over_http.unusable import looks_like_html
from collection.sources.source import SourceFailure
from usage.incoming_values import text

# The newer routes are not there: on servers that do not have them yet, or not for this organisation.
ABSENT = 404
PASSING = {429, 500, 502, 503, 504, 529}


def is_worth_another_try(answer: Answer) -> bool:
    """Whether the answer means overload, which passes."""
    return answer.status in PASSING


def needs_older_routes(answer: Answer, payload: Mapping[str, object] | None) -> bool:
    """Whether the newer routes are not there, which a server may also say of the header that asks for them."""
    return answer.status == ABSENT or (answer.status == 400 and "beta" in _words(payload).lower())


def refusal(answer: Answer, payload: Mapping[str, object] | None, secrets: tuple[str, ...]) -> SourceFailure | None:
    """Give the failure that follows from an answer; None if its JSON can be read."""
    if answer.status == 401:
        return refused(TRAITS.name)
    if answer.status == 403:
        return SourceFailure("refused", Message("admin_key_needed", service=TRAITS.name), "refused")
    if 300 <= answer.status < 400:
        return moved(answer, TRAITS.name, secrets)
    if answer.status == 200 and not looks_like_html(answer.body):
        return None
    if answer.status in (200, 404, 405):
        return not_the_service(TRAITS.name)
    return plain_refusal(answer.status, concealed(_words(payload), secrets), TRAITS.name)


def _words(payload: Mapping[str, object] | None) -> str:
    """What an answer says of its failure."""
    error = payload.get("error") if payload else None
    return text(error.get("message")) if isinstance(error, dict) else ""
