"""Creating accounts: the rules for names and passwords, shared by pages, API and commands (docs/api.md#user)."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from accounts.models import EMAIL_LENGTH, NAME_LENGTH, User, username_key
from accounts.passwords import password_warnings
from accounts.passwords.lookalikes import likeness, looks_like_automatic_actor, scripts
from archive_site.lib.environment import PASSWORD_MOST
from archive_site.lib.normal_form import normal_form
from archive_site.lib.storage.transaction_locks import lock_accounts

# Letters that only fill a place: they show nothing.
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5")
# Joiners belong inside words and emoji.
_JOINERS = "\u200c\u200d"
# Unicode categories of characters that turn the direction of a text, break its line, or show nothing.
_UNFIT_TO_SHOW = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class NameTaken(ValidationError):
    """Another account has the user name, or one that looks like it."""


def clean_username(text: str) -> str:
    """The name in its normal form: 2 to 32 letters and digits of any script, `_ . -`, first a letter or digit.

    All letters are of one alphabet: a Cyrillic letter among Latin ones is easily overlooked. Names of automatic actors
    are refused. Raises ValidationError.
    """
    name = normal_form("NFKC", text.strip())
    if not 2 <= len(name) <= 32:
        raise ValidationError(gettext("A user name has 2 to 32 characters."))
    if not re.fullmatch(r"[^\W_](?:[\w.-])*", name) or _INVISIBLE & set(name):
        raise ValidationError(
            gettext("A user name has letters, digits, '_', '.' and '-' only, and begins with a letter or digit.")
        )
    if len(scripts(name)) > 1:
        raise ValidationError(gettext("A user name can have letters and digits of one alphabet only."))
    if looks_like_automatic_actor(name):
        raise ValidationError(gettext("This user name is reserved: the audit log uses it for automatic actions."))
    return name


def clean_password(password: str, repeated: str, username: str = "") -> str:
    """The password, if it meets the policy: 8 to 128 characters of at least two classes. Raises ValidationError.

    A strict instance requires more (docs/decisions/accounts.md#weak-passwords).
    """
    if not password:
        raise ValidationError(gettext("A password is required."))
    if password != repeated:
        raise ValidationError(gettext("The two passwords differ."))
    least = password_warnings.least_length()
    if not least <= len(password) <= PASSWORD_MOST:
        bounds = {"least": least, "most": PASSWORD_MOST}
        raise ValidationError(gettext("A password has %(least)s to %(most)s characters.") % bounds)
    if any(0xD800 <= ord(character) < 0xE000 for character in password):
        raise ValidationError(gettext("A password cannot contain incomplete characters (lone surrogates)."))
    if any(unicodedata.category(character) == "Cc" for character in password):
        raise ValidationError(gettext("A password cannot contain control characters."))
    if len({_character_class(character) for character in password}) < 2:
        raise ValidationError(
            gettext("A password needs two of: lower case letters, upper case letters, digits, other characters.")
        )
    password_warnings.refuse_weak(password, username)
    return password


def clean_display_name(text: str, username: str) -> str:
    """The name shown, trimmed and cut; the user name if nothing of it is visible. Raises ValidationError."""
    name = text.strip()[:NAME_LENGTH].rstrip()
    if any(unicodedata.category(character) in _UNFIT_TO_SHOW for character in name if character not in _JOINERS):
        raise ValidationError(gettext("The name shown cannot contain control characters."))
    return name if set(name) - _INVISIBLE - {" ", *_JOINERS} else username


def clean_email(text: str) -> str | None:
    """The address, trimmed and cut; None if empty. Raises ValidationError if it is no email address."""
    email = text.strip()[:EMAIL_LENGTH]
    if email and ("@" not in email or not email.isprintable() or any(character.isspace() for character in email)):
        raise ValidationError(gettext("An email address must contain '@' and no spaces."))
    return email or None


def create_account(
    username: str,
    password: str | None,
    repeated: str | None,
    *,
    display_name: str = "",
    email: str = "",
    is_admin: bool = False,
    register_ip: str | None = None,
) -> User:
    """Create an active account; one without a password signs in elsewhere.

    Raises ValidationError for invalid values, and NameTaken for a name that is taken or looks like another.
    """
    lock_accounts()
    name = clean_username(username)
    user = User(
        username=name,
        display_name=clean_display_name(display_name, name),
        email=clean_email(email),
        is_admin=is_admin,
        register_ip=register_ip,
    )
    user.set_password(None if password is None else clean_password(password, repeated or "", name))
    try:
        with transaction.atomic():
            require_unlike_others(user.username)
            user.save(force_insert=True)
    except IntegrityError:
        raise NameTaken(gettext("This user name is taken.")) from None
    return user


def require_unlike_others(name: str) -> None:
    """Raises NameTaken if the name looks like that of another account."""
    looks = likeness(name)
    others = User.objects.exclude(username_key=username_key(name)).values_list("username", flat=True)
    if any(likeness(other) == looks for other in others.iterator()):
        raise NameTaken(gettext("This user name looks like that of another account."))


def _character_class(character: str) -> str:
    if character.isdigit():
        return "digit"
    if character.isupper():
        return "upper"
    # A letter of a script without case counts as lower.
    return "lower" if character.isalpha() else "other"
