"""The shapes of answers, as far as a verb reads them: an answer of another version may have another."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from decimal import Decimal

Form = Callable[[object], bool]
# No number of an archive has more digits before or after its point.
_MOST_DIGITS = 30


def text(value: object) -> bool:
    return isinstance(value, str)


def timestamp(value: object) -> bool:
    """A text that begins with a day."""
    with suppress(ValueError):
        return isinstance(value, str) and bool(date.fromisoformat(value[:10]))
    return False


def switch(value: object) -> bool:
    return isinstance(value, bool)


def whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def number(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value.adjusted()) <= _MOST_DIGITS
    return whole(value)


def nullable(form: Form) -> Form:
    return lambda value: value is None or form(value)


def list_of(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(map(form, value))


def map_of(form: Form) -> Form:
    """An object with any names."""
    return lambda value: isinstance(value, dict) and all(map(form, value.values()))


def object_of(fields: Mapping[str, Form]) -> Form:
    """An object with these fields, and any others; a name that ends with `?` is that of a field that may be absent."""

    def holds(value: object) -> bool:
        return isinstance(value, dict) and all(
            form(value[name.rstrip("?")]) if name.rstrip("?") in value else name.endswith("?")
            for name, form in fields.items()
        )

    return holds
