"""Classifying answers of OpenAI that are no data (docs/sources/openai-costs.md#failures). Pure functions."""

from collections.abc import Iterable, Mapping

from archive_site.lib.stored_message import Message
from collection.sources.openai_costs.traits import TRAITS
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import refusal_of_keyed
from collection.sources.source import SourceFailure


def refusal(answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str]) -> SourceFailure | None:
    """Give the failure that follows from an answer; None if its JSON can be read."""
    forbidden = Message("admin_key_needed", service=TRAITS.name)
    return refusal_of_keyed(answer, payload, TRAITS.name, secrets, forbidden=forbidden)
