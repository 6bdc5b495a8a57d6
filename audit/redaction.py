"""Keeps secrets out of the log, audit details and run details (docs/decisions/audit.md#redaction)."""

import json
import logging
import re
from copy import copy
from datetime import UTC, datetime

from archive_site.lib.i18n import english
from archive_site.lib.stored_message import Message
from audit.known_secrets import MASK, masked

# Parameters of messages that hold a name: of an account, a file, or a setting. No cookie gets there, so they are never
# compared with known secrets: an account could store the name of another one as its cookie.
_NAMES = frozenset({"name", "names", "keys"})
# A value in quotes; it may contain blanks and escaped quotes.
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_PATTERNS = (
    # Headers contain blanks: without quotes the value is the rest of the line.
    re.compile(rf"(?i)((?:cookie|authorization)['\"]?\s*[:=]\s*)(?:{_QUOTED}|[^\r\n]+)"),
    re.compile(rf"(?i)((?:session(?:_2|_key|id)?|csrf|_device)\s*=\s*)(?:{_QUOTED}|[^\s;,'\"&]+)"),
    re.compile(rf"(?i)((?:password|passwd|secret|token)\d?['\"]?\s*[:=]\s*)(?:{_QUOTED}|[^\s;,'\"&]+)"),
    # Anyone with the link could create an account.
    re.compile(r"(/(?:first-run|invitation)/)[\w-]+"),
    # Personal tokens (accounts/tokens/token_text.py).
    re.compile(r"()\bua_[0-9A-Za-z]{38}(?![0-9A-Za-z])"),
    # Secrets of webhooks (accounts/delivery/signing.py).
    re.compile(r"()\bwhs_[0-9A-Za-z]{40}(?![0-9A-Za-z])"),
    # A password in a URL.
    re.compile(r"(://[^\s/:@]*:)[^\s/@]+(?=@)"),
    # Fernet tokens, as cookies are stored.
    re.compile(r"()gAAAAA[\w-]{40,}=*"),
)
# Loggers that write a line for requests of anybody, and how much of it is kept.
_ABOUT_REQUESTS = "django.security"
_READ, _KEPT = 2000, 400


def redacted(text: str) -> str:
    """The text with known secrets, and anything that looks like one, masked."""
    return _without_patterns(masked(text))


def redacted_name(text: str) -> str:
    """The text with anything that looks like a secret masked, but not with known secrets."""
    return _without_patterns(text)


def redacted_message(message: Message) -> Message | str:
    """The message without secrets; its English text if a secret shows only together with the template's words."""
    found = message.mapped(masked, besides=_NAMES).mapped(_without_patterns)
    text = english(found)
    shown = _without_patterns(text)
    return found if shown == text else shown


def _without_patterns(text: str) -> str:
    for pattern in _PATTERNS:
        text = pattern.sub(lambda found: found[1] + MASK, text)
    return text


def _printable(letter: str) -> str:
    return letter if " " <= letter <= "~" else letter.encode("unicode_escape").decode()


class RedactingFormatter(logging.Formatter):
    """Formats a log record, its traceback included, without secrets.

    What Django refuses is one short line without a traceback: anybody can send such requests, of any length.
    """

    def format(self, record: logging.LogRecord) -> str:
        if not record.name.startswith(_ABOUT_REQUESTS):
            return redacted(super().format(record))
        plain = copy(record)
        plain.exc_info = plain.exc_text = plain.stack_info = None
        text = redacted(super().format(plain)[:_READ])
        # A line break in a path cannot forge a line of the log.
        line = "".join(map(_printable, text))
        return line if len(line) <= _KEPT else f"{line[:_KEPT]}..."


class JsonFormatter(RedactingFormatter):
    """A log record as one line of JSON; secrets are masked before the text is escaped."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": super().format(record),
        }
        return json.dumps(line, ensure_ascii=False)
