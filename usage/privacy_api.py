"""The JSON views of what an account keeps of prompts (docs/api.md#privacy)."""

from typing import Annotated

from django.utils.translation import gettext
from msgspec import Meta

from accounts.actor import actor_of
from accounts.api_types import PASSWORD_ALWAYS
from accounts.signin.reauthentication import password_always_required
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Count, Done, Given, Timestamp, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import CHOICES, described
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.parameter_parsing import as_text, whole_number
from archive_site.lib.http.schemas import one_of
from archive_site.lib.stored_message import Message
from archive_site.lib.waiting_tasks import queue_once
from audit import log
from usage.models import Privacy
from usage.prompt_privacy import policy as privacy
from usage.tasks import CONVERT_PROMPTS

_HEADING = "Privacy"
_MODE = Annotated[str, one_of(privacy.MODES, "how much of a prompt is kept")]
_LENGTH = Annotated[int, Meta(ge=1, le=privacy.LONGEST), about("characters that `beginning` keeps")]


class Applied(Answer, frozen=True):
    asked_at: Timestamp
    applied_at: Annotated[Timestamp | None, about("null until all is done")]
    done: Annotated[Count, about("records that were looked at")]
    total: Annotated[Count, about("records when it was asked for")]


class ChosenPrivacy(Answer, frozen=True):
    mode: _MODE
    length: _LENGTH
    applied: Annotated[Applied | None, about("to what is stored; null where nobody has asked for it since the choice")]


class Choice(Given, frozen=True):
    mode: _MODE
    length: _LENGTH = privacy.USUAL_LENGTH


@described(CHOICES, _HEADING, "How much of prompts the account keeps")
def chosen(request: AccountRequest) -> ChosenPrivacy:
    row = Privacy.objects.filter(user_id=request.user.pk).first() or Privacy(user_id=request.user.pk)
    applied = None
    if row.asked_at:
        asked_at, applied_at = clock.local_text(row.asked_at), clock.local_text(row.applied_at)
        applied = Applied(asked_at, applied_at, min(row.done, row.total), row.total)
    return ChosenPrivacy(row.mode, row.length, applied)


@described(
    CHOICES,
    _HEADING,
    "Choose how much of prompts is kept from now on",
    body=Choice,
    errors={"400 bad_request": "The mode or the length is not accepted.", **PASSWORD_ALWAYS},
)
@password_always_required
def choose(request: AccountRequest) -> Done:
    body = body_of(request)
    mode = next((one for one in privacy.MODES if one == body.get("mode")), None)
    length = whole_number(as_text(body.get("length", privacy.USUAL_LENGTH)))
    if mode is None or not 1 <= length <= privacy.LONGEST:
        words = gettext("Choose one of %(modes)s, and a length of 1 to %(most)s.")
        raise ApiError(400, "bad_request", words % {"modes": ", ".join(privacy.MODES), "most": privacy.LONGEST})
    if privacy.choose(request.user.pk, mode, length):
        queue_once(CONVERT_PROMPTS)
    actor = actor_of(request)
    detail = Message("privacy_chosen", mode=mode, length=length)
    log.record("privacy", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return Done(True, gettext("This is what is kept of prompts from now on."))


@described(CHOICES, _HEADING, "Make stored prompts the same", errors=PASSWORD_ALWAYS)
@password_always_required
def apply(request: AccountRequest) -> Done:
    privacy.begin_again(request.user.pk)
    actor = actor_of(request)
    log.record("privacy", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=Message("privacy_applied"))
    queue_once(CONVERT_PROMPTS)
    return Done(True, gettext("What is stored is being made the same. It may take a while."))
