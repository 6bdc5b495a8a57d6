"""The end of the session that a cookie of the upstream names."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

# How long before the end of a session pages say so; status_banner.js has the same number of days.
SOON = timedelta(days=2)


def session_expiry(cookie: str) -> datetime | None:
    """Read the end of the session from `session=<id>|<expiry, epoch seconds>|<hash>`, None if it has none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None
