"""The page that asks for the password again, for requests without a script (docs/api.md#enter-the-password-again)."""

from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.second_factor import passkeys
from accounts.signin.forms import WRONG_CODE, PasswordAndFactorForm, PasswordForm, throttled_words
from accounts.signin.reauthentication import is_needed
from accounts.signin.second_step import give_again, lacks_recent_factor, require_recent_factor
from accounts.signin.throttling import TooManyFailures
from archive_site.lib.http.account_request import AccountRequest, login_required
from archive_site.lib.http.json_views import View, ViewAnswer, retry_later
from archive_site.lib.http.next_path import next_path

# Pages with what needs a recent password on all instances.
_ALWAYS_ASK = ("profile", "config", "users")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reauthenticate(request: AccountRequest) -> HttpResponse:
    """The form, and with the right password the way on to `next`."""
    kind = PasswordAndFactorForm if request.user.second_factor == User.HAS_FACTOR else PasswordForm
    if request.method != "POST":
        return _page(request, kind())
    form = kind(request.POST)
    try:
        if form.is_valid() and _is_right(request, form):
            # Not `redirect`, which would take a text for the name of a route.
            return HttpResponseRedirect(next_path(request) or settings.LOGIN_REDIRECT_URL)
    except TooManyFailures as error:
        form.add_error("password", throttled_words(error))
        return retry_later(_page(request, form, status=429), error.retry_after)
    return _page(request, form, status=400)


def _is_right(request: AccountRequest, form: PasswordForm) -> bool:
    given = form.cleaned_data
    wrong = give_again(request, given["password"], given.get("code", ""), given.get("passkey", ""))
    if wrong == "code":
        form.add_error("code", gettext(WRONG_CODE))
    elif wrong:
        form.refuse()
    return not wrong


def password_dialog(request: HttpRequest) -> dict[str, object]:
    """Context of all pages: whether they hold the dialog that asks for the password, and for a second factor."""
    is_asked_here = request.resolver_match is not None and request.resolver_match.url_name in _ALWAYS_ASK
    asks = settings.REAUTHENTICATE_MINUTES > 0 or is_asked_here
    shown = {"has_origin": passkeys.are_available(), "elsewhere": settings.OPENID} if asks else {}
    return {"asks_password": asks, **shown}


def asks_browsers_first(view: View) -> View:
    """Lead a browser that opens the address of a protected view to the form first, and back afterwards."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> ViewAnswer:
        if is_needed(request.session) and _is_browser(request):
            return ask(request.get_full_path())
        return view(request, *args, **path)

    return guarded


def recent_factor_required(view: View) -> View:
    """A view for which an account with a second factor has given it lately; a browser is led to the form first."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> ViewAnswer:
        if lacks_recent_factor(request) and _is_browser(request):
            return ask(request.get_full_path())
        require_recent_factor(request)
        return view(request, *args, **path)

    return guarded


def _is_browser(request: HttpRequest) -> bool:
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


def ask(destination: str) -> HttpResponse:
    """A redirect to the form, which leads on to a path of this origin."""
    return redirect(f"{reverse('reauthenticate')}?{urlencode({'next': destination})}")


def _page(request: AccountRequest, form: PasswordForm, status: int = 200) -> HttpResponse:
    has_passkeys = passkeys.are_available() and passkeys.has_any(request.user.pk)
    context = {"form": form, "next": next_path(request), "elsewhere": settings.OPENID, "has_passkeys": has_passkeys}
    return render(request, "reauthenticate.html", context, status=status)
