"""The page that asks for the second factor (docs/api.md#second-factor)."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.second_factor import factors, passkeys
from accounts.signin import half_in, visitor_sessions
from accounts.signin.forms import CodeForm, throttled_words
from accounts.signin.pages import form_page, welcome
from accounts.signin.second_step import finish_with_code, finish_with_passkey, passkey_question
from accounts.signin.throttling import TooManyFailures
from archive_site.lib.http import rate_limits
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import error_response, json_response, retry_later
from archive_site.lib.http.next_path import next_path

WRONG_PASSKEY = gettext_noop("The passkey was not accepted.")


@never_cache
@sensitive_post_parameters("code", "passkey")
@form_page
def second_factor(request: HttpRequest) -> HttpResponse:
    """The form, and with the right code or passkey the way on to `next`."""
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    account = half_in.account_in(request.session)
    if request.method != "POST":
        return _page(request, account, CodeForm()) if account else redirect(settings.LOGIN_URL)
    form, passkey = CodeForm(request.POST), request.POST.get("passkey", "")
    try:
        if _is_given(request, account, form, passkey):
            return welcome(request, next_path(request))
    except TooManyFailures as error:
        form.add_error("code", throttled_words(error))
        return retry_later(_answer(request, account, form, 429), error.retry_after)
    return _answer(request, account, form, 400)


def _is_given(request: HttpRequest, account: User | None, form: CodeForm, passkey: str) -> bool:
    if passkey:
        if finish_with_passkey(request, account, passkey):
            return True
        form.refuse(gettext(WRONG_PASSKEY))
        return False
    if account and form.is_valid():
        if finish_with_code(request, account, form.cleaned_data["code"]):
            return True
        form.refuse()
    return False


@never_cache
@require_POST
def passkey_options(request: HttpRequest) -> HttpResponse:
    """What the browser asks a passkey: of the account that has given its password, or of any that may sign in alone."""
    try:
        rate_limits.require_captcha_rate(request)
        if not passkeys.are_available():
            raise ApiError(404, "not_found", gettext("This instance has no passkeys."))
    except ApiError as error:
        return error_response(error)
    account = request.user if isinstance(request.user, User) else half_in.account_in(request.session)
    question = passkey_question(request.session, account)
    if account is None:
        visitor_sessions.begin(request.session)
    return json_response(question)


def _answer(request: HttpRequest, account: User | None, form: CodeForm, status: int) -> HttpResponse:
    """The page again; whoever has no account half in begins anew."""
    if account is None:
        return redirect(settings.LOGIN_URL)
    return _page(request, account, form, status)


def _page(request: HttpRequest, account: User, form: CodeForm, status: int = 200) -> HttpResponse:
    has = factors.of_account(account.pk)
    context = {
        "form": form,
        "next": next_path(request),
        "account": account,
        "has_codes": has.has_codes,
        "are_codes_readable": has.are_codes_readable,
        "has_passkeys": bool(has.passkeys) and passkeys.are_available(),
    }
    return render(request, "second_factor.html", context, status=status)
