"""The notice about wrong passwords of signed-in sessions, on every page of the account (docs/api.md#password).

Dismissing it counts for one session only: a session that guesses cannot hide it from the others. A session that
mistyped the password and then gave the right one ends it, if nobody else tried.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.sessions.backends.base import SessionBase

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit import log, queries

CHANGED, FAILED = "password", "password_failed"
GIVEN, REAUTHENTICATION_FAILED = "reauthenticate", "reauthenticate_failed"
_WRONG = (FAILED, REAUTHENTICATION_FAILED)
_SHOWN_FOR = timedelta(days=7)
_DISMISSED, _OWN = "wrong_passwords_dismissed", "wrong_passwords"
# Somebody who guesses needs more tries than somebody who mistypes.
_MISTYPED_MOST, _MISTYPED_WITHIN = 3, timedelta(minutes=15)


@dataclass(frozen=True)
class WrongTries:
    count: int
    since: datetime


def wrong_tries(user_id: int, session: SessionBase) -> WrongTries | None:
    """The tries of the last 7 days since the password was changed, or the notice dismissed in this session."""
    found = _tries(user_id, after=session.get(_DISMISSED, 0))
    return WrongTries(len(found), min(found.values())) if found else None


def dismiss(user_id: int, session: SessionBase) -> None:
    """Hide the notice in this session until another try fails."""
    session[_DISMISSED] = queries.newest_id(user_id, _WRONG)


def note_wrong(session: SessionBase, entry: int | None) -> None:
    """Note a wrong try of this session by its audit entry; None for one that was only counted."""
    session[_OWN] = [*session.get(_OWN, []), entry or 0][-_MISTYPED_MOST - 1 :]


def note_right(user_id: int, session: SessionBase, *, actor: str, ip: str) -> None:
    """End the notice, with an audit entry, if all that it counts are a few tries of this session just now."""
    own = session.pop(_OWN, [])
    if not own:
        return
    found = _tries(user_id)
    recent = all(at >= clock.now() - _MISTYPED_WITHIN for at in found.values())
    if found and recent and len(found) <= _MISTYPED_MOST and found.keys() <= set(own):
        log.record(GIVEN, actor=actor, user_id=user_id, ip=ip, detail=Message("password_mistyped", count=len(found)))


def _tries(user_id: int, after: int = 0) -> dict[int, datetime]:
    """The audit entries of the tries that count, by id: when each was."""
    since = clock.now() - _SHOWN_FOR
    return queries.entries_after(user_id, _WRONG, (CHANGED, GIVEN), since=since, after=after)
