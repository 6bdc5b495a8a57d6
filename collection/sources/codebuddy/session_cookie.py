"""What a cookie of CodeBuddy says of itself: `session=<id>|<expiry, epoch seconds>|<hash>`."""

import re
from datetime import UTC, datetime
from urllib.parse import unquote


def session_expiry(cookie: str) -> datetime | None:
    """Read the end of the session, None if the cookie names none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None
