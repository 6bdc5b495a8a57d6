"""The clock of the process of tests, for all code in it: it stands until a test moves it.

Processes that a test starts have the machine's clock: with the fixture `running_clock` so has the test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import time_machine

# A Wednesday in the middle of a month, at noon in Berlin.
NOON = datetime(2026, 9, 16, 10, tzinfo=UTC)


class SetClock:
    def __init__(self, traveller: time_machine.Traveller) -> None:
        self._traveller = traveller

    @property
    def now(self) -> datetime:
        return datetime.now(UTC)

    @now.setter
    def now(self, instant: datetime) -> None:
        # In UTC: for another zone, that of the process would change.
        self._traveller.move_to(instant.astimezone(UTC))

    def pass_by(self, **much: float) -> None:
        """Advance the time by hours, minutes or other units."""
        self._traveller.shift(timedelta(**much))


@contextmanager
def standing() -> Iterator[SetClock]:
    """The clock stands at noon at first."""
    with time_machine.travel(NOON, tick=False) as traveller:
        yield SetClock(traveller)
