"""The token of a device login, a second credential beside the cookie (docs/upstream.md#token)."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.utils.translation import gettext

from accounts.archive_changes import WrongField
from collection.sources.codebuddy.session_cookie import claims_of, subject_of

FIELDS = ("token", "user_id", "enterprise_id")
# As RFC 6750 has tokens.
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,8000}")
_ID = re.compile(r"[!-~]{1,64}")
# What people copy with it.
_BEFORE = re.compile(r"(?:authorization:\s*)?bearer\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Token:
    """A token with what its two headers say; `enterprise_id` is that of a member, else the user's own id."""

    token: str = field(repr=False)
    user_id: str
    enterprise_id: str

    @classmethod
    def given(cls, body: Mapping[str, object]) -> "Token":
        """The token that a body has; its user is that of the token where the body names none. Raises WrongField."""
        token = _BEFORE.sub("", _text(body, "token"), count=1)
        if not _TOKEN.fullmatch(token):
            words = gettext("token is the access token: 16 to 8,000 letters, digits, and - . _ ~ + / =")
            raise WrongField("credential", words)
        user_id = _text(body, "user_id") or subject_of(token)
        enterprise_id = _text(body, "enterprise_id") or user_id
        for name, value in (("user_id", user_id), ("enterprise_id", enterprise_id)):
            if not _ID.fullmatch(value):
                raise WrongField(
                    "credential", gettext("%(name)s has 1 to 64 characters without blanks.") % {"name": name}
                )
        return cls(token, user_id, enterprise_id)

    @classmethod
    def stored(cls, text: str) -> "Token":
        return cls(**json.loads(text))

    def text(self) -> str:
        """Its stored form."""
        return json.dumps({name: getattr(self, name) for name in FIELDS})

    @property
    def is_of_member(self) -> bool:
        """Whether it is that of a member of an enterprise."""
        return self.enterprise_id != self.user_id

    @property
    def account(self) -> str:
        """The account that it is of."""
        return subject_of(self.token) or self.user_id

    @property
    def ends_at(self) -> datetime | None:
        """The end that the token itself names."""
        end = claims_of(self.token).get("exp")
        if not isinstance(end, int | float) or isinstance(end, bool) or not 10**9 <= end < 10**10:
            return None
        return datetime.fromtimestamp(int(end), UTC)


def secret_parts(text: str) -> Iterator[str]:
    """What is secret in a text that may be a stored token."""
    if text.startswith('{"token"'):
        with suppress(ValueError, TypeError):
            yield Token.stored(text).token


def _text(body: Mapping[str, object], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise WrongField("credential", gettext("%(name)s is a text.") % {"name": name})
    return value.strip()
