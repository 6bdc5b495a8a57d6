"""The active sessions of an account, and signing out all but the current one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.utils.crypto import constant_time_compare

from accounts.actor import Actor
from accounts.models import Session, User
from accounts.session_stores import spare_sessions
from accounts.session_stores.session_store import SessionStore
from accounts.signin.idle_sessions import is_idle
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit import log

_BEGUN = "signed_in"
_AGENT_LENGTH = 200
# The first match counts: most User-Agents also contain the names of other browsers.
_BROWSERS = {"Edg": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
_SYSTEMS = {
    "Windows": "Windows", "Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Mac OS X": "macOS",
    "Linux": "Linux",
}  # fmt: skip


@dataclass(frozen=True)
class SignedIn:
    """An active session. `address` and `agent` are empty if it began before they were stored."""

    begun_at: datetime
    address: str
    agent: str
    is_own: bool

    @property
    def browser(self) -> str:
        return _first(_BROWSERS, self.agent)

    @property
    def system(self) -> str:
        return _first(_SYSTEMS, self.agent)


def note_beginning(session: SessionBase, address: str, agent: str) -> None:
    """Store in a new session when and where it began."""
    session[_BEGUN] = [clock.now().isoformat(), address, agent[:_AGENT_LENGTH]]


def in_force(user: User, own_key: str | None) -> list[SignedIn]:
    """The account's active sessions, the current one first, then the newest."""
    found = [_signed_in(session, own_key) for session in _sessions_of(user)]
    return sorted(found, key=lambda signed_in: (signed_in.is_own, signed_in.begun_at), reverse=True)


def account_of(key: str) -> int:
    """The active account whose session it is, 0 where it is none. It changes nothing, and counts as no use of it."""
    content = dict(SessionStore(key).items())
    user = User.objects.filter(pk=content[SESSION_KEY]).first() if SESSION_KEY in content else None
    is_valid = user is not None and user.is_active and _is_valid(key, content, user.get_session_auth_hash())
    return user.pk if user and is_valid else 0


def end_others(user: User, own_key: str | None, actor: Actor) -> int:
    """End every session of the account but the current one; gives the number of active ones among them."""
    with transaction.atomic():
        others = [session.pk for session in _sessions_of(user) if session.pk != own_key]
        Session.objects.filter(user_id=user.pk).exclude(pk=own_key).delete()
        spare_sessions.end_all_of(user.pk)
        if others:
            detail = Message("signed_out_elsewhere", count=len(others))
            log.record("logout", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return len(others)


def _sessions_of(user: User) -> list[Session]:
    """Sessions that have not expired and are not idle, and have the current password and session version."""
    rows = Session.objects.filter(user_id=user.pk, expire_date__gt=clock.now())
    valid = user.get_session_auth_hash()
    return [row for row in rows if _is_valid(row.pk, row.get_decoded(), valid)]


def _is_valid(key: str, content: dict[str, Any], auth_hash: str) -> bool:
    return constant_time_compare(content.get(HASH_SESSION_KEY, ""), auth_hash) and not is_idle(key, content)


def _signed_in(session: Session, own_key: str | None) -> SignedIn:
    # For a session without a stored beginning, derive it from the expiry, which rarely changes after the beginning.
    about = (session.expire_date - timedelta(seconds=settings.SESSION_COOKIE_AGE)).isoformat()
    begun_at, address, agent = session.get_decoded().get(_BEGUN, [about, "", ""])
    return SignedIn(datetime.fromisoformat(begun_at), address, agent, session.pk == own_key)


def _first(names: dict[str, str], agent: str) -> str:
    return next((name for mark, name in names.items() if mark in agent), "")
