"""Encryption of what is secret at rest, under the instance's key."""

import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from archive_site.lib.datafolder import read_instance_key


class Undecryptable(Exception):
    """The text was stored under another key."""


def _fernet() -> Fernet:
    # Read each time: it is 44 bytes, and a restore or an administrator may have put another one there.
    return Fernet(read_instance_key(settings.DATA_FOLDER))


def encrypt(plain: str) -> str:
    return _fernet().encrypt(plain.encode()).decode()


def decrypt(token: str) -> str:
    """The plain text. Raises Undecryptable when the key is another one, or the text is no such token."""
    try:
        return _fernet().decrypt(token.encode()).decode()
    except InvalidToken:
        raise Undecryptable from None


def key_fingerprint() -> str:
    """Sixteen hexadecimal digits that name the instance key without telling it."""
    return hashlib.sha256(b"instance key\0" + read_instance_key(settings.DATA_FOLDER).encode()).hexdigest()[:16]
