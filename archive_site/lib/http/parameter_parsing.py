"""Parsing of query parameters and body values: docs/api.md#conventions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isinf

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError

_WHOLE_NUMBER = re.compile(r"([+-]?)([0-9]+)\Z")
# More digits than any bound has, and few enough for int().
_MANY_DIGITS = 18
TRUE_WORDS = frozenset({"1", "true", "on"})
FALSE_WORDS = frozenset({"0", "false", "off"})
# Digits that fit into the numbers of a database, in millionths.
_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,18})?")
_COUNT = re.compile(r"[0-9]{1,12}")
_HOUR = re.compile(r"[01]?[0-9]|2[0-3]")


@dataclass(frozen=True)
class Days:
    """A range of days, both ends included; None is no bound."""

    first: date | None = None
    last: date | None = None

    def may_hold(self, day: date) -> bool:
        """Whether no bound excludes the day."""
        return (self.first or day) <= day <= (self.last or day)


@dataclass(frozen=True)
class Paging:
    page: int
    size: int

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.size

    def payload(self, total: int) -> dict[str, int]:
        return {"total": total, "page": self.page, "size": self.size, "pages": max(1, -(-total // self.size))}


def given_text(values: Mapping[str, object], name: str) -> str:
    """The text under `name`; empty if missing.

    Raises ValidationError for what no form sends: a list, an object, and a number that is too large for a double.
    """
    value = values.get(name)
    if isinstance(value, dict | list) or (isinstance(value, float) and isinf(value)):
        raise ValidationError(gettext("'%(name)s' must be a text, a number or a boolean.") % {"name": name})
    return as_text(value)


def day(values: Mapping[str, object], name: str) -> date | None:
    """The day under `name`; None if missing or empty. Raises ApiError 400 that names the parameter."""
    text = as_text(values.get(name)).strip()
    if not text:
        return None
    found = clock.parse_day(text)
    if found is None:
        raise ApiError(400, "bad_request", gettext("'%(name)s' is not a date (YYYY-MM-DD).") % {"name": name})
    return found


def clamped(values: Mapping[str, object], name: str, default: int, most: int, least: int = 1) -> int:
    """A whole number clamped to its range; the default if it is missing or not a whole number."""
    found = _WHOLE_NUMBER.match(as_text(values.get(name)).strip())
    if not found:
        return default
    sign, digits = found[1], found[2].lstrip("0") or "0"
    if len(digits) > _MANY_DIGITS:
        return least if sign == "-" else most
    return max(least, min(most, int(sign + digits)))


def switch(values: Mapping[str, object], name: str) -> bool | None:
    """The answer to a yes-or-no parameter; None if missing or empty. Raises ApiError 400 that names the parameter."""
    text = as_text(values.get(name)).strip().lower()
    if text and text not in TRUE_WORDS | FALSE_WORDS:
        raise ApiError(400, "bad_request", gettext("'%(name)s' can only be 1 or 0.") % {"name": name})
    return text in TRUE_WORDS if text else None


def flag(values: Mapping[str, object], name: str) -> bool:
    """Whether a parameter is one of the words for yes."""
    return truth(values.get(name))


def short_text(values: Mapping[str, object], name: str, most: int) -> str:
    """A text without NUL. Raises ApiError 400 for one of more characters, and ValidationError."""
    found = given_text(values, name)
    if len(found) > most:
        message = gettext("'%(name)s' may have at most %(most)s characters.")
        raise ApiError(400, "bad_request", message % {"name": name, "most": most})
    return without_nul(found)


def without_nul(text: str) -> str:
    """A text with U+FFFD in place of NUL, as records store it: databases cut a text at NUL or refuse it."""
    return text.replace("\0", "\ufffd")


def amount(values: Mapping[str, object], name: str) -> Decimal | None:
    """A decimal number from 0 on; None if missing or empty. Raises ApiError 400 that names the parameter."""
    text = as_text(values.get(name)).strip()
    if text and not _AMOUNT.fullmatch(text):
        raise ApiError(400, "bad_request", gettext("'%(name)s' is not a number from 0 on.") % {"name": name})
    return Decimal(text) if text else None


def count(values: Mapping[str, object], name: str) -> int | None:
    """A whole number from 0 on; None if missing or empty. Raises ApiError 400 that names the parameter."""
    text = as_text(values.get(name)).strip()
    if text and not _COUNT.fullmatch(text):
        raise ApiError(400, "bad_request", gettext("'%(name)s' is not a whole number from 0 on.") % {"name": name})
    return int(text) if text else None


def hour(values: Mapping[str, object], name: str) -> int | None:
    """An hour of the day, 0 to 23; None if missing or empty. Raises ApiError 400 that names the parameter."""
    text = as_text(values.get(name)).strip()
    if text and not _HOUR.fullmatch(text):
        raise ApiError(400, "bad_request", gettext("'%(name)s' is not an hour from 0 to 23.") % {"name": name})
    return int(text) if text else None


def whole_number(text: str) -> int:
    """An id from a path; 0, which no row has, if the text is not a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def truth(value: object, words: frozenset[str] = TRUE_WORDS) -> bool:
    """Whether a value is one of the words for yes; JSON `true` and `1` count as texts."""
    return as_text(value).strip().lower() in words


def as_text(value: object) -> str:
    """A JSON value as the text that a form would send; None is the empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
