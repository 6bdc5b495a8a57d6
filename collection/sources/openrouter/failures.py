"""Classifying answers of OpenRouter that are no data (docs/sources/openrouter.md#failures). Pure functions."""

from collections.abc import Iterable, Mapping

from archive_site.lib.stored_message import Message
from collection.sources.openrouter.traits import TRAITS
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import moved, not_the_service, plain_refusal, refused
from collection.sources.over_http.unusable import looks_like_html
from collection.sources.source import SourceFailure
from usage.incoming_values import text

PASSING = {429, 500, 502, 503, 504, 524, 529}
# It took too long to list the span, or the generation is not written yet.
TOO_SLOW, NOT_READY = 408, 404


def is_worth_another_try(answer: Answer) -> bool:
    """Whether the answer means overload, which passes."""
    return answer.status in PASSING


def refusal(answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str]) -> SourceFailure | None:
    """Give the failure that follows from an answer; None if it has data."""
    if answer.status == 401:
        return refused(TRAITS.name)
    if answer.status == 403:
        return SourceFailure("refused", Message("openrouter_management_key"), "refused")
    if 300 <= answer.status < 400:
        return moved(answer, TRAITS.name, secrets)
    if answer.status == 200 and not looks_like_html(answer.body) and payload is not None and "data" in payload:
        return None
    if answer.status in (200, 404, 405):
        return not_the_service(TRAITS.name)
    error = payload.get("error") if payload else None
    words = text(error.get("message")) if isinstance(error, dict) else ""
    return plain_refusal(answer.status, concealed(words, secrets), TRAITS.name)
