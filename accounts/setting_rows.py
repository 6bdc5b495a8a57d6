"""One stored setting. Answers look settings up before they are made, where a model's query takes longer than SQLite."""

from archive_site.lib.storage.sql import fetch

_VALUE = "SELECT value FROM accounts_setting WHERE user_id = %s AND key = %s"


def value_of(user_id: int, key: str) -> str | None:
    """The value of a setting as it is stored; None if there is none. `INSTANCE` is the instance's user id."""
    rows = fetch(_VALUE, [user_id, key])
    return str(rows[0][0]) if rows else None
