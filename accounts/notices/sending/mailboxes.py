"""A mail address alone, as in anna@example.org, which the mail server of the instance sends to."""

from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

_SCHEME = "mailto:"


def mailbox_of(text: str) -> str | None:
    """The mail address, also after `mailto:`; None where the text is none."""
    mailbox = text[len(_SCHEME) :] if text[: len(_SCHEME)].lower() == _SCHEME else text
    try:
        validate_email(mailbox)
    except ValidationError:
        return None
    return mailbox


def address_to(mailbox: str) -> str | None:
    """The address by which the library sends to a mailbox; None where the instance has no mail server."""
    if not settings.NOTIFY_MAIL:
        return None
    return f"{settings.NOTIFY_MAIL}{'&' if '?' in settings.NOTIFY_MAIL else '?'}to={quote(mailbox, safe='')}"
