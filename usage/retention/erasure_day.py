"""The day from which the erasure counts back, which a clock that runs ahead for some hours does not move
(docs/decisions/records.md#retention)."""

from datetime import date, timedelta
from typing import Final

from archive_site.lib import clock
from usage.models import Retention

# A leap of the clock by more is believed once a whole day has followed, or where the account chooses anew.
_BELIEVED: Final = timedelta(days=7)
_WHOLE_DAY: Final = timedelta(days=2)


def of_choice(row: Retention) -> date:
    """The day until which a choice is carried out now, and notes it: today, or the day of the last look if the clock
    has leapt far beyond that."""
    today, seen, leapt = clock.today(), _day(row.seen_on), _day(row.leapt_to)
    found, first = today, ""
    if seen is not None and today > seen + _BELIEVED:
        if leapt is None or not leapt <= today <= leapt + _BELIEVED:
            leapt = today
        if today < leapt + _WHOLE_DAY:
            found, first = seen, str(leapt)
    if (row.seen_on, row.leapt_to) != (str(found), first):
        Retention.objects.filter(user_id=row.user_id).update(seen_on=str(found), leapt_to=first)
    return found


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
