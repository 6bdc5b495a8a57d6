"""The soak's independent ledger of slots: each was served once, or has a reason why not.

It finds the instants by walking over the wall clock minute by minute, and gets the events of the simulated world:
cookies pasted, accounts disabled, runs that ended. It never reads a slot marker.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
GRACE = timedelta(hours=6)
ON_TIME = timedelta(minutes=12)


@dataclass(frozen=True, order=True)
class Due:
    """One slot: the instant at which it fell due, and its time of day."""

    at: datetime
    text: str


@dataclass
class Account:
    """The state of one account; `cookie_since` is None while it has no cookie."""

    name: str
    cookie_since: datetime | None = None
    is_active: bool = True
    is_refused: bool = False
    has_queued: bool = False
    open: list[Due] = field(default_factory=list)


@dataclass
class SlotLedger:
    """Every slot of every account with its outcome; `wrong` lists the errors."""

    first_text: str
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def fall_due(self, account: Account, slot: Due) -> None:
        account.open.append(slot)

    def ticked(self, account: Account, now: datetime, runs: list[str]) -> None:
        """Settle the open slots at a tick that began these runs for the account."""
        if not account.is_active or account.cookie_since is None:
            self._expect(runs == [], f"{account.name} may not collect, but {runs} at {now}")
            if account.cookie_since is None:
                self._settle(account, account.open, "no cookie")
            return
        self._settle(account, [slot for slot in account.open if slot.at < account.cookie_since], "before the cookie")
        expected, why = self._expected(account, now)
        self._expect(runs == expected, f"{account.name} at {now}: {runs} instead of {expected} for {account.open}")
        self._settle(account, account.open, f"{runs[0]} run" if runs else why)

    def left_open(self, account: Account) -> None:
        self._expect(not account.open, f"{account.name}: nothing became of {account.open}")

    def _expected(self, account: Account, now: datetime) -> tuple[list[str], str]:
        tried = [slot for slot in account.open if not account.is_refused or slot.text == self.first_text]
        late = min((now - slot.at for slot in tried), default=None)
        if late is None:
            return [], "cookie refused"
        if late > GRACE:
            return [], "too late"
        if account.has_queued:
            return [], "a waiting run"
        return ["schedule" if late <= ON_TIME else "startup"], ""

    def _settle(self, account: Account, slots: list[Due], outcome: str) -> None:
        self.outcomes[outcome] += len(slots)
        account.open = [slot for slot in account.open if slot not in slots]

    def _expect(self, is_right: bool, words: str) -> None:
        if not is_right:
            self.wrong.append(words)


def slots(times: list[str], start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Due]:
    """Each time of each day between two instants, at the first minute at which the wall clock has reached it."""
    waiting: set[str] = set()
    day = None
    minute = start.astimezone(UTC).replace(second=0, microsecond=0)
    while minute <= end:
        wall = minute.astimezone(zone)
        if wall.date() != day:
            # Times that the start of the day has already reached were due before this span.
            day, reached = wall.date(), wall.time() if minute <= start else time.min
            waiting = {text for text in times if time.fromisoformat(text) >= reached}
        for text in sorted(text for text in waiting if time.fromisoformat(text) <= wall.time()):
            waiting.remove(text)
            yield Due(minute, text)
        minute += MINUTE
