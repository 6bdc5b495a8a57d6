"""Two simulated months, one around each change of the clock: `python -m tests.soaks.two_months [--seed N] [--days N]`.

The tick comes every half minute to two minutes of an injected clock, over a real store and a simulator whose answers
fail in all known ways, one in ten. There are gaps of hours, workers that are busy or die, a cookie that expires for
days, an account that is disabled for a week and one that is created in the middle. At the end every slot is accounted
for in an independent ledger, and every archive equals the data of the simulator.
"""

import argparse
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management import call_command
from django.db import connection
from django_q.models import OrmQ

from accounts.models import User
from accounts.store_identity import open_store
from archive_site import tasks as site_tasks
from collection import tasks
from collection.models import Run
from collection.runs import lease
from collection.runs.run_outcomes import COOKIE_EXPIRED
from collection.sources.codebuddy.simulator.simulator import FAULT_NAMES, Simulator
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.scheduling import with_cookie, work_off_queue
from tests.factories import make_user
from tests.soaks import say
from tests.soaks.injected_life import Death, injected, leave_lease_of_dead_process
from tests.soaks.slot_ledger import Account, SlotLedger, slots

BERLIN = ZoneInfo("Europe/Berlin")
# The days on which the clock changes lie in the middle.
MONTHS = ("2026-03-29", "2026-10-25")
TIMES = ["02:30", "08:00", "12:30", "18:00", "23:50"]
# A well-formed row with wrong values cannot be detected.
LIES = {"negative_credit"}
FAULTS = [name for name in FAULT_NAMES if name not in LIES]
FAULT_RATE = 0.1
GAPS_A_DAY = 0.35
DEATHS = 0.01
SETTLED = timedelta(days=2)


class World(Simulator):
    """The upstream with four accounts; a request takes a second or two of the injected time."""

    def __init__(self, begin: datetime, end: datetime, seed: int) -> None:
        self.instant = begin
        days = (end - begin).days + 5
        super().__init__(accounts=4, days=days, per_day=25, seed=seed, until=end, now=self.time)
        self.faults.settle_minutes, self.faults.late_prompt_minutes = 120, 30
        self.faults.hide_minutes, self.faults.hide_share = 90, 0.3
        self.faults.huge_bytes = 33 * 1024 * 1024

    def time(self) -> datetime:
        return self.instant

    def respond(self, *request: Any) -> Any:
        self.instant += timedelta(seconds=1.5)
        return super().respond(*request)

    def misbehave(self, expired: int | None = None) -> None:
        """One answer in ten fails, and all of one account whose cookie has expired."""
        self.faults.clear()
        if expired is not None:
            self.faults.fail("expired_401_html", account=expired)
        for name in FAULTS:
            self.faults.fail(name, rate=FAULT_RATE / len(FAULTS))


