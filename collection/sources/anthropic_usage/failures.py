"""Classifying answers of Anthropic that are no data (docs/sources/anthropic-usage.md#failures). Pure functions."""

from collections.abc import Mapping

from archive_site.lib.stored_message import Message
from collection.sources.anthropic_usage.traits import TRAITS
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import refusal_of_keyed, words_of_error

# The newer routes are not there: on servers that do not have them yet, or not for this organisation.
ABSENT = 404
refusal = refusal_of_keyed(TRAITS.name, forbidden=Message("admin_key_needed", service=TRAITS.name))


def needs_older_routes(answer: Answer, payload: Mapping[str, object] | None) -> bool:
    """Whether the newer routes are not there, which a server may also say of the header that asks for them."""
    return answer.status == ABSENT or (answer.status == 400 and "beta" in words_of_error(payload).lower())
