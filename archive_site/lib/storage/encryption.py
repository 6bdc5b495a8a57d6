"""Encryption of what is secret at rest, under the instance's key."""

import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.apps import apps
from django.conf import settings

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage.data_folder import read_fernet_key, read_instance_key


class Undecryptable(Exception):
    """The text was stored under another key."""


def _fernet() -> Fernet:
    return Fernet(key_in_force())


def encrypt(plain: str) -> str:
    return _fernet().encrypt(plain.encode()).decode()


def decrypt(token: str) -> str:
    """The plain text. Raises Undecryptable when the key is another one, or the text is no such token."""
    try:
        return _fernet().decrypt(token.encode()).decode()
    except InvalidToken:
        raise Undecryptable from None


def key_in_force() -> str:
    """The instance key: the one that a restore has laid beside it, where the store names that one (design 7).

    Read each time: it is 44 bytes, and a restore or an administrator may have put another one there.
    """
    staged = staged_key()
    if staged and fingerprint_of(staged) == _named_by_store():
        return staged
    return read_instance_key(settings.DATA_FOLDER)


def staged_key() -> str | None:
    """The key that a restore has laid beside the instance's; None where there is none, or it was just put in place."""
    path = settings.DATA_FOLDER.staged_key
    if not path.exists():
        return None
    try:
        return read_fernet_key(path)
    except ConfigurationError:
        return None


def key_fingerprint() -> str:
    """The fingerprint of the key in force."""
    return fingerprint_of(key_in_force())


def fingerprint_of(key: str) -> str:
    """Sixteen hexadecimal digits that name a key without telling it."""
    return hashlib.sha256(b"instance key\0" + key.encode()).hexdigest()[:16]


def _named_by_store() -> str | None:
    # By its name: the library imports no app.
    names = apps.get_model("accounts.Store").objects.values_list("key_fingerprint", flat=True)
    return names.first()
