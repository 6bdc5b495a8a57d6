"""The days that an import changed, in the ledger: what the upstream has for them is no longer known to be the same."""

from collections.abc import Iterable

from django.db import connection

from archive_site.lib import clock
from archive_site.lib.storage.sql import execute_many
from usage.coverage.ledger import PROMPTS_GIVEN

# Unlike calls that the upstream gave, those of a file do not raise its count.
_UNSETTLE = """
    UPDATE usage_coverageday SET settled_at = NULL,
    next_read_at = CASE WHEN day >= %s THEN COALESCE(next_read_at, %s) ELSE next_read_at END
    WHERE user_id = %s AND day = %s"""


def note_import(archive_id: int, days: Iterable[str]) -> None:
    """Note that a file changed these days, in the caller's transaction.

    They are not settled, and are read again where the upstream surely still gives them.
    """
    now = clock.now()
    recent, at = clock.local_day(now - PROMPTS_GIVEN).isoformat(), connection.ops.adapt_datetimefield_value(now)
    execute_many(_UNSETTLE, [(recent, at, archive_id, day) for day in days])
