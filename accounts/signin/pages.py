"""Pages of accounts: signing in and out, registering, the first run (docs/api.md#pages)."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.passwords import password_warnings
from accounts.second_factor import passkeys
from accounts.signin import captcha, device_cookie, self_registration
from accounts.signin.first_run import create_first_admin, is_open
from accounts.signin.forms import FirstRunForm, RegistrationForm, SignInForm, throttled_words, waiting_time
from accounts.signin.leading_out import lead_out
from accounts.signin.self_registration import RegistrationClosed, TooManyRegistrations
from accounts.signin.signin import is_password_off, refuse_captcha, sign_in, sign_out
from accounts.signin.throttling import TooManyFailures
from archive_site.lib.http import rate_limits
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.json_views import retry_later
from archive_site.lib.http.next_path import next_path
from archive_site.lib.i18n import sentences

NO_CAPTCHA = gettext_noop("Enter the characters in the picture.")
WRONG_CAPTCHA = gettext_noop("The characters do not match the picture. Here is a new one.")
form_page = require_http_methods(["GET", "HEAD", "POST"])


@never_cache
@sensitive_post_parameters("password")
@form_page
def login(request: HttpRequest) -> HttpResponse:
    """The sign-in page. A wrong name and a wrong password give the same page with status 400."""
    if request.method != "POST":
        if request.user.is_authenticated:
            return redirect(settings.LOGIN_REDIRECT_URL)
        return _login_page(request, SignInForm())
    form = SignInForm(request.POST)
    try:
        if form.is_valid() and _captcha_is_right(request, form) and _signed_in(request, form):
            return welcome(request, next_path(request))
    except TooManyFailures as error:
        form.add_error("password", throttled_words(error))
        return retry_later(_login_page(request, form, status=429), error.retry_after)
    return _login_page(request, form, status=400)


def _signed_in(request: HttpRequest, form: SignInForm) -> bool:
    """Sign in with the form's name and password; False, with an error in the form, if one is wrong."""
    if sign_in(request, form.cleaned_data["username"], form.cleaned_data["password"]):
        return True
    form.refuse()
    return False


def _captcha_is_right(request: HttpRequest, form: SignInForm) -> bool:
    """Whether the captcha, if required, is solved; if not, count a failure and add an error to the form."""
    username = form.cleaned_data["username"]
    if not _needs_captcha(request, username):
        return True
    if captcha.check(request.session, "login", form.cleaned_data["captcha"]):
        return True
    refuse_captcha(request, username)
    form.add_error("captcha", gettext(WRONG_CAPTCHA if form.cleaned_data["captcha"] else NO_CAPTCHA))
    return False


@require_safe
def captcha_picture(request: HttpRequest) -> HttpResponse:
    """A new captcha picture, at most 40 in 60 seconds per source (docs/api.md#captcha-picture)."""
    try:
        rate_limits.require_captcha_rate(request)
    except ApiError as error:
        refusal = HttpResponse(
            error.message, status=429, content_type="text/plain", headers={"Cache-Control": "no-store"}
        )
        return retry_later(refusal, error.retry_after or 1)
    purpose = captcha.purpose_of(request.GET.get("purpose"))
    picture = captcha.issue(request.session, purpose, anonymous=not request.user.is_authenticated)
    return HttpResponse(picture, content_type="image/png", headers={"Cache-Control": "no-store"})


@never_cache
@sensitive_post_parameters("password", "password2")
@form_page
def register(request: HttpRequest) -> HttpResponse:
    """Self-registration: 403 if the instance does not allow it, 429 beyond the limit of the address."""
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    if not self_registration.is_open():
        return _registration_closed(request)
    if request.method != "POST":
        return _register_page(request, RegistrationForm())
    form = RegistrationForm(request.POST)
    if not form.is_valid() or not _registration_captcha_is_right(request, form):
        return _register_page(request, form, status=400)
    return _make_account(request, form)


def _registration_captcha_is_right(request: HttpRequest, form: RegistrationForm) -> bool:
    if not captcha.is_needed_for_registration():
        return True
    if captcha.check(request.session, "register", form.cleaned_data["captcha"]):
        return True
    form.add_error("captcha", gettext(WRONG_CAPTCHA if form.cleaned_data["captcha"] else NO_CAPTCHA))
    return False


