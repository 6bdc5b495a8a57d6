"""A prompt of which nothing is kept but the keyed hashes of its words, each once, in their own order.

Such a text begins with `MARK`, which no other stored text does. It is found by the hashes of words; it cannot be read,
also not the order of its words or how often one comes.
"""

import base64
import re
from collections.abc import Iterator
from hashlib import blake2b

from accounts.credentials.instance_key import key_in_force
from archive_site.lib.normal_form import normal_form

# A noncharacter: it is in no text that people exchange.
MARK = "\ufdd0"
# Texts of scripts that part no words: each two neighbours are a word, and one that stands alone.
_UNPARTED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_UNPARTED}\U00020000-\U0003ffff]+|[^\\W{_UNPARTED}\U00020000-\U0003ffff]+")
_BEGINS_UNPARTED = re.compile(f"[{_UNPARTED}\U00020000-\U0003ffff]")
# 65 bits, in 13 characters that the comparison of texts takes in one case only.
_BYTES, _LENGTH = 9, 13
# A search that asks for more words is for all of these.
MOST_OF_SEARCH = 64


def words_key(user_id: int) -> bytes:
    """The key of the hashes of an account, from that of the instance: equal words of two accounts have others, so that
    nobody tries words with an account of their own."""
    return blake2b(key_in_force().encode(), person=b"prompt words", salt=user_id.to_bytes(16, "big")).digest()


def hashed(text: str, key: bytes) -> str:
    """The hashes of the words of a text, `MARK` alone for one without words; empty for an empty one."""
    return f"{MARK}{' '.join(sorted({_hash(word, key) for word in _words(text)}))}" if text else ""


def needle(text: str, key: bytes) -> str:
    """What a search for the words of a text compares, in the form of stored ones; no stored text has `MARK` alone."""
    found = sorted({_hash(word, key) for word in _words(text)})
    return f"{MARK}{' '.join(found[:MOST_OF_SEARCH] or [MARK])}"


def is_hashed(text: str) -> bool:
    return text.startswith(MARK)


def readable(text: str) -> str:
    """A stored text as people see it: nothing of one that is hashed."""
    return "" if text.startswith(MARK) else text


def tokens_of(text: str) -> list[str]:
    """The hashes in a needle or a stored text."""
    return text.removeprefix(MARK).split()


def _words(text: str) -> Iterator[str]:
    for run in _WORD.findall(normal_form("NFKC", text).casefold()):
        if len(run) > 1 and _BEGINS_UNPARTED.match(run):
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        else:
            yield run


def _hash(word: str, key: bytes) -> str:
    digest = blake2b(word.encode(), key=key, digest_size=_BYTES).digest()
    return base64.b32encode(digest)[:_LENGTH].decode().lower()
