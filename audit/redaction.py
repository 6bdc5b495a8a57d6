"""Keeps secrets out of the log, audit details and run details (docs/decisions.md#redaction)."""

import logging
import re
from collections import OrderedDict

from archive_site.lib.i18n import english
from archive_site.lib.stored_message import Message

MASK = "[removed]"
_KEPT = 1000
_known: OrderedDict[str, None] = OrderedDict()
# A value in quotes; it may contain blanks and escaped quotes.
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_PATTERNS = (
    # Headers contain blanks: without quotes the value is the rest of the line.
    re.compile(rf"(?i)((?:cookie|authorization)['\"]?\s*[:=]\s*)(?:{_QUOTED}|[^\r\n]+)"),
    re.compile(rf"(?i)((?:session(?:_2|_key|id)?|csrf|_device)\s*=\s*)(?:{_QUOTED}|[^\s;,'\"&]+)"),
    re.compile(rf"(?i)((?:password|passwd|secret|token)\d?['\"]?\s*[:=]\s*)(?:{_QUOTED}|[^\s;,'\"&]+)"),
    # Anyone with the link could create the first administrator.
    re.compile(r"(/first-run/)[\w-]+"),
    # A password in a URL.
    re.compile(r"(://[^\s/:@]*:)[^\s/@]+(?=@)"),
    # Fernet tokens, as cookies are stored.
    re.compile(r"()gAAAAA[\w-]{40,}=*"),
)


def guard(secret: str) -> None:
    """Mask this text from now on wherever this process writes it."""
    if len(secret) >= 8:
        _known[secret] = None
        _known.move_to_end(secret)
        while len(_known) > _KEPT:
            _known.popitem(last=False)


def redacted(text: str) -> str:
    """The text with known secrets, and anything that looks like one, masked."""
    # The longest first: one secret may be the beginning of another.
    for secret in sorted(_known.copy(), key=len, reverse=True):
        text = text.replace(secret, MASK)
    for pattern in _PATTERNS:
        text = pattern.sub(lambda found: found[1] + MASK, text)
    return text


def redacted_message(message: Message) -> Message | str:
    """The message without secrets; its English text if a secret shows only together with the template's words."""
    found = message.mapped(redacted)
    text = english(found)
    return found if redacted(text) == text else redacted(text)


class RedactingFormatter(logging.Formatter):
    """Formats a log record, its traceback included, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))
