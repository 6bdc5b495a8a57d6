"""What a cookie of CodeBuddy says of itself: `session=<id>|<expiry, epoch seconds>|<hash>`."""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from urllib.parse import unquote

_SUBJECT = re.compile(r"[!-~]{1,64}")
_PAIRS = re.compile(r"[^\s=;]+=[^\s;]*(?:;\s*[^\s=;]+=[^\s;]*)*;?\s*")


def session_expiry(cookie: str) -> datetime | None:
    """Read the end of the session, None if the cookie names none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None


def account_of(cookie: str) -> str:
    """The account that the cookie's identity token names; empty where there is none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        if name.strip() == "KEYCLOAK_IDENTITY":
            return subject_of(unquote(value.strip().strip('"')))
    return ""


def subject_of(token: str) -> str:
    """The `sub` of a JSON web token, whose signature nobody needs to check here; empty where it cannot be read."""
    subject = claims_of(token).get("sub")
    return subject if isinstance(subject, str) and _SUBJECT.fullmatch(subject) else ""


def claims_of(token: str) -> Mapping[str, object]:
    """What a JSON web token says; empty where it cannot be read."""
    fields = token.split(".")
    try:
        payload = json.loads(urlsafe_b64decode(fields[1] + "=" * (-len(fields[1]) % 4)))
    except (IndexError, ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def secret_parts(text: str) -> Iterator[str]:
    """What may be a secret in a text that may be a cookie: its values, and the whole of it without its blanks."""
    for name, sign, value in (pair.strip().partition("=") for pair in text.split(";")):
        yield (value if sign else name).strip('" ')
    if _PAIRS.fullmatch(text):
        yield "".join(text.split())