@sensitive_variables("fields")
def _make_account(request: HttpRequest, form: RegistrationForm) -> HttpResponse:
    fields = form.cleaned_data
    try:
        self_registration.register(fields, client_address(request))
    except RegistrationClosed:
        return _registration_closed(request)
    except TooManyRegistrations as error:
        words = gettext("This address has reached its limit of registrations. Wait %(time)s.")
        form.add_error(None, words % {"time": waiting_time(error.retry_after)})
        return retry_later(_register_page(request, form, status=429), error.retry_after)
    except ValidationError as error:
        # The form has checked everything else, so the name is taken.
        form.add_error("username", error)
        return _register_page(request, form, status=400)
    return sign_in_new_account(request, fields["username"], fields["password"])


@sensitive_variables("password")
def sign_in_new_account(request: HttpRequest, username: str, password: str) -> HttpResponse:
    """Sign in at once, unless the name or the address failed too often before."""
    try:
        sign_in(request, username, password)
    except TooManyFailures:
        return redirect(settings.LOGIN_URL)
    weak = password_warnings.warning(password, username)
    if weak:
        messages.warning(request, sentences([weak, gettext("Change it on your profile.")]))
    return welcome(request)


def welcome(request: HttpRequest, target: str = "") -> HttpResponse:
    """Lead the account that has just signed in to its target, and remember its browser; else to its second factor."""
    if not isinstance(request.user, User):
        return redirect(f"{reverse('second_factor')}{'?' + urlencode({'next': target}) if target else ''}")
    # Not `redirect`, which would take a text for the name of a route.
    response = HttpResponseRedirect(target or settings.LOGIN_REDIRECT_URL)
    device_cookie.remember(response, request.user)
    return response


@never_cache
@form_page
def logout(request: HttpRequest) -> HttpResponse:
    """POST signs out; GET changes nothing."""
    if request.method != "POST":
        return redirect(settings.LOGIN_REDIRECT_URL)
    end = sign_out(request)
    response = lead_out(request, end) if end else redirect(settings.LOGIN_URL)
    # The next visitor of this browser must not find kept answers of this account.
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@never_cache
@sensitive_post_parameters("password", "password2")
@form_page
def first_run(request: HttpRequest, token: str) -> HttpResponse:
    """The page to create the first administrator; 404 once any account exists (docs/api.md#first-run)."""
    if not is_open(token):
        return _used_up(request)
    if request.method != "POST":
        return render(request, "first_run.html", {"form": FirstRunForm()})
    form = FirstRunForm(request.POST)
    if not form.is_valid():
        return render(request, "first_run.html", {"form": form}, status=400)
    return _make_first_admin(request, token, form)


@sensitive_variables("fields")
def _make_first_admin(request: HttpRequest, token: str, form: FirstRunForm) -> HttpResponse:
    fields = form.cleaned_data
    ip = client_address(request)
    try:
        create_first_admin(
            token, fields["username"], fields["password"], fields["password2"], email=fields["email"], ip=ip
        )
    except ValidationError:
        # The form has checked everything else, so somebody else was first.
        return _used_up(request)
    return sign_in_new_account(request, fields["username"], fields["password"])


def _login_page(request: HttpRequest, form: SignInForm, status: int = 200) -> HttpResponse:
    name = form["username"].value() or ""
    context = {
        "form": form,
        "next": next_path(request),
        "no_account": not User.objects.exists(),
        "captcha": _needs_captcha(request, name),
        "may_register": self_registration.is_open(),
        "has_passkeys": passkeys.are_available(),
        "elsewhere": settings.OPENID,
        "is_password_off": is_password_off(),
    }
    return render(request, "login.html", context, status=status)


def _needs_captcha(request: HttpRequest, username: str) -> bool:
    device = device_cookie.device_of(request, username)
    return captcha.is_needed_for_login(username, client_address(request), device)


def _register_page(request: HttpRequest, form: RegistrationForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "captcha": captcha.is_needed_for_registration()}
    return render(request, "register.html", context, status=status)


def _registration_closed(request: HttpRequest) -> HttpResponse:
    context = {
        "title": gettext("Registration is closed"),
        "message": gettext("The administrator creates the accounts of this instance."),
        "status": 403,
        "back": settings.LOGIN_URL,
        "back_text": gettext("Sign in"),
    }
    return render(request, "error.html", context, status=403)


def _used_up(request: HttpRequest) -> HttpResponse:
    context = {
        "title": gettext("This link is no longer valid"),
        "message": gettext("An account already exists, or a newer link was printed at the last start."),
        "status": 404,
        "back": settings.LOGIN_URL,
        "back_text": gettext("Sign in"),
    }
    return render(request, "error.html", context, status=404)
