"""What the headers of a request hold to sign in with, before its body is read (docs/decisions/web.md#slow-clients)."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.http import parse_cookie

from accounts.signin import sessions
from accounts.tokens import personal_tokens, token_text
from archive_site.lib.http.bearer import bearer_text_in


@dataclass(frozen=True)
class Claim:
    """A text that may be a token, and a key that may be that of a session; either may be empty."""

    token: str
    session_key: str

    def account(self) -> int:
        """The account of the one that is in force, as the store says; 0 where none is. It changes nothing; what may be
        done is checked later."""
        token = personal_tokens.find(self.token) if self.token else None
        if token:
            return token.user_id
        return sessions.account_of(self.session_key) if self.session_key else 0


def claim_in(headers: Mapping[str, str]) -> Claim | None:
    """The claim in headers whose names are written as in `X_FORWARDED_FOR`; None if they hold none."""
    token = bearer_text_in(headers.get("AUTHORIZATION", "")) or ""
    token = token if token_text.is_well_formed(token) else ""
    session_key = parse_cookie(headers.get("COOKIE", "")).get(settings.SESSION_COOKIE_NAME, "")
    return Claim(token, session_key) if token or session_key else None
