"""Whom a provider has signed in, and what the environment says of the provider; neither needs the library."""

from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import Http404

from archive_site.lib.environment import OpenId


@dataclass
class Person:
    """`subject` names them at the issuer, for good. `authenticated_at` is when they proved who they are, in seconds,
    None where it does not say."""

    issuer: str
    subject: str
    claims: dict[str, Any]
    id_token: str = field(repr=False)
    authenticated_at: int | None = None
    # The library asks for it.
    is_active: bool = True


def configured() -> OpenId:
    """What the environment says of the provider. Raises Http404 where it names none."""
    if settings.OPENID is None:
        raise Http404
    return settings.OPENID
