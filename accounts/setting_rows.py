"""One stored setting: reading, storing and deleting it.

Answers look settings up before they are made, where a model's query takes longer than SQLite. It is no module of
`config`, because `config` imports `credential` and lies above `delivery`, and both import this one.
"""

from collections.abc import Sequence

from accounts.models import Setting
from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch, marks

_VALUES = "SELECT key, value FROM accounts_setting WHERE user_id = %s AND key IN ({keys})"
_VALUE = "SELECT value FROM accounts_setting WHERE user_id = %s AND key = %s"


def value_of(user_id: int, key: str) -> str | None:
    """The value of a setting as it is stored; None if there is none. `INSTANCE` is the instance's user id."""
    rows = fetch(_VALUE, [user_id, key])
    return str(rows[0][0]) if rows else None


def values_of(user_id: int, keys: Sequence[str]) -> dict[str, str]:
    """The values of those of these settings that are stored."""
    return dict(fetch(_VALUES.format(keys=marks(keys)), [user_id, *keys]))


def store(user_id: int, key: str, value: str) -> None:
    """Store a value with the present time, in the caller's transaction."""
    Setting.objects.update_or_create(user_id=user_id, key=key, defaults={"value": value, "updated_at": clock.now()})


def delete(user_id: int, key: str) -> None:
    Setting.objects.filter(user_id=user_id, key=key).delete()
