"""The page that asks for the password again, for requests without a script (docs/api.md#enter-the-password-again)."""

from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.signin.forms import PasswordForm, throttled_words
from accounts.signin.reauthentication import give_password, is_needed
from accounts.signin.throttling import TooManyFailures
from archive_site.lib.http.account_request import AccountRequest, login_required
from archive_site.lib.http.json_views import View, ViewAnswer, retry_later
from archive_site.lib.http.next_path import next_path


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reauthenticate(request: AccountRequest) -> HttpResponse:
    """The form, and with the right password the way on to `next`."""
    if request.method != "POST":
        return _page(request, PasswordForm())
    form = PasswordForm(request.POST)
    try:
        if form.is_valid() and _is_right(request, form):
            # Not `redirect`, which would take a text for the name of a route.
            return HttpResponseRedirect(next_path(request) or settings.LOGIN_REDIRECT_URL)
    except TooManyFailures as error:
        form.add_error("password", throttled_words(error))
        return retry_later(_page(request, form, status=429), error.retry_after)
    return _page(request, form, status=400)


def _is_right(request: AccountRequest, form: PasswordForm) -> bool:
    if give_password(request, form.cleaned_data["password"]):
        return True
    form.refuse()
    return False


def password_dialog(request: HttpRequest) -> dict[str, object]:
    """Context of all pages: whether they hold the dialog that asks for the password, and for a code."""
    has_factor = isinstance(request.user, User) and request.user.second_factor == User.HAS_FACTOR
    is_profile = request.resolver_match is not None and request.resolver_match.url_name == "profile"
    asks = settings.REAUTHENTICATE_MINUTES > 0 or has_factor or is_profile
    return {"asks_password": asks, "asks_code": has_factor, "elsewhere": settings.OPENID if asks else None}


def asks_browsers_first(view: View) -> View:
    """Lead a browser that opens the address of a protected view to the form first, and back afterwards."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> ViewAnswer:
        if is_needed(request.session) and request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
            return ask(request.get_full_path())
        return view(request, *args, **path)

    return guarded


def ask(destination: str) -> HttpResponse:
    """A redirect to the form, which leads on to a path of this origin."""
    return redirect(f"{reverse('reauthenticate')}?{urlencode({'next': destination})}")


def _page(request: AccountRequest, form: PasswordForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "next": next_path(request), "elsewhere": settings.OPENID}
    return render(request, "reauthenticate.html", context, status=status)
