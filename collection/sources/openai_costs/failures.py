"""Classifying answers of OpenAI that are no data (docs/sources/openai-costs.md#failures). Pure functions."""

from collections.abc import Mapping

from archive_site.lib.stored_message import Message
from collection.sources.openai_costs.traits import TRAITS
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import moved, not_the_service, plain_refusal, refused
from collection.sources.over_http.unusable import looks_like_html
from collection.sources.source import SourceFailure
from usage.incoming_values import text

PASSING = {429, 500, 502, 503, 504}


def is_worth_another_try(answer: Answer) -> bool:
    """Whether the answer means overload, which passes."""
    return answer.status in PASSING


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
    error = payload.get("error") if payload else None
    words = text(error.get("message")) if isinstance(error, dict) else ""
    return plain_refusal(answer.status, concealed(words, secrets), TRAITS.name)
