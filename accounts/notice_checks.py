"""When an account was last looked at for causes of notices, as a setting that the settings API does not show."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from accounts import setting_rows
from accounts.models import Setting, User

_KEY = "notices:looked"
# What depends on the time alone is found this late at most.
EVERY = timedelta(minutes=15)


def due(now: datetime) -> Iterator[int]:
    """The accounts to look at: those where something happened since the last look, or none was in 15 minutes."""
    # A look in the future was noted under a clock that ran ahead.
    recent = Setting.objects.filter(key=_KEY, updated_at__gt=now - EVERY, updated_at__lte=now).values("user_id")
    active = User.objects.filter(status=User.ACTIVE).exclude(pk__in=recent)
    yield from active.order_by("pk").values_list("pk", flat=True)


def note(user_id: int) -> None:
    """Note that the account is looked at now."""
    setting_rows.store(user_id, _KEY, "")


def ask(user_id: int) -> None:
    """Let the next look at the account be soon: a run ended, or what its notices depend on was changed."""
    setting_rows.delete(user_id, _KEY)
