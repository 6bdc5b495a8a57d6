"""Encryption of stored secrets, with a key from the caller."""

import hashlib

from cryptography.fernet import Fernet, InvalidToken


class Undecryptable(Exception):
    """The text was encrypted under another key."""


def encrypt(plain: str, key: str) -> str:
    return Fernet(key).encrypt(plain.encode()).decode()


def decrypt(token: str, key: str) -> str:
    """The plain text. Raises Undecryptable if the key is another one or the text is not a token."""
    try:
        return Fernet(key).decrypt(token.encode()).decode()
    except InvalidToken:
        raise Undecryptable from None


def fingerprint_of(key: str) -> str:
    """Sixteen hexadecimal digits that identify a key without revealing it."""
    return hashlib.sha256(b"instance key\0" + key.encode()).hexdigest()[:16]
