"""JSON views of personal tokens, for sessions alone (docs/api.md#tokens)."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from accounts import tokens
from accounts.api import actor_of
from accounts.api_schemas import NEW_TOKEN, REAUTHENTICATE, TOKEN, TOKEN_ID
from accounts.reauthentication import recent_password_required
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.parameters import whole_number
from archive_site.lib.http.schemas import done, list_of, object_of, text, whole
from audit import known_secrets


@described(
    ACCOUNTS, "Tokens", "The tokens of the account, the newest first", answer=object_of({"items": list_of(TOKEN)})
)
def own_tokens(request: AccountRequest) -> Body:
    return {"items": [tokens.payload(token) for token in tokens.tokens_of(request.user.pk)]}


@described(
    ACCOUNTS,
    "Tokens",
    "Create a token",
    body=NEW_TOKEN,
    answer=done({"id": whole(), "token": text("its text, which is in no other answer")}),
    errors={"400 bad_request": "A value is not accepted, or there are 50 tokens.", **REAUTHENTICATE},
)
@recent_password_required
def create_token(request: AccountRequest) -> Body:
    """POST /api/tokens: the only answer that ever holds the token."""
    try:
        token, text = tokens.create(request.user, body_of(request), actor_of(request))
    except ValidationError as error:
        raise ApiError(400, "bad_request", " ".join(error.messages)) from None
    known_secrets.guard_in_request(text)
    return {
        "ok": True,
        "message": gettext("The token is created. It is shown only once."),
        "id": token.pk,
        "token": text,
    }


@described(
    ACCOUNTS,
    "Tokens",
    "Revoke a token",
    path_names=TOKEN_ID,
    answer=done(),
    errors={"404": "There is no such token."},
)
def revoke_token(request: AccountRequest, token_id: str) -> Body:
    token = tokens.revoke(request.user.pk, whole_number(token_id), actor_of(request))
    if token is None:
        raise ApiError(404, None, gettext("There is no such token."))
    return {"ok": True, "message": gettext("The token “%(name)s” is revoked.") % {"name": token.name}}
