"""Whether an instance takes passkeys, and whether an account has any; `webauthn` asks for them."""

from django.conf import settings

from accounts.models import Passkey

MOST = 20


class WrongAnswer(Exception):
    """What a browser sent does not answer, from a passkey, what it was asked."""


def are_available() -> bool:
    return bool(settings.ORIGIN)


def has_any(user_id: int) -> bool:
    return Passkey.objects.filter(user_id=user_id).exists()
