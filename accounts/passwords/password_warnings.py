"""Passwords that are easy to guess: a warning, or a refusal (docs/decisions/accounts.md#weak-passwords)."""

from functools import cache

from django.conf import settings
from django.contrib.auth.password_validation import CommonPasswordValidator, UserAttributeSimilarityValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from msgspec import UNSET, UnsetType

from accounts.models import User, username_key
from archive_site.lib.environment import PASSWORD_LEAST

# Shorter names are in many good passwords by chance.
_NAME_LEAST = 3


def least_length() -> int:
    """The least length of a password: the policy's, or a greater one that the instance requires."""
    return max(PASSWORD_LEAST, settings.PASSWORD_STRICT)


def warning(password: str, username: str) -> str:
    """Why the password is easy to guess; empty if no reason is known."""
    if _is_common(password):
        return gettext("This password is on a list of common ones, so it is easy to guess.")
    if _holds_name(password, username):
        return gettext("This password holds the user name or is like it, so it is easy to guess.")
    return ""


def as_field(password: str, username: str) -> str | UnsetType:
    """The field `warning` of an answer; no field without a warning."""
    return warning(password, username) or UNSET


def refuse_weak(password: str, username: str) -> None:
    """Raises ValidationError for a password with a warning, if the instance is strict."""
    words = warning(password, username) if settings.PASSWORD_STRICT else ""
    if words:
        raise ValidationError(words)


@cache
def _common() -> CommonPasswordValidator:
    return CommonPasswordValidator()


def _is_common(password: str) -> bool:
    try:
        _common().validate(password)
    except ValidationError:
        return True
    return False


def _holds_name(password: str, username: str) -> bool:
    name = username_key(username)
    if len(name) < _NAME_LEAST:
        return False
    try:
        UserAttributeSimilarityValidator(["username"]).validate(username_key(password), User(username=name))
    except ValidationError:
        return True
    return name in username_key(password)
