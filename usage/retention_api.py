"""The JSON views of how long an account keeps calls and prompts (docs/api.md#retention)."""

from collections.abc import Mapping
from typing import Annotated

from django.utils.translation import gettext
from msgspec import Meta

from accounts.actor import actor_of
from accounts.api_types import PASSWORD_ALWAYS
from accounts.signin.reauthentication import password_always_required
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Count, Day, Done, Given, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import CHOICES, described
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.parameter_parsing import as_text, whole_number
from archive_site.lib.stored_message import Message, Value
from archive_site.lib.waiting_tasks import queue_once
from audit import log
from usage.retention import choices
from usage.retention.choices import Choice
from usage.tasks import ERASE

_HEADING = "Retention"
_DAYS = Annotated[int, Meta(ge=1, le=choices.MOST_DAYS)] | None
_PromptsDays = Annotated[_DAYS, about("days before today whose prompts are kept; null for all")]
_CallsDays = Annotated[_DAYS, about("days before today whose calls are kept; null for all")]
_BAD_DAYS = {"400 bad_request": "A number of days is missing, or neither null nor from 1 to 36,500."}


class ChosenRetention(Answer, frozen=True):
    prompts_days: _PromptsDays
    calls_days: _CallsDays
    prompts_from: Annotated[Day | None, about("prompts of days before it were erased; null where none were")]
    calls_from: Annotated[Day | None, about("calls of days before it were erased; null where none were")]


class Kept(Given, frozen=True):
    prompts_days: _PromptsDays
    calls_days: _CallsDays


class WouldBeErased(Answer, frozen=True):
    prompts: Annotated[Count, about("prompts that would be erased, with their calls or without")]
    calls: Annotated[Count, about("calls that would be erased")]
    first_kept_day: Annotated[Day | None, about("the first day whose calls stay; null where all stay")]


@described(CHOICES, _HEADING, "For how long calls and prompts are kept")
def chosen(request: AccountRequest) -> ChosenRetention:
    choice, known = choices.of_account(request.user.pk), choices.horizon_of_account(request.user.pk)
    return ChosenRetention(choice.prompts_days, choice.calls_days, known.prompts_from or None, known.calls_from or None)


@described(
    CHOICES,
    _HEADING,
    "Choose for how long calls and prompts are kept",
    body=Kept,
    errors={**_BAD_DAYS, **PASSWORD_ALWAYS},
)
@password_always_required
def choose(request: AccountRequest) -> Done:
    choice = _choice_in(body_of(request))
    choices.choose(request.user.pk, choice)
    actor = actor_of(request)
    detail = Message("retention_chosen", prompts=_words(choice.prompts_days), calls=_words(choice.calls_days))
    log.record("retention", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    queue_once(ERASE)
    if choice == Choice():
        return Done(True, gettext("Saved. All calls and prompts are kept from now on."))
    return Done(True, gettext("Saved. What is older is being erased; its sums stay."))


@described(
    CHOICES,
    _HEADING,
    "What such a choice would erase now",
    about="Nothing is stored, and nothing is erased.",
    body=Kept,
    errors=_BAD_DAYS,
)
def preview(request: AccountRequest) -> WouldBeErased:
    found = choices.preview(request.user.pk, _choice_in(body_of(request)))
    first = found.first_kept_day
    return WouldBeErased(found.prompts, found.calls, first.isoformat() if first else None)


def _choice_in(body: Mapping[str, object]) -> Choice:
    """Raises ApiError 400 `bad_request`."""
    return Choice(_days_in(body, "prompts_days"), _days_in(body, "calls_days"))


def _days_in(body: Mapping[str, object], name: str) -> int | None:
    if name not in body:
        # What cannot be read counts as an empty body, and must not mean: keep all.
        raise ApiError(400, "bad_request", gettext("'%(name)s' is missing; null keeps all.") % {"name": name})
    given = body[name]
    days = None if given is None else whole_number(as_text(given))
    if days is not None and not 1 <= days <= choices.MOST_DAYS:
        words = gettext("'%(name)s' must be null or a whole number of days from 1 to %(most)s.")
        raise ApiError(400, "bad_request", words % {"name": name, "most": f"{choices.MOST_DAYS:,}"})
    return days


def _words(days: int | None) -> Value:
    return Message("retention_for_ever") if days is None else Message("retention_days", count=days)
