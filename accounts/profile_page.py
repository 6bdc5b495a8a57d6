"""The profile page (docs/api.md#pages)."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from accounts import sessions
from accounts.forms import NAME_RULE, STRENGTH_RULE
from accounts.models import EMAIL_LENGTH, NAME_LENGTH, User
from accounts.user_changes import public_form
from archive_site.lib.http.account_request import AccountRequest, signed_in_page

SESSIONS_SHOWN = 20
RULES = {
    "name_rule": NAME_RULE,
    "password_rule": STRENGTH_RULE,
    "name_length": NAME_LENGTH,
    "email_length": EMAIL_LENGTH,
}


@signed_in_page
def profile(request: AccountRequest) -> HttpResponse:
    """Name shown, email, password and sessions of the caller's account; changed through the API."""
    looks = {"languages": settings.LANGUAGES, "themes": User._meta.get_field("theme").choices}
    signed_in = sessions.in_force(request.user, request.session.session_key)
    lists = {"sessions": signed_in[:SESSIONS_SHOWN], "more_sessions": len(signed_in[SESSIONS_SHOWN:])}
    return render(request, "profile.html", {"own": public_form(request.user), **lists, **looks, **RULES})