class Month:
    """One month of ticks over an empty store."""

    def __init__(self, change: str, days: int, seed: int) -> None:
        middle = datetime.fromisoformat(change).replace(tzinfo=BERLIN)
        half = timedelta(days=days / 2)
        self.begin, self.end = (middle - half).astimezone(UTC), (middle + half).astimezone(UTC)
        self.calm = ((middle - timedelta(hours=6)).astimezone(UTC), (middle + timedelta(hours=12)).astimezone(UTC))
        self.days = days
        self.dice = random.Random(f"{change}/{seed}")
        self.world = World(self.begin, self.end, seed)
        self.ledger = SlotLedger(first_text=TIMES[0])
        self.users: list[User] = []
        self.accounts: list[Account] = []
        self.ticks = self.deaths = self.gaps = 0
        self.last_run = 0
        self.events: list[tuple[datetime, Callable[[], None]]] = []
        self.coming = slots(TIMES, self.begin, self.end + 2 * SETTLED, BERLIN)
        self.next_slot = next(self.coming)

    def live(self) -> None:
        with self.world, injected(self.world.time, self._dies):
            self._settle_in()
            self._go_on(self.end)
            self.world.faults.clear()
            self._go_on(self.end + SETTLED, is_rough=False)
            self._check()

    def _settle_in(self) -> None:
        for name in ("steady", "expiring", "disabled"):
            self._add(name)
        set_up(self.users[0], self.world, page_size=50, schedule_times=",".join(TIMES))
        self.world.misbehave()
        part = (self.end - self.begin) / 10
        self.events = [
            (self.begin + 2 * part, lambda: self.world.misbehave(expired=1)),
            (self.begin + 3.5 * part, self._paste_again),
            (self.begin + 3 * part, lambda: self._set_active(2, False)),
            (self.begin + 3 * part + timedelta(days=self.days / 4.5), lambda: self._set_active(2, True)),
            (self.begin + 5.2 * part, lambda: self._add("late")),
        ]
        self.events.sort(key=lambda event: event[0])

    def _go_on(self, until: datetime, *, is_rough: bool = True) -> None:
        """Tick until then; with `is_rough` there are gaps, busy workers and deaths."""
        self.is_rough = is_rough
        while self.world.instant < until:
            self.world.instant += self._step()
            while self.events and self.events[0][0] <= self.world.instant:
                self.events.pop(0)[1]()
            while self.next_slot.at <= self.world.instant:
                for account in self.accounts:
                    self.ledger.fall_due(account, self.next_slot)
                self.next_slot = next(self.coming)
            self._tick()
            if not is_rough or self.dice.random() > 0.1:
                self._work()
            if self.ticks % 600 == 0:
                site_tasks.housekeeping()

    def _step(self) -> timedelta:
        """Half a minute to two; sometimes hours, but not in the night of the clock change."""
        is_calm = self.calm[0] < self.world.instant < self.calm[1]
        if self.is_rough and not is_calm and self.dice.random() < GAPS_A_DAY / (86400 / 75):
            self.gaps += 1
            return timedelta(hours=self.dice.uniform(0.1, 12))
        return timedelta(seconds=self.dice.uniform(30, 120))

    def _tick(self) -> None:
        now = self.world.instant
        for place, account in enumerate(self.accounts):
            if account.open:
                self._look_at(account, self.users[place])
        tasks.run_due_collections()
        self.ticks += 1
        new = list(Run.objects.filter(pk__gt=self.last_run).order_by("pk").values_list("pk", "archive_id", "trigger"))
        self.last_run = new[-1][0] if new else self.last_run
        for place, account in enumerate(self.accounts):
            user_id = self.users[place].pk
            self.ledger.ticked(account, now, [trigger for _, owner, trigger in new if owner == user_id])

    def _look_at(self, account: Account, user: User) -> None:
        """Record the outcomes of the account's runs in the ledger."""
        own = Run.objects.filter(archive_id=user.pk)
        account.has_queued = own.filter(status="queued").exists()
        last = own.filter(exit_code__in=[0, COOKIE_EXPIRED.exit_code]).order_by("pk").last()
        expired = last is not None and last.exit_code == COOKIE_EXPIRED.exit_code
        since, started = account.cookie_since, last.started_at if last else None
        account.is_refused = bool(expired and since and started and started >= since)

    def _work(self) -> None:
        try:
            work_off_queue()
        except Death:
            self.deaths += 1
            leave_lease_of_dead_process(self.world.instant)

    def _dies(self) -> bool:
        return self.is_rough and self.dice.random() < DEATHS

    # Events of the accounts

    def _add(self, name: str) -> None:
        user = make_user(f"{name}-{self.begin:%m}")
        self.users.append(user)
        self.accounts.append(Account(name))
        self._paste(len(self.users) - 1)

    def _paste(self, place: int) -> None:
        with_cookie(self.users[place], self.world.cookie(place))
        self.accounts[place].cookie_since = self.world.instant

    def _paste_again(self) -> None:
        self.world.misbehave()
        self._paste(1)

    def _set_active(self, place: int, is_active: bool) -> None:
        self.accounts[place].is_active = is_active
        User.objects.filter(pk=self.users[place].pk).update(status=User.ACTIVE if is_active else User.DISABLED)

    # Checks

    def _check(self) -> None:
        for place, account in enumerate(self.accounts):
            self.ledger.left_open(account)
            kept, true = contents(self.users[place]), truth(self.world, place)
            missing, differing = (
                true.keys() - kept.keys(),
                [key for key in true if kept.get(key, true[key]) != true[key]],
            )
            if kept != true:
                self.ledger.wrong.append(
                    f"{account.name}: {len(missing)} missing, {len(kept.keys() - true.keys())} too many, "
                    f"{len(differing)} differ: {sorted(true[key][1] for key in [*missing, *differing])[:5]}"
                )
        statuses = Counter(Run.objects.values_list("status", flat=True))
        unfinished = statuses["queued"] + statuses["running"]
        checks = {
            "runs are unfinished": unfinished,
            "tasks are in the queue": OrmQ.objects.count(),
            "the lease is held": lease.is_held(),
        }
        self.ledger.wrong += [f"{words}: {found}" for words, found in checks.items() if found]
        with connection.cursor() as cursor:
            found = cursor.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            self.ledger.wrong.append(f"integrity: {found}")
        codes = Counter(Run.objects.values_list("exit_code", flat=True))
        say(f"  {self.ticks} ticks, {self.gaps} gaps, {self.deaths} deaths, {self.world.request_count} requests")
        say(f"  slots: {dict(+self.ledger.outcomes)}")
        say(f"  runs: {dict(statuses)}, exit codes {dict(sorted(codes.items(), key=str))}")
        say(f"  records: {[len(contents(user)) for user in self.users]}")


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.two_months")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--days", type=int, default=31, help="of each month (31)")
    chosen = options.parse_args()
    logging.disable(logging.WARNING)
    call_command("migrate", verbosity=0)
    wrong: list[str] = []
    for change in MONTHS:
        say(f"{chosen.days} days around {change}, seed {chosen.seed}")
        began = time.monotonic()
        call_command("flush", verbosity=0, interactive=False)
        open_store()
        month = Month(change, chosen.days, chosen.seed)
        month.live()
        wrong += [f"{change}: {words}" for words in month.ledger.wrong]
        say(f"  {time.monotonic() - began:.0f} s")
    for words in wrong:
        say(words)
    sys.exit(f"{len(wrong)} things are wrong." if wrong else 0)


if __name__ == "__main__":
    main()
