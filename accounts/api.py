"""JSON views of the account's own: settings (specification 4.2, 4.4)."""

from django.db import transaction
from django.http import HttpRequest

from accounts import config, credential
from accounts.config_writing import Outcome, write
from accounts.models import User
from archive_site.lib.client_address import client_address
from archive_site.lib.errors import ApiError
from archive_site.lib.jsonviews import Body, body_of
from audit.log import record


def read_settings(request: HttpRequest) -> Body:
    """GET /api/settings: every key with its effective value, and what the caller may do; never the cookie."""
    user = _user(request)
    cookie = credential.state(user.pk)
    return {
        **config.effective(user.pk),
        "cookie_hint": cookie.hint,
        "cookie_broken": cookie.broken,
        "_globalKeys": config.GLOBAL_KEYS,
        "_userKeys": config.USER_KEYS,
        "_canEditGlobal": user.is_admin,
        "_canManageBackups": user.is_admin,
        "_role": user.role,
    }


def write_settings(request: HttpRequest) -> Body:
    """POST /api/settings: store a map of keys to values. Raises ApiError 400 `invalid` when any of them failed."""
    user = _user(request)
    with transaction.atomic():
        outcome = write(body_of(request), user_id=user.pk, may_edit_instance=user.is_admin)
        record(
            "settings_rejected" if outcome.errors else "settings",
            actor=user.username,
            user_id=user.pk,
            ip=client_address(request),
            detail=_detail(outcome),
        )
    if outcome.errors:
        raise ApiError(400, "invalid", " ".join(outcome.errors), errors=outcome.errors, changed=outcome.changed)
    return {"ok": True, "changed": outcome.changed, "ignored": outcome.ignored}


def _detail(outcome: Outcome) -> str:
    """What the audit log says: names of keys and why some failed, no value of any."""
    changed = f"changed {', '.join(outcome.changed)}" if outcome.changed else "nothing changed"
    return "; ".join([changed, *outcome.errors])


def _user(request: HttpRequest) -> User:
    # `endpoint` has let in nobody else.
    assert isinstance(request.user, User)
    return request.user
