"""Tokens of links that open a page once; the store keeps only their hashes."""

import hashlib
import secrets


def new_token() -> str:
    return secrets.token_urlsafe(24)


def hash_of(token: str) -> str:
    """What the store keeps of a token. It is random and long, so a plain hash cannot be reversed."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
