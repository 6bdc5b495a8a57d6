"""What the profile page shows of an account (docs/api.md#pages)."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts import tokens
from accounts.models import EMAIL_LENGTH, NAME_LENGTH, ApiToken, User
from accounts.signin import sessions
from accounts.signin.forms import NAME_RULE, STRENGTH_RULE
from accounts.user_changes import public_form
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.bearer import COLLECT, EXPORT, READ

SESSIONS_SHOWN = 20
RULES = {
    "name_rule": NAME_RULE,
    "password_rule": STRENGTH_RULE,
    "name_length": NAME_LENGTH,
    "email_length": EMAIL_LENGTH,
    "token_name_length": ApiToken.NAME_LENGTH,
}
SCOPES = [
    (READ, _("Read records, sums and runs")),
    (COLLECT, _("Collect and verify")),
    (EXPORT, _("Export everything")),
]


def profile_context(request: AccountRequest) -> dict[str, Any]:
    """The values of `profile.html`: name shown, email, sessions and tokens of the caller's account."""
    choices = {"languages": settings.LANGUAGES, "themes": User._meta.get_field("theme").choices}
    signed_in = sessions.in_force(request.user, request.session.session_key)
    lists: dict[str, Any] = {"sessions": signed_in[:SESSIONS_SHOWN], "more_sessions": len(signed_in[SESSIONS_SHOWN:])}
    lists |= {"tokens": tokens.tokens_of(request.user.pk), "scopes": SCOPES}
    return {"own": public_form(request.user), **lists, **choices, **RULES}
