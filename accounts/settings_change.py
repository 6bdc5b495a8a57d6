"""A change of an account's settings with its audit entry (docs/api.md#settings)."""

from collections.abc import Mapping

from django.db import transaction

from accounts import config
from accounts.models import User
from accounts.second_factor import factors
from archive_site.lib.stored_message import Message
from audit.log import record

# More than this in one entry would not fit into the 2,000 characters of its detail.
_ERRORS_KEPT = 15


def change(
    user: User, archive_id: int, body: Mapping[str, object], *, actor: str, ip: str = ""
) -> config.SettingsWritten:
    """Store settings of an archive and, if the account may, of the instance; the audit notes also what failed."""
    with transaction.atomic():
        outcome = config.write(body, archive_id=archive_id, may_edit_instance=user.is_admin)
        action = "settings_rejected" if outcome.errors else "settings"
        record(action, actor=actor, user_id=user.pk, ip=ip, detail=_detail(outcome))
        if "require_second_factor" in outcome.changed:
            factors.settle()
    return outcome


def _detail(outcome: config.SettingsWritten) -> Message:
    """The audit detail: the names of keys and why some failed, never a value."""
    changed = Message("settings_changed", keys=outcome.changed) if outcome.changed else Message("nothing_changed")
    for error in outcome.errors[:_ERRORS_KEPT]:
        changed = Message("settings_rejected", changed=changed, errors=error)
    more = len(outcome.errors) - _ERRORS_KEPT
    return Message("settings_rejected_more", changed=changed, count=more) if more > 0 else changed
