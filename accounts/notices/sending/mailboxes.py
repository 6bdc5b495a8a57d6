"""A mail address alone, as in anna@example.org, which the mail server of the instance sends to."""

import re

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

_SCHEME = "mailto:"
# As people write one with quotes, another alphabet or several receivers.
_MEANT = re.compile(r"mailto:(?!//).*|(?!.*://)[^/]*@[^/]*", re.IGNORECASE | re.DOTALL)
# Quotes may hold other addresses, and a number in place of the domain is a machine that the instance would be led to.
_ODD = re.compile(r"""["\[]|[^\x00-\x7f]""")


def mailbox_of(text: str) -> str | None:
    """The mail address, also after `mailto:`; None where the text is none, or not exactly one in ASCII."""
    mailbox = text[len(_SCHEME) :] if text[: len(_SCHEME)].lower() == _SCHEME else text
    if _ODD.search(mailbox):
        return None
    try:
        validate_email(mailbox)
    except ValidationError:
        return None
    return mailbox


def is_meant_as_mail(text: str) -> bool:
    """Whether a text is a mail address or was meant to be one: no other address has an @ and no scheme."""
    return bool(_MEANT.fullmatch(text))
