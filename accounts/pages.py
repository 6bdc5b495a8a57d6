"""Pages of accounts: signing in and out, the first run, the settings (specification 4.7, 5.1)."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from accounts import credential
from accounts.config import instance_values, user_agent
from accounts.first_run import create_first_admin, is_open
from accounts.forms import FirstRunForm, SignInForm, setting_groups
from accounts.models import User
from accounts.signin import sign_in, sign_out
from archive_site.lib.client_address import client_address
from archive_site.lib.clock import local_text

_form_page = require_http_methods(["GET", "HEAD", "POST"])


@never_cache
@sensitive_post_parameters("password")
@_form_page
def login(request: HttpRequest) -> HttpResponse:
    """The sign-in page. A failed try is the same page with 400, whichever of name and password was wrong."""
    if request.method != "POST":
        if request.user.is_authenticated:
            return redirect(settings.LOGIN_REDIRECT_URL)
        return _login_page(request, SignInForm())
    form = SignInForm(request.POST)
    if form.is_valid():
        if sign_in(request, form.cleaned_data["username"], form.cleaned_data["password"]):
            return redirect(_destination(request) or settings.LOGIN_REDIRECT_URL)
        form.refuse()
    return _login_page(request, form, status=400)


@never_cache
@_form_page
def logout(request: HttpRequest) -> HttpResponse:
    """POST signs out; GET changes nothing."""
    if request.method != "POST":
        return redirect(settings.LOGIN_REDIRECT_URL)
    sign_out(request)
    return redirect(settings.LOGIN_URL)


@never_cache
@sensitive_post_parameters("password", "password2")
@_form_page
def first_run(request: HttpRequest, token: str) -> HttpResponse:
    """Where the first administrator is made; 404 once any account exists (specification 5.10)."""
    if not is_open(token):
        return _used_up(request)
    if request.method != "POST":
        return render(request, "first_run.html", {"form": FirstRunForm()})
    form = FirstRunForm(request.POST)
    if not form.is_valid():
        return render(request, "first_run.html", {"form": form}, status=400)
    return _make_first_admin(request, token, form)


@never_cache
@require_safe
@login_required
def config(request: HttpRequest) -> HttpResponse:
    """The settings: cookie and user agent for everybody, the instance's for administrators."""
    user = request.user
    assert isinstance(user, User)
    cookie = credential.state(user.pk)
    context = {
        "cookie": cookie,
        "cookie_set_at": local_text(credential.cookie_set_at(user.pk)),
        "user_agent": user_agent(user.pk),
        "groups": setting_groups(instance_values()) if user.is_admin else [],
    }
    return render(request, "config.html", context)


@sensitive_variables("fields")
def _make_first_admin(request: HttpRequest, token: str, form: FirstRunForm) -> HttpResponse:
    fields = form.cleaned_data
    ip = client_address(request)
    try:
        create_first_admin(
            token, fields["username"], fields["password"], fields["password2"], email=fields["email"], ip=ip
        )
    except ValidationError:
        # The form has checked the rest: somebody else was first.
        return _used_up(request)
    sign_in(request, fields["username"], fields["password"])
    return redirect(settings.LOGIN_REDIRECT_URL)


def _login_page(request: HttpRequest, form: SignInForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "next": _destination(request), "no_account": not User.objects.exists()}
    return render(request, "login.html", context, status=status)


def _destination(request: HttpRequest) -> str:
    """Where `next` leads, empty unless it stays within this origin."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    hosts = {request.get_host()}
    return target if url_has_allowed_host_and_scheme(target, hosts, require_https=request.is_secure()) else ""


def _used_up(request: HttpRequest) -> HttpResponse:
    context = {
        "title": "This link is used up",
        "message": "An account exists already, or a newer link was printed at the last start.",
        "status": 404,
        "back": settings.LOGIN_URL,
        "back_text": "Sign in",
    }
    return render(request, "error.html", context, status=404)
