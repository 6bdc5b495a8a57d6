"""Middleware for requests with `Authorization: Bearer` (docs/api.md#tokens).

Only a token in force makes a difference to a POST. A wrong one refuses reads, whatever the session is: a program would
otherwise work in a browser's session and not notice that its token has ended.
"""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from accounts.models import ApiToken, User
from accounts.tokens import personal_tokens
from archive_site.lib.http.bearer import WRONG, Bearer, bearer_of, bearer_text, set_bearer
from archive_site.lib.http.json_views import is_of_the_api, scopes_of
from audit import known_secrets

Next = Callable[[HttpRequest], HttpResponseBase]
# Those without a CSRF check.
_READING = ("GET", "HEAD", "OPTIONS", "TRACE")
_ACCOUNT = "account_of_token"
_CHALLENGE = 'Bearer error="invalid_token"'
# A longer text is no token. What is masked is searched for in each line of the log.
_LONGEST_MASKED = 200


def read_bearer(get_response: Next) -> object:
    """Before sessions: finds the token, and takes the cookies away from a request that it decides about."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        text = bearer_text(request)
        if text is not None:
            known_secrets.guard_in_request(text[:_LONGEST_MASKED])
            _decide(request, personal_tokens.find(text))
        response = get_response(request)
        if bearer_of(request) is WRONG and response.status_code == HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = _CHALLENGE
        return response

    return respond


def sign_in_by_token(get_response: Next) -> object:
    """After Django's sign-in by session: the account of the token is the one of the request.

    It counts as an ordinary account, whatever its role: a token never administers.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        account: User | None = getattr(request, _ACCOUNT, None)
        if account:
            account.is_admin = False
            request.user = account
        return get_response(request)

    return respond


def _decide(request: HttpRequest, token: ApiToken | None) -> None:
    opens = _is_open_to_tokens(request.path_info)
    if token:
        # Outside of what tokens open, the request is that of an anonymous visitor.
        request.COOKIES = {}
        if opens:
            set_bearer(request, Bearer(token.pk, frozenset(token.scope_list)))
            setattr(request, _ACCOUNT, token.user)
            personal_tokens.note_use(token)
    elif opens and request.method in _READING:
        request.COOKIES = {}
        set_bearer(request, WRONG)


def _is_open_to_tokens(path: str) -> bool:
    """Whether a token may decide about requests of a path: in the API always, elsewhere where the view names scopes."""
    try:
        route = resolve(path).func
    except Resolver404:
        return False
    return is_of_the_api(route) or bool(scopes_of(route))
