"""Source cookies that this process must not write: the stored ones, and one that a request tests.

Only what may be a secret is masked. Otherwise an account could store a common word as its cookie and so remove that
word from the log (docs/decisions/audit.md#redaction).
"""

import re
from collections.abc import Callable
from contextvars import ContextVar
from itertools import chain, pairwise
from threading import Lock

from django.http import HttpRequest, HttpResponse

MASK = "[removed]"
_SHORTEST = 12
# Words and dates change rarely between lower case, upper case and digits; random texts do at every second character.
_LEAST_CHANGES, _LEAST_CHANGES_OF_LETTERS = 4, 6
_LONG_WORD, _LONG_NUMBER = 24, 16
_LEAST_CHARACTERS = 8
_MOST_VALUES = 32
# The stored cookie of an account, and earlier ones that a run may still use.
_MOST_COOKIES = 3
_PAIRS = re.compile(r"[^\s=;]+=[^\s;]*(?:;\s*[^\s=;]+=[^\s;]*)*;?\s*")

_of_accounts: dict[int, dict[str, tuple[str, ...]]] = {}
_longest_first: tuple[str, ...] = ()
_changing = Lock()
_of_request: ContextVar[tuple[str, ...]] = ContextVar("secrets of this request", default=())


def guard(cookie: str, *, account: int) -> None:
    """Mask the stored cookie of an account wherever this process writes it."""
    global _longest_first
    kept = _of_accounts.get(account, {})
    if next(reversed(kept), None) == cookie:
        return
    with _changing:
        others = [(old, secrets) for old, secrets in _of_accounts.get(account, {}).items() if old != cookie]
        _of_accounts[account] = dict([*others, (cookie, secrets_in(cookie))][-_MOST_COOKIES:])
        guarded = chain.from_iterable(chain.from_iterable(each.values()) for each in _of_accounts.values())
        _longest_first = _sorted(set(guarded))


def guard_in_request(cookie: str) -> None:
    """Mask a cookie in what this request writes and answers, until it ends."""
    _of_request.set((*_of_request.get(), *secrets_in(cookie)))


def forget_after_request(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: ends `guard_in_request`. The outermost one, so that the log of a failure is masked too."""

    def answer(request: HttpRequest) -> HttpResponse:
        before = _of_request.set(())
        try:
            return get_response(request)
        finally:
            _of_request.reset(before)

    return answer


def masked(text: str) -> str:
    """The text without known secrets."""
    tested = _of_request.get()
    # The longest first: one secret may be the beginning of another.
    for secret in _sorted({*_longest_first, *tested}) if tested else _longest_first:
        text = text.replace(secret, MASK)
    return text


def secrets_in(cookie: str) -> tuple[str, ...]:
    """What may be a secret in a cookie: its values, and the whole of it."""
    pairs = [pair.strip().partition("=") for pair in cookie.split(";")]
    values = {(value if sign else name).strip('" ') for name, sign, value in pairs}
    found = _sorted(set(filter(_may_be_secret, values)))[:_MOST_VALUES]
    if found or (_PAIRS.fullmatch(cookie) and _may_be_secret("".join(cookie.split()))):
        return (cookie, *found)
    return ()


def _may_be_secret(text: str) -> bool:
    if len(text) < _SHORTEST or len(set(text)) < _LEAST_CHARACTERS or any(letter.isspace() for letter in text):
        return False
    # Words are shorter, and times have fewer digits.
    if text.isalnum() and len(text) >= (_LONG_NUMBER if text.isdecimal() else _LONG_WORD):
        return True
    kinds = [(letter.isdigit(), letter.isupper()) for letter in text if letter.isalnum()]
    has_digit = any(is_digit for is_digit, _ in kinds)
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes >= (_LEAST_CHANGES if has_digit else _LEAST_CHANGES_OF_LETTERS)


def _sorted(secrets: set[str]) -> tuple[str, ...]:
    return tuple(sorted(secrets, key=len, reverse=True))
