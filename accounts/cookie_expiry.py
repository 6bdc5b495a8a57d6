"""The end of the session that a cookie of the upstream names."""

import re
from datetime import UTC, datetime
from urllib.parse import unquote


def session_expiry(cookie: str) -> datetime | None:
    """Read the end of the session from `session=<id>|<expiry, epoch seconds>|<hash>`, None if it has none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None
