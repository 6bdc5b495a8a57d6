"""Recovery codes: each stands in once for a code or a passkey that is lost."""

import hashlib
import secrets

from django.db import transaction

from accounts.models import RecoveryCode
from accounts.second_factor.codes import plain

COUNT = 10
# Without characters that are easily confused. Sixteen of them are 79 random bits, so a hash without a key is enough: it
# has to be read when the instance key is lost.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_LENGTH, _GROUP = 16, 4


def renew(user_id: int) -> list[str]:
    """New codes instead of all others; they are stored nowhere but as hashes."""
    texts = ["".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)) for _ in range(COUNT)]
    with transaction.atomic():
        RecoveryCode.objects.filter(user_id=user_id).delete()
        RecoveryCode.objects.bulk_create(RecoveryCode(user_id=user_id, code_hash=_hash(user_id, one)) for one in texts)
    return ["-".join(one[place : place + _GROUP] for place in range(0, _LENGTH, _GROUP)) for one in texts]


def use(user_id: int, text: str) -> bool:
    """Whether this is one of the account's codes, which is none from then on."""
    deleted, _ = RecoveryCode.objects.filter(user_id=user_id, code_hash=_hash(user_id, plain(text))).delete()
    return deleted == 1


def left(user_id: int) -> int:
    return RecoveryCode.objects.filter(user_id=user_id).count()


def remove(user_id: int) -> None:
    RecoveryCode.objects.filter(user_id=user_id).delete()


def _hash(user_id: int, code: str) -> str:
    return hashlib.sha256(f"{user_id}:{code}".encode(errors="replace")).hexdigest()
