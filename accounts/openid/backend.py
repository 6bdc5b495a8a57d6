"""What the provider says of a person, once all that proves it was verified."""

from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.urls import reverse
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from accounts.openid.person import Person, configured
from accounts.openid.provider import TIMEOUT, provider
from audit import known_secrets


class ProviderBackend(OIDCAuthenticationBackend):  # type: ignore[misc] # the library has no types
    """Gives a Person, and never an account: addresses of mail are set by anybody and proved by nobody, so the library's
    way of finding accounts by them is not used."""

    @staticmethod
    def get_settings(attr: str, *args: Any) -> Any:
        return library_settings(attr, *args)

    def __init__(self) -> None:
        """Asks the provider nothing: Django makes one for each sign-in by password, and for each question of rights."""

    def authenticate(self, request: HttpRequest | None, **kwargs: Any) -> Person | None:
        if "nonce" not in kwargs:
            return None
        super().__init__()
        found: Person | None = super().authenticate(request, **kwargs)
        return found

    def get_token(self, payload: dict[str, Any]) -> Any:
        return super().get_token({**payload, "redirect_uri": callback_address()})

    def verify_token(self, token: str, **kwargs: Any) -> dict[str, Any]:
        """The claims of a token of this issuer for this service. Raises SuspiciousOperation."""
        payload: dict[str, Any] = super().verify_token(token, **kwargs)
        audience = payload.get("aud")
        meant = audience if isinstance(audience, list) else [audience]
        client = configured().client_id
        if payload.get("iss") != configured().issuer or client not in meant or "exp" not in payload:
            raise SuspiciousOperation("The token is not for this service.")
        if payload.get("azp", None if len(meant) > 1 else client) != client:
            raise SuspiciousOperation("The token is for another service.")
        return payload

    def get_or_create_user(self, access_token: str, id_token: str, payload: dict[str, Any]) -> Person:
        for secret in (access_token, id_token):
            known_secrets.guard_in_request(secret)
        claims = self.get_userinfo(access_token, id_token, payload)
        subject, at = payload.get("sub"), payload.get("auth_time")
        # The two come by different ways.
        if not isinstance(subject, str) or not 0 < len(subject) <= 255 or claims.get("sub") != subject:
            raise SuspiciousOperation("The answers are about different persons.")
        is_known = isinstance(at, int) and not isinstance(at, bool)
        return Person(payload["iss"], subject, {**payload, **claims}, id_token, at if is_known else None)


def callback_address() -> str:
    """Where the provider sends people back to: the Host header could name another place."""
    return f"{settings.ORIGIN}{reverse('openid_callback')}"


def library_settings(name: str, *default: Any) -> Any:
    """The settings that the library asks for."""
    if name in ("OIDC_RP_CLIENT_ID", "OIDC_RP_CLIENT_SECRET"):
        return configured().client_id if name.endswith("ID") else configured().client_secret
    fixed = {
        "OIDC_RP_SCOPES": configured().scopes,
        "OIDC_USE_PKCE": True,
        "OIDC_TIMEOUT": TIMEOUT,
        "OIDC_AUTHENTICATION_CALLBACK_URL": "openid_callback",
    }
    if name in fixed:
        return fixed[name]
    of_provider = {
        "OIDC_OP_TOKEN_ENDPOINT": "token",
        "OIDC_OP_USER_ENDPOINT": "userinfo",
        "OIDC_OP_JWKS_ENDPOINT": "keys",
        "OIDC_OP_AUTHORIZATION_ENDPOINT": "authorization",
        "OIDC_RP_SIGN_ALGO": "algorithm",
    }
    if name in of_provider:
        return getattr(provider(), of_provider[name])
    return default[0] if default else None
