"""The notice about wrong passwords of signed-in sessions, on every page of the account (docs/api.md#password).

Dismissing it counts for one session only: a session that guesses cannot hide it from the others.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.sessions.backends.base import SessionBase

from archive_site.lib import clock
from audit import queries

CHANGED, FAILED, REAUTHENTICATION_FAILED = "password", "password_failed", "reauthenticate_failed"
_WRONG = (FAILED, REAUTHENTICATION_FAILED)
_SHOWN_FOR = timedelta(days=7)
_DISMISSED = "wrong_passwords_dismissed"


@dataclass(frozen=True)
class WrongTries:
    count: int
    since: datetime


def wrong_tries(user_id: int, session: SessionBase) -> WrongTries | None:
    """The tries of the last 7 days since the password was changed, or the notice dismissed in this session."""
    found = queries.moments_after(
        user_id, _WRONG, CHANGED, since=clock.now() - _SHOWN_FOR, after=session.get(_DISMISSED, 0)
    )
    return WrongTries(len(found), min(found)) if found else None


def dismiss(user_id: int, session: SessionBase) -> None:
    """Hide the notice in this session until another try fails."""
    session[_DISMISSED] = queries.newest_id(user_id, _WRONG)
