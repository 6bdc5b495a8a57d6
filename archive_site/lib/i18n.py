"""Sentences that are told twice: in the reader's language where they are answered, in English where they are kept."""

import operator

from django.utils import translation
from django.utils.functional import Promise, lazy

Words = str | Promise
_put_in = lazy(operator.mod, str)


def filled(words: Words, /, **values: object) -> Promise:
    """Lazy words with their `%(name)s` filled in, lazy as well: their language is that of whoever writes them out."""
    # Django's own `%` would settle the language at once.
    filled_words: Promise = _put_in(words, values)
    return filled_words


def english(words: object) -> str:
    """The words as they are kept: in the log, the audit and the store."""
    with translation.override("en"):
        return str(words)
