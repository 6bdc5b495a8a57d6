"""A mail address alone, as in anna@example.org, which the mail server of the instance sends to."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

_SCHEME = "mailto:"
# As people write one with quotes, another alphabet or several receivers.
_MEANT = re.compile(r"mailto:(?!//).*|(?!.*://)[^/]*@[^/]*", re.IGNORECASE | re.DOTALL)
# Quotes may hold other addresses, and a number in place of the domain is a machine that the instance would be led to.
_ODD = re.compile(r"""["\[]""")


def mailbox_of(text: str) -> str | None:
    """The mail address as typed, also after `mailto:`; None where the text is none, or not exactly one."""
    mailbox = text[len(_SCHEME) :] if text[: len(_SCHEME)].lower() == _SCHEME else text
    if _ODD.search(mailbox):
        return None
    name, _, domain = mailbox.rpartition("@")
    try:
        validate_email(f"{_with_plain_letters(name)}@{_in_ascii(domain)}")
    # Also that a domain is none.
    except (ValidationError, UnicodeError):
        return None
    return mailbox


def as_sent(mailbox: str) -> str:
    """A mail address with its domain as mail servers look it up: münchen.example is xn--mnchen-3ya.example."""
    name, _, domain = mailbox.rpartition("@")
    return f"{name}@{_in_ascii(domain)}"


def _in_ascii(domain: str) -> str:
    if domain.isascii():
        return domain
    # Its tables take memory, and few domains need them.
    import idna

    return idna.encode(domain, uts46=True).decode()


def _with_plain_letters(name: str) -> str:
    """A name in which letters, marks and digits of any alphabet are plain ones, since the validator takes no others."""
    return "".join("a" if not c.isascii() and unicodedata.category(c)[0] in "LMN" else c for c in name)


def is_meant_as_mail(text: str) -> bool:
    """Whether a text is a mail address or was meant to be one: no other address has an @ and no scheme."""
    return bool(_MEANT.fullmatch(text))
