"""What the profile page shows of an account (docs/api.md#pages)."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.models import EMAIL_LENGTH, NAME_LENGTH, ApiToken, Passkey, User
from accounts.openid import identities
from accounts.second_factor import factors, passkeys
from accounts.signin import sessions
from accounts.signin.forms import NAME_RULE, STRENGTH_RULE
from accounts.tokens import personal_tokens
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
    "passkey_name_length": Passkey.NAME_LENGTH,
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
    lists |= {"tokens": personal_tokens.tokens_of(request.user.pk), "scopes": SCOPES}
    lists |= {"factors": factors.of_account(request.user.pk), "may_have_passkeys": passkeys.are_available()}
    lists |= {"lacks_factor": request.user.second_factor == User.LACKS_FACTOR}
    lists |= {"has_password": request.user.has_usable_password()}
    if settings.OPENID:
        lists |= {"elsewhere_name": settings.OPENID.name, "identity": identities.of_account(request.user.pk)}
    return {"own": public_form(request.user), **lists, **choices, **RULES}
