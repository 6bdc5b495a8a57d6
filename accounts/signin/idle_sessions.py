"""Ending sessions that were not used for ARCHIVE_IDLE_MINUTES; off by default.

The rules: docs/decisions/accounts.md#idle-sessions.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.backends.base import SessionBase
from django.core.cache import caches
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.signin.reauthentication import password_given_at
from archive_site.lib import clock

# On the reads that an open page repeats without anybody there.
_UNATTENDED = "Archive-Unattended"


def end_idle_sessions(get_response: Callable[[HttpRequest], HttpResponseBase]) -> object:
    """Middleware: sign out a session that was not used for too long, and note the use of every other one."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        key = request.session.session_key
        if settings.IDLE_MINUTES and key and request.user.is_authenticated:
            if is_idle(key, request.session):
                auth.logout(request)
            elif request.method not in ("GET", "HEAD") or _UNATTENDED not in request.headers:
                _note_use(key)
        response = get_response(request)
        # A change of the password gives the session another key.
        if settings.IDLE_MINUTES and request.session.session_key not in (key, None):
            _note_use(request.session.session_key or "")
        return response

    return respond


def is_idle(session_key: str, session: SessionBase | dict[str, Any]) -> bool:
    """Whether the session was not used for too long. Where the counters are lost, its last password counts as use.

    A use that lies further ahead comes from a clock that was wrong: it would keep the session until then.
    """
    if not settings.IDLE_MINUTES:
        return False
    used_at = caches["counters"].get(_counter(session_key), password_given_at(session))
    return bool(abs(clock.now().timestamp() - used_at) >= settings.IDLE_MINUTES * 60)


def _note_use(session_key: str) -> None:
    caches["counters"].set(_counter(session_key), int(clock.now().timestamp()), settings.SESSION_COOKIE_AGE)


def _counter(session_key: str) -> str:
    # The key alone would open the session.
    return "used:" + hashlib.sha256(session_key.encode()).hexdigest()
