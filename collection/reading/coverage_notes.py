"""What a run learned about days, as the ledger keeps it (docs/decisions/collection.md#the-ledger-of-days)."""

from collections import Counter
from datetime import date, datetime, timedelta

from accounts.config import InstanceSettings
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from collection.reading.window_reader import Reading
from collection.windows import TimeWindow, whole_days
from usage import stored_calls
from usage.coverage import ledger_writes, left_windows
from usage.coverage.ledger_writes import DayReading
from usage.filters import RecordFilters
from usage.prompt_privacy import policy as privacy
from usage.reads import queries
from usage.source_traits import traits_of


def note_passed(archive_id: int, mark: datetime, to: datetime) -> None:
    """Note the days that end between the old mark and the new one, in the caller's transaction.

    Days of windows that could not be read, and were given up, remain days that no run has read.
    """
    days = whole_days(clock.day_start(clock.local_day(mark)), to)
    unread = left_windows.failed_days(archive_id)
    ledger_writes.note_passed(archive_id, [day for day in days if day.isoformat() not in unread])


def note_reading(archive_id: int, window: TimeWindow, reading: Reading, instance: InstanceSettings) -> int:
    """Note the whole days of a window that was read to its end, in the caller's transaction; gives how many settled.

    Days that ended after the reading began are left out. The days of a reading that is not confirmed, or has unreadable
    rows of unknown days, are not counted. With `verify_days` 0 no day settles; with `max_prompt` 0 it makes no
    difference which prompts the source left out.
    """
    asked_at = reading.first_asked_at
    days = whole_days(window.start, min(window.end, asked_at)) if asked_at else []
    if not days or asked_at is None:
        return 0
    if not reading.shows_each_day:
        left = left_windows.unconfirmed_days(archive_id, days[0], days[-1])
        ledger_writes.note_unconfirmed(archive_id, days, asked_at, left)
        if len(days) == 1 and reading.is_counted:
            ledger_writes.note_count(archive_id, days[0], reading.counted, asked_at)
        return 0
    _note_reach(archive_id, days, reading, asked_at)
    # The days would lack for ever what the source also gives under other days.
    elsewhere = stored_calls.under_other_days(archive_id, {key: row.day for key, row in reading.rows.items()})
    rows = [row for key, row in reading.rows.items() if key not in elsewhere]
    calls, empty = Counter(row.day for row in rows), Counter(row.day for row in rows if row.is_empty)
    keeps_prompts = privacy.most_kept(archive_id, instance.max_prompt) > 0
    bare = {row.day for row in rows if row.is_bare and keeps_prompts}
    found = [
        DayReading(day, calls[text], empty[text], is_bare=text in bare, changed=text in reading.changed_days)
        for day, text in ((day, day.isoformat()) for day in days)
        if text not in reading.unread_days
    ]
    for day in (day for day in days if day.isoformat() in reading.unread_days):
        text = day.isoformat()
        ledger_writes.note_count(archive_id, day, calls[text] + reading.unread_days[text], asked_at)
        ledger_writes.postpone(archive_id, day, asked_at)
    return ledger_writes.note_readings(archive_id, found, asked_at, settles=instance.verify_days > 0)


def _note_reach(archive_id: int, days: list[date], reading: Reading, asked_at: datetime) -> None:
    """Note how far back the source gives calls: not as far as a week without any that is full of calls here."""
    given = min((row.day for row in reading.rows.values()), default=None)
    if given:
        ledger_writes.note_given(archive_id, date.fromisoformat(given))
        return
    is_old = clock.day_end(days[-1]) < asked_at - traits_of(archive_id).text_given
    if is_old and len(days) > 1 and queries.count_records(archive_id, RecordFilters(Days(days[0], days[-1]))):
        ledger_writes.raise_reach(archive_id, days[-1] + timedelta(days=1))
