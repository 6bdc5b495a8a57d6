"""Accounts that lack a second factor which the instance requires open nothing but what sets one up
(docs/decisions/accounts.md#second-factor)."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import is_by_token
from archive_site.lib.http.json_views import error_response, is_of_the_api

_OPEN = (
    "profile", "logout", "reauthenticate", "login", "second_factor", "openid_begin", "openid_callback", "app_manifest",
    "offline",
)  # fmt: skip
_OPEN_IN_API = ("/api/second-factor", "/api/reauthenticate", "/api/status")


def lead_to_setup(get_response: Callable[[HttpRequest], HttpResponseBase]) -> object:
    """Middleware, after the account is known. Tokens work on: no code is asked of a program."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        user = request.user
        if not isinstance(user, User) or user.second_factor != User.LACKS_FACTOR or is_by_token(request):
            return get_response(request)
        try:
            match = resolve(request.path_info)
        except Resolver404:
            return get_response(request)
        if is_of_the_api(match.func):
            if request.path_info.startswith(_OPEN_IN_API):
                return get_response(request)
            words = gettext("This instance requires a second factor: set it up on your profile first.")
            return error_response(ApiError(403, "second_factor_required", words))
        if match.url_name in _OPEN:
            return get_response(request)
        return HttpResponseRedirect(f"{reverse('profile')}#factor")

    return respond
