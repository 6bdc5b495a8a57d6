"""Classifying answers of a proxy that are no page of rows (docs/sources/litellm.md#failures). Pure functions."""

import re
from collections.abc import Iterable, Mapping

from archive_site.lib.stored_message import Message
from collection.sources.litellm.traits import TRAITS
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import moved, not_the_service, plain_refusal, refused, without_right
from collection.sources.over_http.unusable import looks_like_html
from collection.sources.source import SourceFailure
from usage.incoming.values import text

ABSENT = {404, 405}
TOO_MANY_ROWS = 422
# With this header a log has left out older calls, and no count shows it.
TRUNCATED = "x-litellm-spend-logs-truncated"
# A proxy that has lost its database may answer as if the key were wrong.
_NO_DATABASE = re.compile(r"(?i)prisma|database|\bdb\b")


def refusal(answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str]) -> SourceFailure | None:
    """Give the failure that follows from status or form of the answer; None if its JSON can be read."""
    if TRUNCATED in answer.headers:
        return SourceFailure("api", Message("litellm_log_truncated"))
    words = _words(payload)
    if answer.status in (401, 403):
        if _NO_DATABASE.search(words):
            return SourceFailure("api", Message("source_without_database", service=TRAITS.name))
        return refused(TRAITS.name) if answer.status == 401 else without_right(TRAITS.name)
    if answer.status == 200 and not looks_like_html(answer.body):
        return None
    if 300 <= answer.status < 400:
        return moved(answer, TRAITS.name, secrets)
    if answer.status in (200, *ABSENT):
        return not_the_service(TRAITS.name)
    return plain_refusal(answer.status, concealed(words, secrets), TRAITS.name)


def _words(payload: Mapping[str, object] | None) -> str:
    """What an answer says of its failure."""
    error = payload.get("error") if payload else None
    found = error.get("message") if isinstance(error, dict) else payload.get("detail") if payload else None
    return text(found)
