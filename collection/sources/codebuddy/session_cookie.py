"""What a cookie of CodeBuddy says of itself: `session=<id>|<expiry, epoch seconds>|<hash>`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import unquote

_PAIRS = re.compile(r"[^\s=;]+=[^\s;]*(?:;\s*[^\s=;]+=[^\s;]*)*;?\s*")


def session_expiry(cookie: str) -> datetime | None:
    """Read the end of the session, None if the cookie names none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None


def secret_parts(text: str) -> Iterator[str]:
    """What may be a secret in a text that may be a cookie: its values, and the whole of it without its blanks."""
    for name, sign, value in (pair.strip().partition("=") for pair in text.split(";")):
        yield (value if sign else name).strip('" ')
    if _PAIRS.fullmatch(text):
        yield "".join(text.split())
