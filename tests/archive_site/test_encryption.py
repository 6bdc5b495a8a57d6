"""Encryption with a key from the caller."""

import pytest
from cryptography.fernet import Fernet

from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt, fingerprint_of

KEY, OTHER = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def test_the_same_key_decrypts() -> None:
    assert decrypt(encrypt("marker", KEY), KEY) == "marker"


def test_another_key_does_not_decrypt() -> None:
    with pytest.raises(Undecryptable):
        decrypt(encrypt("marker", KEY), OTHER)


def test_what_is_no_token_is_not_decrypted() -> None:
    with pytest.raises(Undecryptable):
        decrypt("no token", KEY)


def test_a_fingerprint_names_one_key_and_shows_nothing_of_it() -> None:
    assert fingerprint_of(KEY) == fingerprint_of(KEY) != fingerprint_of(OTHER)
    assert fingerprint_of(KEY) not in KEY
