"""Making accounts: the rules of names and passwords, one for pages, API and commands (specification 4.5, 5.9)."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.models import EMAIL_LENGTH, NAME_LENGTH, User

PASSWORD_LEAST, PASSWORD_MOST = 8, 128


def clean_username(text: str) -> str:
    """The name in its normal form: 2 to 32 letters and digits of any script, `_ . -`, first a letter or digit.

    Raises ValidationError.
    """
    name = unicodedata.normalize("NFKC", text.strip())
    if not 2 <= len(name) <= 32:
        raise ValidationError("A user name has 2 to 32 characters.")
    if not re.fullmatch(r"[^\W_](?:[\w.-])*", name):
        raise ValidationError(
            "A user name has letters, digits, '_', '.' and '-' only, and begins with a letter or digit."
        )
    return name


def clean_password(password: str, repeated: str) -> str:
    """The password, once it meets the policy: 8 to 128 characters of at least two classes. Raises ValidationError."""
    if not password:
        raise ValidationError("A password is needed.")
    if password != repeated:
        raise ValidationError("The two passwords differ.")
    if not PASSWORD_LEAST <= len(password) <= PASSWORD_MOST:
        raise ValidationError(f"A password has {PASSWORD_LEAST} to {PASSWORD_MOST} characters.")
    if len({_character_class(character) for character in password}) < 2:
        raise ValidationError(
            "A password needs two of: lower case letters, upper case letters, digits, other characters."
        )
    return password


def clean_email(text: str) -> str | None:
    """The address trimmed and cut; None where empty. Raises ValidationError where it cannot be one."""
    email = text.strip()[:EMAIL_LENGTH]
    if email and ("@" not in email or any(character.isspace() for character in email)):
        raise ValidationError("An email address has an '@' and no space.")
    return email or None


def create_account(
    username: str,
    password: str,
    repeated: str,
    *,
    display_name: str = "",
    email: str = "",
    is_admin: bool = False,
    register_ip: str | None = None,
) -> User:
    """A new active account. Raises ValidationError for a name, password or email that will not do, or a name taken."""
    name = clean_username(username)
    user = User(
        username=name,
        display_name=display_name.strip()[:NAME_LENGTH] or name,
        email=clean_email(email),
        is_admin=is_admin,
        register_ip=register_ip,
    )
    user.set_password(clean_password(password, repeated))
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        raise ValidationError("This user name is taken.") from None
    return user


def _character_class(character: str) -> str:
    if character.isdigit():
        return "digit"
    if character.isupper():
        return "upper"
    # A letter of a script without case counts as lower.
    return "lower" if character.isalpha() else "other"
