"""Finding the account that a command names."""

from django.core.exceptions import ValidationError

from accounts.models import User


def account_named(name: str) -> User:
    """The account of that name, in any case and width. Raises ValidationError."""
    # Bytes of the command line that are no text become lone surrogates, which the store cannot compare.
    user = User.objects.named(name.encode(errors="replace").decode())
    if user is None:
        raise ValidationError(f"There is no account {name}.")
    return user
