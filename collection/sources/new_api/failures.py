"""Classifying answers of a gateway that are no rows (docs/sources/new-api.md#failures). Pure functions."""

import re
from collections.abc import Iterable, Mapping

from archive_site.lib.stored_message import Message
from collection.sources.new_api.traits import TRAITS
from collection.sources.over_http.concealment import concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import moved, not_the_service, plain_refusal, refused, without_right
from collection.sources.over_http.unusable import looks_like_html
from collection.sources.source import SourceFailure, UnusableAnswer
from usage.incoming.values import text

ABSENT = {404, 405}
# Older generations refuse a credential with 200 and a sentence, often in Chinese.
_OF_CREDENTIAL = re.compile(r"(?i)token|令牌|未登录|无权|权限|封禁|banned|unauthori[sz]ed|not logged in|new-api-user")


def is_worth_another_try(answer: Answer) -> bool:
    """Whether the answer means overload, which passes; newer generations name a broken credential with 500."""
    return answer.is_passing and b"AUTH_" not in answer.body


def refusal(answer: Answer, payload: Mapping[str, object] | None, secrets: Iterable[str]) -> SourceFailure | None:
    """Give the failure that follows from an answer; None if it has data."""
    code, words = text(payload.get("code") if payload else None), text(payload.get("message") if payload else None)
    if answer.status == 401 or (code.startswith("AUTH_") and code != "AUTH_INTERNAL_ERROR"):
        return refused(TRAITS.name)
    if answer.status == 403:
        return without_right(TRAITS.name)
    if 300 <= answer.status < 400:
        return moved(answer, TRAITS.name, secrets)
    if answer.status in ABSENT or (answer.status == 200 and (looks_like_html(answer.body) or payload is None)):
        return not_the_service(TRAITS.name)
    if answer.status != 200:
        return plain_refusal(answer.status, concealed(words, secrets), TRAITS.name)
    if payload is None or payload.get("success") is True:
        return None
    if "success" not in payload:
        return not_the_service(TRAITS.name)
    if _OF_CREDENTIAL.search(words):
        return refused(TRAITS.name)
    shown = concealed(words, secrets) or "-"
    return UnusableAnswer("api", Message("source_refused", service=TRAITS.name, status=200, answer=shown))
