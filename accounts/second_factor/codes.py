"""Codes by time, as an authenticator app shows them: six digits, others every 30 seconds (RFC 6238)."""

import re
from dataclasses import dataclass, field

import pyotp
from django.conf import settings
from django.utils.crypto import constant_time_compare

from accounts.credentials.instance_key import key_in_force
from accounts.models import SecondFactor, User
from archive_site.lib import clock
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.normal_form import normal_form
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt
from audit import known_secrets

_STEP = 30
# Clocks of phones may be 90 seconds off.
_STEPS_AROUND = 3
_BETWEEN = re.compile(r"[\s-]+")


@dataclass(frozen=True)
class NewCodes:
    """A secret that is not in force yet, as an address for authenticator apps, and as a picture of that."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)
    picture: str = field(repr=False)


def begin(user: User) -> NewCodes:
    """Give the account a secret that takes the place of the present one with the first code of it."""
    import segno

    secret = pyotp.random_base32()
    known_secrets.guard_in_request(secret)
    SecondFactor.objects.update_or_create(user_id=user.pk, defaults={"pending": encrypt(secret, key_in_force())})
    uri = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=settings.ARCHIVE_NAME)
    return NewCodes(secret, uri, segno.make(uri, error="m").png_data_uri(scale=4, border=3))


def confirm(user_id: int, code: str) -> bool:
    """Put the new secret in force if this is a code of it."""
    row = SecondFactor.objects.filter(user_id=user_id).exclude(pending="").first()
    step = _step_of(row.pending, code) if row else None
    if row is None or step is None:
        return False
    # Of two confirmations at once one counts, and none of a secret that was replaced meanwhile.
    same = SecondFactor.objects.filter(user_id=user_id, pending=row.pending)
    return same.update(sealed=row.pending, pending="", last_step=step) == 1


def use(user_id: int, code: str) -> bool:
    """Whether this is a code of now that was not used before; it is used from then on."""
    row = SecondFactor.objects.filter(user_id=user_id).exclude(sealed="").first()
    step = _step_of(row.sealed, code) if row else None
    if row is None or step is None:
        return False
    unused = SecondFactor.objects.filter(user_id=user_id, sealed=row.sealed, last_step__lt=step)
    return unused.update(last_step=step) == 1


def remove(user_id: int) -> bool:
    """Whether the account had codes, which are none from then on."""
    return SecondFactor.objects.filter(user_id=user_id).exclude(sealed="").update(sealed="", pending="") == 1


def are_readable(row: SecondFactor) -> bool:
    """Whether the key in force decrypts the secret."""
    return _secret(row.sealed) is not None


def plain(code: str) -> str:
    """A code as people type it, without blanks and hyphens, in usual digits and small letters."""
    return _BETWEEN.sub("", normal_form("NFKC", code)).lower()


def _secret(sealed: str) -> str | None:
    try:
        secret = decrypt(sealed, key_in_force())
    except (Undecryptable, ConfigurationError):
        # Another key, or none: the recovery codes still work.
        return None
    known_secrets.guard_in_request(secret)
    return secret


def _step_of(sealed: str, code: str) -> int | None:
    """The newest of the steps around now whose code this is; None if it is of none, or the secret cannot be read."""
    secret = _secret(sealed)
    if secret is None:
        return None
    totp, now, given = pyotp.TOTP(secret), int(clock.now().timestamp()) // _STEP, plain(code).encode()
    around = range(now - _STEPS_AROUND, now + _STEPS_AROUND + 1)
    # All are compared, whichever it is.
    steps = [step for step in around if constant_time_compare(totp.generate_otp(step).encode(), given)]
    return max(steps, default=None)
