"""The provider that the environment names, by its own description (OpenID Connect Discovery)."""

import logging
import time
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import requests

from accounts.openid.person import configured

# Seconds: of a request to the provider, and for which its description is kept, and that there was none.
TIMEOUT, _KEPT, _KEPT_SILENCE = 10.0, 3600.0, 15.0
# What a library of today verifies with a public key; the first that the provider has.
_ALGORITHMS = ("RS256", "ES256", "RS384", "RS512", "ES384", "ES512")
_LONGEST = 100_000
logger = logging.getLogger(__name__)


class ProviderUnavailable(Exception):
    """The provider did not describe itself as it should."""


@dataclass(frozen=True)
class Provider:
    """Its addresses; that to sign out there is empty where it has none."""

    issuer: str
    authorization: str
    token: str
    userinfo: str
    keys: str
    end_session: str
    algorithm: str


class _Known:
    """What the provider said last of itself, None where it never did."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    def forget(self) -> None:
        self.issuer, self.at, self.provider = "", 0.0, None  # type: str, float, Provider | None

    def is_new(self) -> bool:
        kept = _KEPT if self.provider else _KEPT_SILENCE
        return self.issuer == configured().issuer and time.monotonic() - self.at < kept


known = _Known()


def provider() -> Provider:
    """What the provider says of itself, asked once an hour. Raises ProviderUnavailable, at once while another thread
    waits for a silent one: all of them would wait."""
    if not known.is_new() and known.lock.acquire(blocking=False):
        known.issuer = configured().issuer
        try:
            known.provider = _described()
        except ProviderUnavailable as error:
            # What it said before is better than nothing.
            logger.warning("The provider of sign-ins does not describe itself as it should: %s", error)
        finally:
            known.at = time.monotonic()
            known.lock.release()
    if known.provider is None:
        raise ProviderUnavailable("silent")
    return known.provider


def _described() -> Provider:
    issuer = configured().issuer
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        answer = requests.get(address, timeout=TIMEOUT, allow_redirects=False)
        answer.raise_for_status()
        document = answer.json() if len(answer.content) <= _LONGEST else None
    except (requests.RequestException, ValueError) as error:
        raise ProviderUnavailable(type(error).__name__) from error
    # An issuer that another one describes could speak for it.
    if not isinstance(document, dict) or document.get("issuer") != issuer:
        raise ProviderUnavailable("issuer")
    known = document.get("id_token_signing_alg_values_supported")
    algorithm = next((one for one in _ALGORITHMS if isinstance(known, list) and one in known), "")
    if not algorithm:
        raise ProviderUnavailable("algorithm")
    return Provider(
        issuer=issuer,
        authorization=_address(document, "authorization_endpoint"),
        token=_address(document, "token_endpoint"),
        userinfo=_address(document, "userinfo_endpoint"),
        keys=_address(document, "jwks_uri"),
        end_session=_address(document, "end_session_endpoint") if document.get("end_session_endpoint") else "",
        algorithm=algorithm,
    )


def _address(document: dict[str, Any], name: str) -> str:
    """An address of https, or of this machine. Raises ProviderUnavailable."""
    given = document.get(name)
    try:
        parts = urlsplit(given if isinstance(given, str) else "")
    except ValueError:
        raise ProviderUnavailable(name) from None
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")):
        raise ProviderUnavailable(name)
    return parts.geturl()
