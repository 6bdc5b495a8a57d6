"""Encryption of what is secret at rest, under a key that the caller hands over."""

import hashlib

from cryptography.fernet import Fernet, InvalidToken


class Undecryptable(Exception):
    """The text was encrypted under another key."""


def encrypt(plain: str, key: str) -> str:
    return Fernet(key).encrypt(plain.encode()).decode()


def decrypt(token: str, key: str) -> str:
    """The plain text. Raises Undecryptable when the key is another one, or the text is no such token."""
    try:
        return Fernet(key).decrypt(token.encode()).decode()
    except InvalidToken:
        raise Undecryptable from None


def fingerprint_of(key: str) -> str:
    """Sixteen hexadecimal digits that name a key and do not reveal it."""
    return hashlib.sha256(b"instance key\0" + key.encode()).hexdigest()[:16]
