"""Sentences in two languages: the reader's in answers, English in stored texts."""

import operator
from collections.abc import Iterable

from django.utils import translation
from django.utils.functional import Promise, lazy

Words = str | Promise
_put_in = lazy(operator.mod, str)


def filled(words: Words, /, **values: object) -> Promise:
    """Lazy words with their `%(name)s` filled in. The result is lazy, too: it takes the language of its reader."""
    # Django's `%` evaluates lazy words at once, in the current language.
    filled_words: Promise = _put_in(words, values)
    return filled_words


def gap() -> str:
    """What stands between two sentences in the language of the reader."""
    return "" if (translation.get_language() or "").startswith("zh") else " "


def sentences(texts: Iterable[object]) -> str:
    """Sentences one after the other."""
    return gap().join(map(str, texts))


def english(words: object) -> str:
    """The words in English with plain numbers, for the log, the audit log and the store: no language is in force."""
    with translation.override(None):
        return str(words)
