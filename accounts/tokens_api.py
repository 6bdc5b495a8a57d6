"""JSON views of personal tokens, for sessions alone (docs/api.md#tokens)."""

from typing import Annotated

from django.utils.translation import gettext
from msgspec import UNSET, Meta, UnsetType

from accounts.actor import actor_of
from accounts.api_types import REAUTHENTICATE_WITH_CODE, Token
from accounts.models import ApiToken
from accounts.signin.reauthentication import recent_password_required
from accounts.signin.second_step import require_recent_factor
from accounts.tokens import personal_tokens
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done, Given, Items, about, one_of
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import SCOPES
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import body_of
from audit import known_secrets

_NAME = f"at most {ApiToken.NAME_LENGTH} characters, no control characters; white space is trimmed and single"
_DAYS = about("how long it lasts; null or nothing for no end")


class NewToken(Given, frozen=True):
    name: Annotated[str, Meta(description=_NAME, max_length=ApiToken.NAME_LENGTH)]
    scopes: Annotated[list[Annotated[str, one_of(SCOPES)]], Meta(min_length=1)]
    days: Annotated[Annotated[int, Meta(ge=1, le=personal_tokens.MOST_DAYS)] | None, _DAYS] | UnsetType = UNSET


class CreatedToken(Done, frozen=True):
    id: int
    token: Annotated[str, about("its text, which is in no other answer")]


@described(ACCOUNTS, "Tokens", "The tokens of the account, the newest first", answer=Items[Token])
def own_tokens(request: AccountRequest) -> Items[Token]:
    return Items([personal_tokens.payload(token) for token in personal_tokens.tokens_of(request.user.pk)])


@described(
    ACCOUNTS,
    "Tokens",
    "Create a token",
    body=NewToken,
    errors={"400 bad_request": "A value is not accepted, or there are 50 tokens.", **REAUTHENTICATE_WITH_CODE},
)
@recent_password_required
def create_token(request: AccountRequest) -> CreatedToken:
    """POST /api/tokens: the only answer that ever holds the token."""
    require_recent_factor(request)
    token, text = personal_tokens.create(request.user, body_of(request), actor_of(request))
    known_secrets.guard_in_request(text)
    return CreatedToken(True, gettext("The token is created. It is shown only once."), token.pk, text)


@described(ACCOUNTS, "Tokens", "Revoke a token", errors={"404": "There is no such token."})
def revoke_token(request: AccountRequest, token_id: int) -> Done:
    token = personal_tokens.revoke(request.user.pk, token_id, actor_of(request))
    if token is None:
        raise ApiError(404, None, gettext("There is no such token."))
    return Done(True, gettext("The token “%(name)s” is revoked.") % {"name": token.name})
