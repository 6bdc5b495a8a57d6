"""The page that an invitation link opens (docs/api.md#invitations)."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from accounts.models import Invitation
from accounts.signin import invitations
from accounts.signin.forms import InvitationForm, throttled_words
from accounts.signin.invitations import InvitationClosed
from accounts.signin.pages import form_page, sign_in_new_account
from accounts.signin.signin import is_password_off
from accounts.signin.throttling import TooManyFailures, count_link
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.json_views import retry_later


@never_cache
@sensitive_post_parameters("password", "password2")
@form_page
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The form of an open link, 404 for any other. Links that are not open count as failures of the address."""
    try:
        take_back = count_link(client_address(request))
    except TooManyFailures as error:
        words = throttled_words(error)
        return retry_later(_notice(request, gettext("Please wait"), words, 429), error.retry_after)
    found = None if is_password_off() else invitations.find(token)
    if found is None:
        return _closed(request)
    take_back()
    if request.user.is_authenticated:
        return _signed_in_already(request)
    if request.method != "POST":
        return _page(request, InvitationForm(found))
    form = InvitationForm(found, request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    return _create_account(request, token, found, form)


@sensitive_variables("fields")
def _create_account(request: HttpRequest, token: str, found: Invitation, form: InvitationForm) -> HttpResponse:
    fields = form.cleaned_data
    try:
        invitations.use(token, fields, client_address(request))
    except InvitationClosed:
        # Somebody else was first, or the link was revoked while the form was open.
        return _closed(request)
    except ValidationError as error:
        # The form has checked everything else, so the name is taken.
        form.add_error("username", error)
        if found.username:
            form.add_error("username", gettext("Ask the administrator for another invitation."))
        return _page(request, form, status=400)
    return sign_in_new_account(request, fields["username"], fields["password"])


def _page(request: HttpRequest, form: InvitationForm, status: int = 200) -> HttpResponse:
    return render(request, "invitation.html", {"form": form}, status=status)


def _closed(request: HttpRequest) -> HttpResponse:
    """One answer for all links that are not open: nobody learns which ones ever were."""
    words = gettext(
        "An invitation can be used once, within 7 days, and can be revoked. If you have created your account with it, "
        "sign in. Otherwise ask the administrator for another one."
    )
    return _notice(request, gettext("This invitation is not valid"), words, 404)


def _signed_in_already(request: HttpRequest) -> HttpResponse:
    words = gettext("To create another account with this invitation, sign out first. The link stays valid.")
    context = {"title": gettext("You are signed in"), "message": words, "status": 403, "frame": "frame.html"}
    return render(request, "error.html", context, status=403)


def _notice(request: HttpRequest, title: str, message: str, status: int) -> HttpResponse:
    way_back = {"back": settings.LOGIN_URL, "back_text": gettext("Sign in")}
    return render(
        request, "error.html", {"title": title, "message": message, "status": status, **way_back}, status=status
    )
