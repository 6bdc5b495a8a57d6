"""Classifying answers of OpenRouter that are no data (docs/sources/openrouter.md#failures). Pure functions."""

from collections.abc import Iterable, Mapping

from archive_site.lib.stored_message import Message
from collection.sources.openrouter.traits import TRAITS
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import not_the_service, refusal_of_keyed
from collection.sources.source import SourceFailure

# It took too long to list the span, or the generation is not written yet.
TOO_SLOW, NOT_READY = 408, 404
_of_keyed = refusal_of_keyed(TRAITS.name, forbidden=Message("openrouter_management_key"))


def refusal(answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str]) -> SourceFailure | None:
    """Give the failure that follows from an answer; None if it has data."""
    found = _of_keyed(answer, payload, secrets)
    if found is None and "data" not in (payload or {}):
        return not_the_service(TRAITS.name)
    return found
