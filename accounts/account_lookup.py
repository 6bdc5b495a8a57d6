"""Finding the account that a command names."""

from django.core.exceptions import ValidationError

from accounts.models import User


def account_named(name: str) -> User:
    """The account, whatever the case and width of the name. Raises ValidationError."""
    user = User.objects.named(name)
    if user is None:
        raise ValidationError(f"There is no account {name}.")
    return user
