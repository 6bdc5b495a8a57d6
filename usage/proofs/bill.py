"""What a payer says of one of its days."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from usage.measures import What

# The name of the whole day among those of models.
WHOLE = ""
# That of costs of no model, as of storage.
NO_MODEL = "-"
# Models of a bill's day that are kept apart.
MOST_MODELS = 200
# Names of a day, where costs name models otherwise than usage does.
MOST_NAMES = 2 * MOST_MODELS
# The largest sum of a model and day.
MOST_OF_SUM = 2**62
ONE_DAY = timedelta(days=1)


class Sum(NamedTuple):
    """A sum, and how far from it a right one may be: parts of the archive's unit, calls, or tokens."""

    amount: int
    within: int = 0


# By model and what is counted.
Sums = Mapping[tuple[str, What], Sum]


@dataclass(frozen=True)
class Bill:
    """The sums of a day in the zone of its kind's bills, as they were at the aware instant `asked_at`; a day without
    any had no calls."""

    day: date
    sums: Sums
    asked_at: datetime


class Spent(NamedTuple):
    """What a counter of all that was spent showed at an aware instant, in parts of the unit; `counter` recognises it,
    since an archive may get the credential of another account."""

    parts: int
    counter: str
    asked_at: datetime


def end_of(day: date, zone: tzinfo = UTC) -> datetime:
    """The instant at which a bill's day ends."""
    return datetime.combine(day + ONE_DAY, time.min, zone)
