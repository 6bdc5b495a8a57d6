"""Credentials that this process must not write: the stored ones, and one that a request tests.

Only what may be a secret is masked. Otherwise an account could store a common word as its credential and so remove that
word from the log (docs/decisions/audit.md#redaction).
"""

from collections.abc import Callable, Iterable
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
# The stored credential of an archive, and earlier ones that a run may still use.
_MOST_CREDENTIALS = 3

_takers_apart: set[Callable[[str], Iterable[str]]] = set()
_of_accounts: dict[int, dict[str, tuple[str, ...]]] = {}
_longest_first: tuple[str, ...] = ()
_changing = Lock()
_of_request: ContextVar[tuple[str, ...]] = ContextVar("secrets of this request", default=())


def guard(secret: str, *, account: int) -> None:
    """Mask the stored credential of an account wherever this process writes it."""
    global _longest_first
    kept = _of_accounts.get(account, {})
    if next(reversed(kept), None) == secret:
        return
    with _changing:
        others = [(old, secrets) for old, secrets in _of_accounts.get(account, {}).items() if old != secret]
        _of_accounts[account] = dict([*others, (secret, secrets_in(secret))][-_MOST_CREDENTIALS:])
        guarded = chain.from_iterable(chain.from_iterable(each.values()) for each in _of_accounts.values())
        _longest_first = _sorted(set(guarded))


def guard_in_request(text: str) -> None:
    """Mask a secret in what this request writes and answers, until it ends."""
    _of_request.set((*_of_request.get(), *secrets_in(text)))


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


def declare(parts: Callable[[str], Iterable[str]]) -> None:
    """Make known how the credentials of a kind are taken apart, at the start of a process."""
    _takers_apart.add(parts)


def secrets_in(text: str) -> tuple[str, ...]:
    """The text with its parts that may be secrets, whatever kind of credential it is; nothing if there are none."""
    parts = {text, *chain.from_iterable(take_apart(text) for take_apart in _takers_apart)}
    found = _sorted(set(filter(_may_be_secret, parts)))
    return (text, *[part for part in found if part in text][:_MOST_VALUES]) if found else ()


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
