"""The days that an import changed, in the ledger: what the source has for them is no longer known to be the same."""

from collections.abc import Iterable

from django.db import connection

from archive_site.lib import clock
from archive_site.lib.storage.sql import execute_many
from usage.source_traits import traits_of

# Unlike calls that the source gave, those of a file do not raise its count.
_UNSETTLE = """
    UPDATE usage_coverageday SET settled_at = NULL,
    next_read_at = CASE WHEN day >= %s THEN COALESCE(next_read_at, %s) ELSE next_read_at END
    WHERE user_id = %s AND day = %s"""


def note_import(archive_id: int, days: Iterable[str]) -> None:
    """Note that a file changed these days, in the caller's transaction.

    They are not settled, and are read again where the source surely still gives them.
    """
    now = clock.now()
    recent = clock.local_day(now - traits_of(archive_id).text_given).isoformat()
    at = connection.ops.adapt_datetimefield_value(now)
    execute_many(_UNSETTLE, [(recent, at, archive_id, day) for day in days])
