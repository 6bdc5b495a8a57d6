"""What runs do not read any more: days that the source does not give now, and days whose calls were erased."""

from django.db import transaction

from archive_site.lib import clock
from collection import watermark
from collection.runs import lease
from collection.windows import SECOND
from usage import horizon
from usage.coverage import ledger_writes, left_windows
from usage.source_traits import traits_of


def leave_early_days(archive_id: int, token: str) -> None:
    """Leave alone what earlier runs left of such days, under the lease of `token`: they hold the mark no longer."""
    reached, kept_from = traits_of(archive_id).reached(clock.today()), horizon.first_day(archive_id)
    with transaction.atomic():
        lease.require(token)
        for first in filter(None, (reached, kept_from)):
            start = clock.day_start(first)
            ledger_writes.give_up(archive_id, first)
            left_windows.give_up(archive_id, start)
            watermark.leave_range(archive_id, start)
        if kept_from:
            # Even a run that reaches back tries none of these again.
            left_windows.clear(archive_id, (clock.day_start(clock.EARLIEST), clock.day_start(kept_from) - SECOND))
            watermark.move_mark(archive_id, clock.day_start(kept_from))
