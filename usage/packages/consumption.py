"""What the calls of an archive cost between two instants (docs/decisions/collection.md#packages)."""

from datetime import datetime

from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch

# The records of the first and last day, and the sums of the days between.
_SPENT = """
    SELECT COALESCE((SELECT SUM(credits) FROM usage_record WHERE user_id = %s AND ts > %s AND ts <= %s), 0)
    + COALESCE((SELECT SUM(credits) FROM usage_record WHERE user_id = %s AND ts > %s AND ts <= %s), 0)
    + COALESCE((SELECT SUM(credits) FROM usage_daytotal WHERE user_id = %s AND day > %s AND day < %s), 0)"""


def spent(archive_id: int, start: datetime, end: datetime) -> int:
    """The parts that calls after `start` and up to `end` cost, by the wall clock of the server. One query."""
    first, last = clock.local_time(start), clock.local_time(end)
    from_text, to_text = (each.isoformat(" ", "seconds") for each in (first, last))
    first_day, last_day = str(first.date()), str(last.date())
    if first_day == last_day:
        parts = [(from_text, to_text), (to_text, to_text)]
    else:
        parts = [(from_text, f"{first_day} 23:59:59"), (f"{last_day} ", to_text)]
    values = [value for part in parts for value in (archive_id, *part)]
    [(found,)] = fetch(_SPENT, [*values, archive_id, first_day, last_day])
    return int(found)
