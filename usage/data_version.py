"""The data version of an archive: every change of its records or runs raises it."""

from datetime import datetime

from django.db import connection

from accounts.store_identity import STORE_ID
from archive_site.lib import clock
from archive_site.lib.storage.sql import execute, fetch, instant

_STATE = f"""
    SELECT {STORE_ID},
    (SELECT number FROM usage_dataversion WHERE user_id = %s),
    (SELECT changed_at FROM usage_dataversion WHERE user_id = %s)"""  # noqa: S608 - a constant
_RAISE = """
    INSERT INTO usage_dataversion (user_id, number, changed_at) VALUES (%s, 1, %s)
    ON CONFLICT (user_id) DO UPDATE SET number = usage_dataversion.number + 1, changed_at = excluded.changed_at"""

_STATES = f"SELECT user_id, {STORE_ID}, number, CAST(changed_at AS TEXT) FROM usage_dataversion"  # noqa: S608 - constants


def raise_version(archive_id: int) -> None:
    """Raise the archive's data version, in the caller's transaction."""
    changed_at = connection.ops.adapt_datetimefield_value(clock.now())
    execute(_RAISE, [archive_id, changed_at])


def changed_at(archive_id: int) -> datetime | None:
    """When the archive's records or runs last changed; None before the first change."""
    rows = fetch("SELECT CAST(changed_at AS TEXT) FROM usage_dataversion WHERE user_id = %s", [archive_id])
    return instant(rows[0][0]) if rows else None


def state(archive_id: int) -> list[str]:
    """The store's id, and the number and instant of the archive's data version. Equal as long as nothing changes."""
    [values] = fetch(_STATE, [archive_id, archive_id])
    return [str(value) for value in values]


def states() -> dict[int, tuple[str, ...]]:
    """The same for each archive that has data."""
    return {archive_id: tuple(map(str, values)) for archive_id, *values in fetch(_STATES)}
