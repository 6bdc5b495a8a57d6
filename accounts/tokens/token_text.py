"""Texts of tokens; the store keeps only their hashes.

A token of an account is `ua_`, random letters and digits, and a checksum (docs/decisions/accounts.md#tokens). That of a
link opens a page once.
"""

import hashlib
import secrets
import string
import zlib

PREFIX = "ua_"
# As many letters and digits are 190 random bits.
_RANDOM = 32
_CHECK = 6
# What lists show of a token; 166 random bits stay unknown.
_SHOWN = len(PREFIX) + 4
LENGTH = len(PREFIX) + _RANDOM + _CHECK
_LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase


def new_link_token() -> str:
    return secrets.token_urlsafe(24)


def hash_of(token: str) -> str:
    """What the store keeps of a token. It is random and long, so a plain hash cannot be reversed."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def new_text() -> str:
    body = PREFIX + "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return body + _check_of(body)


def is_well_formed(text: str) -> bool:
    """Whether a text can be a token at all: a mistyped or shortened one cannot, and is not looked for in the store."""
    return (
        len(text) == LENGTH
        and text.startswith(PREFIX)
        and text.isascii()
        and text[len(PREFIX) :].isalnum()
        and _check_of(text[:-_CHECK]) == text[-_CHECK:]
    )


def beginning_of(text: str) -> str:
    return text[:_SHOWN]


def _check_of(body: str) -> str:
    """The CRC32 of the text before it, in base 62."""
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK):
        number, digit = divmod(number, len(_LETTERS))
        digits = _LETTERS[digit] + digits
    return digits
